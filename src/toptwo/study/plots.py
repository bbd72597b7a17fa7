"""Figures of a study; each is made of a table that can be had by itself."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from toptwo.errors import StudyError
from toptwo.study.damage import damaged
from toptwo.study.fold import Fold
from toptwo.study.history import PullRecord
from toptwo.study.question import StudyQuestion
from toptwo.study.storages.base import Entry
from toptwo.study.verdict import Verdict
from toptwo.words import one_line

POINTS = 80
"""Of a curve over pulls."""

SHOWN = 20
"""Arms with a curve or a row of their own, the most pulled ones."""

LEADER, OTHERS = "#1b7837", "#555555"


class ConfidenceOverTime(NamedTuple):
    """How sure a study was along the way."""

    pulls: list[int]
    confidence: list[float]
    leader: list[str]


def confidence_over_time(entries: Sequence[Entry], question: StudyQuestion) -> ConfidenceOverTime:
    """Return the certified confidence at some numbers of measurements: the journal folded anew."""
    fold, over_time = Fold(question), ConfidenceOverTime([], [], [])
    step, due = max(1, len(entries) // POINTS), 0
    for number, entry in enumerate(entries):
        try:
            fold.apply(entry.operation)
        except (ValueError, KeyError, TypeError, IndexError, AttributeError) as problem:
            raise damaged(number, entry.operation, problem) from problem
        if number >= due or number == len(entries) - 1:
            found = fold.design.findings()
            if found.arm >= 0 and (not over_time.pulls or found.pulls > over_time.pulls[-1]):
                over_time.pulls.append(found.pulls)
                over_time.confidence.append(found.confidence)
                over_time.leader.append(one_line(fold.arms[found.arm]))
            due = number + step
    return over_time


def shares_of(records: Sequence[PullRecord]) -> tuple[list[int], dict[str, list[float]]]:
    """Return numbers of pulls asked, and the share of each arm by then."""
    counts: dict[str, int] = {}
    for record in records:
        counts[one_line(record.arm)] = counts.get(one_line(record.arm), 0) + 1
    shown = sorted(counts, key=lambda arm: -counts[arm])[:SHOWN]
    places = sorted({max(1, round(len(records) * k / POINTS)) for k in range(1, POINTS + 1)})
    shares: dict[str, list[float]] = {arm: [] for arm in shown}
    seen, position = dict.fromkeys(counts, 0), 0
    for place in places:
        for record in records[position:place]:
            seen[one_line(record.arm)] += 1
        position = place
        for arm in shown:
            shares[arm].append(seen[arm] / place)
    return places, shares


def plot_arms(verdict: Verdict) -> Any:
    """Return a figure of the means, best first, with their intervals; in rows, of how far arms are behind."""
    reports = [report for report in verdict.ranked() if report.pulls][:SHOWN]
    if not reports:
        raise StudyError("there is nothing to show yet: tell a value first.")
    in_rows = any(report.gap for report in reports) and not any(report.interval for report in reports)
    figure, axes = _figure(height=1.2 + 0.36 * len(reports))
    for row, report in enumerate(reports):
        colour = LEADER if report.arm == verdict.arm else OTHERS
        interval = report.gap if in_rows else report.interval
        if interval is not None and math.isfinite(interval.low) and math.isfinite(interval.high):
            axes.plot([interval.low, interval.high], [row, row], color=colour, linewidth=2.0, alpha=0.55)
        if not in_rows or report.gap is None:
            axes.plot([0.0 if in_rows else report.mean], [row], "o", color=colour)
    axes.set_yticks(range(len(reports)), [f"{one_line(report.arm)} ({report.pulls:,})" for report in reports])
    axes.set_ylim(len(reports) - 0.5, -0.5)
    axes.set_xlabel("behind the leader by (pulls in brackets)" if in_rows else "mean (pulls in brackets)")
    axes.set_title(str(verdict).splitlines()[0], fontsize=9, loc="left", wrap=True)
    return figure


def plot_allocation(records: Sequence[PullRecord]) -> Any:
    """Return a figure of the share of pulls that each arm had, as the study went on."""
    if not records:
        raise StudyError("there is nothing to show yet: ask for a pull first.")
    places, shares = shares_of(records)
    figure, axes = _figure()
    for arm, values in shares.items():
        axes.plot(places, values, label=arm, linewidth=1.4)
    axes.set_xlabel("pulls asked for")
    axes.set_ylabel("share")
    axes.set_ylim(0.0, None)
    axes.legend(fontsize=7, frameon=False, ncols=2)
    return figure


def plot_confidence(over_time: ConfidenceOverTime, delta: float) -> Any:
    """Return a figure of the confidence as measurements came in, on a scale that shows how close it is to 1."""
    if not over_time.pulls:
        raise StudyError("there is nothing to show yet: each arm needs a value.")
    figure, axes = _figure()
    risk = [max(1.0 - sure, 1e-12) for sure in over_time.confidence]
    axes.plot(over_time.pulls, risk, color=LEADER, linewidth=1.5)
    axes.axhline(delta, color=OTHERS, linewidth=0.8, linestyle="--")
    axes.text(over_time.pulls[0], delta, f" δ = {delta:g}", va="bottom", fontsize=8, color=OTHERS)
    axes.set_yscale("log")
    axes.set_xlabel("measurements")
    axes.set_ylabel("1 − confidence in the leader")
    axes.set_title(f"leader: {over_time.leader[-1]}", fontsize=9, loc="left")
    return figure


def _figure(height: float = 3.2) -> tuple[Any, Any]:
    """Return a figure of its own, which no global state knows of."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, height), layout="constrained")
    axes = figure.subplots()
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes
