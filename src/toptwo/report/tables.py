"""Results as tables in a terminal, and as plain dictionaries for machines."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from rich import box
from rich.table import Table

from toptwo.experiments.comparison import Comparison
from toptwo.experiments.tables import TablePoint


class Line(NamedTuple):
    """One algorithm in a table of results."""

    name: str
    mean: float
    error: float
    median: float
    wrong: float
    """Share of wrong answers."""
    interval: tuple[float, float]
    multiple: float
    """Of the lower bound; infinite if there is none."""
    undecided: int = 0


def lines_of_comparison(comparison: Comparison) -> list[Line]:
    """Return the lines of simulations side by side."""
    return [
        Line(
            summary.algorithm,
            summary.mean,
            summary.standard_error,
            summary.median,
            summary.error_rate,
            summary.error_interval,
            multiple,
            summary.undecided,
        )
        for summary, multiple in comparison.rows()
    ]


def lines_of_point(point: TablePoint) -> list[Line]:
    """Return the lines of an experiment at one point."""
    return [
        Line(
            row["algorithm"],
            row["mean"],
            row["deviation"] / math.sqrt(row["runs"]),
            row["quantiles"][2],
            row["wrong"] / row["runs"],
            (row["error_interval"][0], row["error_interval"][1]),
            row["mean"] / point.facts["lower_bound"],
            row["undecided"],
        )
        for row in point.rows
    ]


def numbers(line: Line) -> list[str]:
    """Return the cells of a line: name, mean ± error, median, % wrong with interval, multiple of the lower bound."""
    bound = "≥ " if line.undecided else ""
    low, high = line.interval
    return [
        line.name,
        f"{bound}{line.mean:,.0f} ± {line.error:,.0f}",
        f"{line.median:,.0f}",
        f"{100 * line.wrong:.2f} [{100 * low:.2f}, {100 * high:.2f}]",
        f"{bound}{line.multiple:.2f}" if math.isfinite(line.multiple) else "–",
    ]


def terminal_table(lines: Sequence[Line], caption: str, title: str = "") -> Table:
    """Return a rich table of lines."""
    table = Table(title=title or None, caption=caption, caption_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("algorithm", no_wrap=True)
    for name in ("mean ± error", "median", "% wrong [95 %]", "× bound"):
        table.add_column(name, justify="right", no_wrap=True)
    undecided = any(line.undecided for line in lines)
    if undecided:
        table.add_column("undecided", justify="right")
    for line in lines:
        table.add_row(*numbers(line), *([str(line.undecided)] if undecided else []))
    return table


def comparison_table(comparison: Comparison, title: str = "") -> Table:
    """Return a rich table: mean ± error, median, error rate with interval, multiple of the lower bound."""
    return terminal_table(lines_of_comparison(comparison), _caption(comparison.lower_bound, comparison.delta), title)


def point_table(point: TablePoint, title: str = "") -> Table:
    """Return a rich table of an experiment at one point."""
    caption = _caption(point.facts["lower_bound"], point.content["delta"])
    return terminal_table(lines_of_point(point), caption, title)


def _caption(lower_bound: float, delta: float) -> str:
    if not lower_bound:
        return ""
    return f"Samples until an answer. Lower bound T* ln(1/(2.4 δ)) = {lower_bound:,.0f} at δ = {delta:g}."


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
