"""Comparisons as tables in a terminal, and as plain dictionaries for machines."""

import math
from typing import Any

from rich import box
from rich.table import Table

from toptwo.experiments.comparison import Comparison


def comparison_table(comparison: Comparison, title: str = "") -> Table:
    """Return a rich table: mean ± error, median, error rate with interval, multiple of the lower bound."""
    table = Table(
        title=title or None, caption=_caption(comparison), caption_justify="left", box=box.SIMPLE_HEAD, pad_edge=False
    )
    table.add_column("algorithm", no_wrap=True)
    for name in ("mean ± error", "median", "% wrong [95 %]", "× bound"):
        table.add_column(name, justify="right", no_wrap=True)
    undecided = any(summary.undecided for summary, _ in comparison.rows())
    if undecided:
        table.add_column("undecided", justify="right")
    for summary, multiple in comparison.rows():
        bound = "≥ " if summary.undecided else ""
        low, high = summary.error_interval
        cells = [
            summary.algorithm,
            f"{bound}{summary.mean:,.0f} ± {summary.standard_error:,.0f}",
            f"{summary.median:,.0f}",
            f"{100 * summary.error_rate:.2f} [{100 * low:.2f}, {100 * high:.2f}]",
            f"{bound}{multiple:.2f}" if math.isfinite(multiple) else "–",
        ]
        table.add_row(*cells, *([str(summary.undecided)] if undecided else []))
    return table


def _caption(comparison: Comparison) -> str:
    if not comparison.lower_bound:
        return ""
    bound = f"{comparison.lower_bound:,.0f}"
    return f"Samples until an answer. Lower bound T* ln(1/(2.4 δ)) = {bound} at δ = {comparison.delta:g}."


def comparison_dict(comparison: Comparison) -> dict[str, Any]:
    """Return the same as plain data, for JSON."""
    return {
        "delta": comparison.delta,
        "lower_bound": comparison.lower_bound,
        "algorithms": [
            {
                "algorithm": summary.algorithm,
                "runs": summary.runs,
                "mean": summary.mean,
                "standard_error": summary.standard_error,
                "median": summary.median,
                "wrong": summary.wrong,
                "error_interval": list(summary.error_interval),
                "undecided": summary.undecided,
            }
            for summary, _ in comparison.rows()
        ],
    }
