"""The tables of a report as rows of text, whatever they are printed on."""

from typing import NamedTuple

from toptwo.experiments.experiment import LIMIT
from toptwo.experiments.paper.cpu_time import PAPER
from toptwo.report.result_tables import numbers, rows_of_point
from toptwo.sweeps.tables import Table, TablePoint

FEW = 3
"""Points whose tables are shown one by one."""


class TitledTable(NamedTuple):
    """A table with a title; the first column names, the others hold numbers."""

    title: str
    head: tuple[str, ...]
    rows: list[list[str]]


def tables(table: Table) -> list[TitledTable]:
    """Return the table of each point."""
    return [_times(point) if "seconds" in point.rows[0] else _numbers(point) for point in table.points]


def sweep(table: Table) -> TitledTable:
    """Return mean samples ± standard error of each algorithm at each point."""
    names = list(dict.fromkeys(row["algorithm"] for point in table.points for row in point.rows))
    rows = []
    for name in names:
        cells = [name]
        for point in table.points:
            results = {result.name: result for result in rows_of_point(point)}
            cells.append(numbers(results[name])[1] if name in results else "–")
        rows.append(cells)
    bounds = ["lower bound", *(f"{point.facts['lower_bound']:,.0f}" for point in table.points)]
    return TitledTable("Mean samples ± error", ("algorithm", *(point.label for point in table.points)), [*rows, bounds])


def _numbers(point: TablePoint) -> TitledTable:
    """Return samples, errors and paired differences against TTUCB, or against the first if it did not run."""
    reference = "TTUCB" if point.has("TTUCB") else point.rows[0]["algorithm"]
    rows = []
    for result in rows_of_point(point):
        paired = "–"
        if result.name != reference:
            difference = point.difference(result.name, reference)
            paired = f"{difference.value:+,.0f} [{difference.low:+,.0f}, {difference.high:+,.0f}]"
        quantiles = point.row(result.name)["quantiles"]
        rows.append([*numbers(result), f"{quantiles[0]:,.0f} to {quantiles[-1]:,.0f}", paired])
    head = ("algorithm", "mean ± error", "median", "99 %", "% wrong [95 %]", "× bound", "5 % to 95 %",
            f"minus {reference}, same rewards [95 %]")  # fmt: skip
    return TitledTable(_about(point), head, rows)


def _about(point: TablePoint) -> str:
    facts = point.facts
    text = (
        f"{point.label}, {point.content['runs']:,} runs: K = {facts['arms']:g}, H = {facts['hardness']:,.0f}, "
        f"T* = {facts['time']:,.0f}, T*_½/T* = {facts['time_ratio']:.3f}, lower bound {facts['lower_bound']:,.0f}"
    )
    given_up = sum(row["undecided"] for row in point.rows)
    return text + (f"; {given_up} runs (≥) were given up at {LIMIT:,} samples" if given_up else "")


def _times(point: TablePoint) -> TitledTable:
    """Return processor times beside the paper's."""
    rows = []
    for row in point.rows:
        ours = row["seconds"]
        theirs = PAPER.get(row["algorithm"]) if point.facts["arms"] == 10 else None
        cells = [
            row["algorithm"],
            f"{1000 * ours['mean']:.3g} ± {1000 * ours['deviation']:.2g}",
            f"{1000 * theirs[0]:,.0f} ± {1000 * theirs[1]:,.0f}" if theirs else "–",
            f"{theirs[0] / ours['mean']:,.0f}" if theirs else "–",
            f"{1e9 * row['seconds_per_sample']:,.0f}",
        ]
        rows.append(cells)
    head = ("algorithm", "ms a run, mean ± deviation", "the paper's", "times faster", "ns a sample")
    return TitledTable(f"{point.label}, {point.content['runs']:,} runs (measured)", head, rows)
