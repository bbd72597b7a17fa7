"""Results as tables in a terminal, and as plain dictionaries for machines."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from toptwo.report.terminal import Fitted
from toptwo.sweeps.comparison import Comparison
from toptwo.sweeps.tables import TablePoint


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


def known(value: float) -> str:
    """Return a number without decimals, or a dash for one that cannot be estimated.

    Examples
    --------
    >>> known(1234.5), known(math.nan)
    ('1,234', '–')
    """
    return f"{value:z,.0f}" if math.isfinite(value) else "–"


def numbers(line: Line) -> list[str]:
    """Return the cells of a line: name, mean ± error, median, % wrong with interval, multiple of the lower bound."""
    bound = "≥ " if line.undecided else ""
    low, high = line.interval
    return [
        line.name,
        f"{bound}{line.mean:,.0f} ± {known(line.error)}",
        f"{line.median:,.0f}",
        f"{100 * line.wrong:.2f} [{100 * low:.2f}, {100 * high:.2f}]",
        f"{bound}{line.multiple:.2f}" if math.isfinite(line.multiple) else "–",
    ]


def fitted(lines: Sequence[Line], caption: str) -> Fitted:
    """Return lines as a table for the terminal."""
    head = ["algorithm", "mean ± error", "median", "% wrong [95 %]", "× bound"]
    rows = [numbers(line) for line in lines]
    if any(line.undecided for line in lines):
        head.append("undecided")
        rows = [[*row, f"{line.undecided:,}"] for row, line in zip(rows, lines, strict=True)]
    return Fitted(head, rows, caption=caption)


def comparison_table(comparison: Comparison) -> Fitted:
    """Return a table: mean ± error, median, error rate with interval, multiple of the lower bound."""
    return fitted(lines_of_comparison(comparison), _caption(comparison.lower_bound, comparison.delta))


def point_table(point: TablePoint) -> Fitted:
    """Return the same of an experiment at one point."""
    return fitted(lines_of_point(point), _caption(point.facts["lower_bound"], point.content["delta"]))


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
