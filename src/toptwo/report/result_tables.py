"""Results as tables in a terminal, and as plain dictionaries for machines."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from toptwo.report.terminal import Fitted
from toptwo.sweeps.comparison import Comparison
from toptwo.sweeps.statistics import Estimate
from toptwo.sweeps.tables import TablePoint

WIDTH = 110
"""Of tables in plain text: enough for all columns."""


class ResultRow(NamedTuple):
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
    tail: float = math.nan
    """Samples that 1 % of the runs exceed."""
    late: float = math.nan
    """Samples that 5 % of the runs exceed."""
    longest: float = math.nan


def rows_of_comparison(comparison: Comparison) -> list[ResultRow]:
    """Return the rows of simulations side by side."""
    return [
        ResultRow(
            label,
            summary.mean,
            summary.standard_error,
            summary.median,
            summary.error_rate,
            summary.error_interval,
            multiple,
            summary.undecided,
            *_tail(simulation.stopping_times),
        )
        for label, simulation, (summary, multiple) in zip(
            comparison.labels, comparison.simulations, comparison.rows(), strict=True
        )
    ]


def _tail(times: NDArray[np.int64]) -> tuple[float, float, float]:
    """Return what 1 % of the runs exceed, what 5 % exceed, and the longest."""
    if not len(times):
        return math.nan, math.nan, math.nan
    return float(np.quantile(times, 0.99)), float(np.quantile(times, 0.95)), float(times.max())


def rows_of_point(point: TablePoint) -> list[ResultRow]:
    """Return the rows of an experiment at one point."""
    return [
        ResultRow(
            row["algorithm"],
            row["mean"],
            row["deviation"] / math.sqrt(row["runs"]),
            row["quantiles"][2],
            row["wrong"] / row["runs"],
            (row["error_interval"][0], row["error_interval"][1]),
            row["mean"] / point.facts["lower_bound"] if point.facts["lower_bound"] else math.inf,
            row["undecided"],
            row.get("tail", math.nan),
            row["quantiles"][4],
            row.get("longest", math.nan),
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


def numbers(result: ResultRow) -> list[str]:
    """Return the cells of a row: name, mean ± error, median, 99 % quantile, % wrong with interval, × lower bound."""
    bound = "≥ " if result.undecided else ""
    low, high = result.interval
    return [
        result.name,
        f"{bound}{result.mean:,.0f} ± {known(result.error)}",
        f"{result.median:,.0f}",
        known(result.tail),
        f"{100 * result.wrong:.2f} [{100 * low:.2f}, {100 * high:.2f}]",
        f"{bound}{result.multiple:.2f}" if math.isfinite(result.multiple) else "–",
    ]


def fitted(results: Sequence[ResultRow], caption: str) -> Fitted:
    """Return results as a table for the terminal; one that has no room for all of the tail shows the 99 % of it.

    Where rows stand one under the other, there is room again.
    """
    head = ["algorithm", "mean ± error", "median", "99 %", "% wrong [95 %]", "× bound"]
    rows = [numbers(result) for result in results]
    if any(result.undecided for result in results):
        head.append("undecided")
        rows = [[*row, f"{result.undecided:,}"] for row, result in zip(rows, results, strict=True)]
    place = head.index("99 %")
    wide = [
        [*row[:place], known(result.late), row[place], known(result.longest), *row[place + 1 :]]
        for row, result in zip(rows, results, strict=True)
    ]
    names = [*head[:place], "95 %", head[place], "longest", *head[place + 1 :]]
    return Fitted(names, wide, caption=caption, narrow=Fitted(head, rows, narrow=Fitted(names, wide)))


def comparison_tables(comparison: Comparison) -> list[Fitted]:
    """Return a table of each algorithm by itself, and one of each against the first, run by run."""
    tables = [fitted(rows_of_comparison(comparison), _caption(comparison.lower_bound, comparison.delta))]
    if len(comparison.labels) > 1 and comparison.paired.content["runs"] > 1:
        tables.append(paired_table(comparison))
    return tables


def paired_table(comparison: Comparison) -> Fitted:
    """Return a table of differences and ratios against the first algorithm, on the same rewards."""
    first, *others = comparison.labels
    rows, few = [], []
    for other in others:
        more = comparison.difference(other, first)
        means, typical = comparison.ratio(other, first), comparison.typical_ratio(other, first)
        difference = f"{more.value:+,.0f} [{more.low:+,.0f}, {more.high:+,.0f}]"
        rows.append((other, difference, _times(means), _times(typical)))
        few.append((other, difference, _times(typical)))
    head = (f"against {first}", "samples more [95 %]", "ratio of means [95 %]", "typical ratio [95 %]")
    caption = "Run by run on the same rewards; the typical ratio is a geometric mean."
    return Fitted(head, rows, caption=caption, narrow=Fitted((*head[:2], head[3]), few, narrow=Fitted(head, rows)))


def _times(ratio: Estimate) -> str:
    return f"× {ratio.value:.3f} [{ratio.low:.3f}, {ratio.high:.3f}]"


def comparison_text(comparison: Comparison) -> str:
    """Return the tables of a comparison as plain text."""
    from rich.console import Console

    console = Console(width=WIDTH, color_system=None, force_terminal=False)
    with console.capture() as capture:
        for table in comparison_tables(comparison):
            console.print(table)
    return capture.get().rstrip()


def point_table(point: TablePoint) -> Fitted:
    """Return the same of an experiment at one point."""
    return fitted(rows_of_point(point), _caption(point.facts["lower_bound"], point.content["delta"]))


def _caption(lower_bound: float, delta: float) -> str:
    if not lower_bound:
        return ""
    return f"Samples until an answer. Lower bound T* ln(1/(2.4 δ)) = {lower_bound:,.0f} at δ = {delta:g}."


def comparison_dict(comparison: Comparison) -> dict[str, Any]:
    """Return the same as plain data, for JSON."""
    paired = comparison.paired
    first = comparison.labels[0]
    algorithms = []
    for label, (summary, multiple) in zip(comparison.labels, comparison.rows(), strict=True):
        times = comparison[label].stopping_times
        row = {
            "algorithm": label,
            "runs": summary.runs,
            "mean": summary.mean,
            "standard_error": summary.standard_error,
            "median": summary.median,
            "quantile_95": float(np.quantile(times, 0.95)) if len(times) else None,
            "quantile_99": float(np.quantile(times, 0.99)) if len(times) else None,
            "longest": int(times.max()) if len(times) else None,
            "wrong": summary.wrong,
            "error_interval": list(summary.error_interval),
            "undecided": summary.undecided,
            "multiple_of_lower_bound": multiple,
        }
        if label != first and paired.content["runs"] > 1:
            row["difference_from_first"] = list(comparison.difference(label, first))
            row["ratio_to_first"] = list(comparison.ratio(label, first))
            row["typical_ratio_to_first"] = list(comparison.typical_ratio(label, first))
        algorithms.append(row)
    return {
        "problem": comparison.problem,
        "delta": comparison.delta,
        "lower_bound": comparison.lower_bound,
        "algorithms": algorithms,
    }
