"""What is odd about the measurements: said, never repaired. Nothing here changes a value or a verdict."""

import math
from collections.abc import Callable, Sequence

from toptwo.blocks.comparisons import BlockComparison, make_comparison
from toptwo.errors import InputError
from toptwo.racing.floor import is_floored
from toptwo.racing.outcome import Run
from toptwo.racing.result import RaceResult
from toptwo.racing.summary import rank_trend, robust_scores
from toptwo.racing.units import amount
from toptwo.study.diagnostics.rows import RowDiagnostics
from toptwo.words import counted

FAR = 14.826
"""Robust scores beyond which hyperfine, too, calls a run an outlier: about ten deviations of Gaussian noise."""

ALARM = 5.0
"""Deviations at which a trend or a correlation is told: Gaussian noise gets there once in two million looks."""

FEW = 12
"""Runs below which nothing is said of order and outliers."""

LOOKED_AT = 400
"""Runs at most in which a trend is looked for: looking takes the square of their number."""

SHORT = 0.001
"""Seconds below which starting a program is most of its time."""

Look = Callable[[RaceResult, Sequence[Run]], str]


def diagnose(result: RaceResult) -> list[str]:
    """Return what is odd, a sentence each."""
    sentences = []
    for words, look in LOOKS.items():
        found = [(arm, detail) for arm in range(len(result.commands)) if (detail := _look(look, result, arm))]
        if found:
            names = ", ".join(f"{result.commands[arm].name} ({detail})" for arm, detail in found)
            sentences.append(words.format(names=names))
    return [*sentences, *drift(result), *alike_blocks(result)]


def _look(look: Look, result: RaceResult, arm: int) -> str:
    runs = result.runs_of(arm)
    return look(result, runs) if runs else ""


def capped(result: RaceResult, runs: Sequence[Run]) -> str:
    """Return how often a command was cut short where that counts as the limit."""
    cut = [run.value for run in runs if run.outcome.timed_out]
    if not cut or result.question.compare == "wins":
        return ""
    return f"{len(cut)} of {counted(len(runs), 'run')} at {amount(max(cut), result.question.metric.unit)}"


def defeated(result: RaceResult, runs: Sequence[Run]) -> str:
    """Return how often a command was cut short where that counts as a defeat."""
    cut = sum(run.outcome.timed_out for run in runs)
    return f"{cut} of {counted(len(runs), 'run')}" if cut and result.question.compare == "wins" else ""


def constant(result: RaceResult, runs: Sequence[Run]) -> str:
    """Return the value that a command always gave."""
    if len(runs) < 3 or len({run.value for run in runs}) > 1:
        return ""
    return amount(runs[0].value, result.question.metric.unit) if math.isfinite(runs[0].value) else ""


def outliers(result: RaceResult, runs: Sequence[Run]) -> str:
    """Return how many runs lie far out."""
    values = [run.value for run in runs if not run.outcome.timed_out]
    if len(values) < FEW:
        return ""
    far = [value for value, score in zip(values, robust_scores(values), strict=True) if abs(score) > FAR]
    return f"{len(far)} of {len(values)}, up to {amount(max(far), result.question.metric.unit)}" if far else ""


def waiting(result: RaceResult, runs: Sequence[Run]) -> str:
    """Return for which part of its time a command waits, if it is the greater one."""
    runs = [run for run in runs if not math.isnan(run.outcome.user)]
    wall = sum(run.outcome.wall for run in runs)
    busy = sum(run.outcome.user + run.outcome.system for run in runs)
    if result.question.metric.name != "time_wall_clock" or wall < 5.0 * SHORT * len(runs) or wall <= 2.0 * busy:
        return ""
    return f"{100.0 * (1.0 - busy / wall):.0f} %"


def short(result: RaceResult, runs: Sequence[Run]) -> str:
    """Return the time of a program if starting it is most of that."""
    if result.question.metric.name != "time_wall_clock" or result.commands[runs[0].arm].call is not None:
        return ""
    mean = sum(run.outcome.wall for run in runs) / len(runs)
    return amount(mean, "second") if mean < SHORT else ""


def floored(result: RaceResult, runs: Sequence[Run]) -> str:
    """Return how often a command took no time that the clock can tell, where that is a ratio."""
    low = sum(is_floored(run.value, result.question, run.outcome) for run in runs)
    return f"{low} of {counted(len(runs), 'run')}" if low else ""


LOOKS: dict[str, Look] = {
    "No time that the clock can tell from none: {names}. Such values allow no ratio and no tie: "
    "--compare mean or wins needs none.": floored,
    "Cut short: {names}. Such a run counts as the limit, so the claim is about times capped there.": capped,
    "Cut short: {names}. Such a run counts as lost.": defeated,
    "The same value in every run: {names}.": constant,
    "Runs far from the others: {names}. They count; is the machine busy?": outliers,
    "Mostly waiting (for a clock, a disk, a busy processor), wall time far above CPU time: {names}.": waiting,
    "Starting the program is most of its time: {names}.": short,
}
"""Sentences, and what finds the commands that they are about."""


def drift(result: RaceResult) -> list[str]:
    """Say that the machine changed while the race went on."""
    found = []
    for arm, command in enumerate(result.commands):
        values = [run.value for run in result.runs_of(arm) if math.isfinite(run.value)][-LOOKED_AT:]
        trend = rank_trend(values) if len(values) >= FEW else 0.0
        if abs(trend) > ALARM:
            found.append((command.name, "rose" if trend > 0 else "fell"))
    if not found:
        return []
    names = ", ".join(f"{name} {how}" for name, how in found)
    return [f"The values drifted while the race went on ({names}); what commands share cancels inside a block."]


def alike_blocks(result: RaceResult) -> list[str]:
    """Say that differences resemble those of the block before, by the test of studies: the confidence excludes it."""
    names = [command.name for command in result.commands]
    direction = "maximize" if result.question.maximize else "minimize"
    comparison = make_comparison(result.question.compare, direction=direction)
    watch = RowDiagnostics(comparison, len(names))
    blocks: dict[int, list[Run]] = {}
    for run in result.runs:
        blocks.setdefault(run.block, []).append(run)
    for _, runs in sorted(blocks.items()):
        watch.see([run.arm for run in runs], [_compared(run, comparison) for run in runs])
    said = watch.read(result.standing.leader)
    return [diagnosis.sentence(names) for diagnosis in said if diagnosis.kind == "autocorrelation"]


def _compared(run: Run, comparison: BlockComparison) -> float | None:
    """Return the value of a run, or nothing if it is the one that cannot be compared and ended the race."""
    try:
        comparison.check(run.value, run.arm)
    except InputError:
        return None
    return run.value
