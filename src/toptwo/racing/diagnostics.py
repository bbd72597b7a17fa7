"""What is odd about the measurements: said, never repaired. Nothing here changes a value or a verdict."""

from collections.abc import Sequence

from toptwo.racing.outcome import Run
from toptwo.racing.result import RaceResult
from toptwo.racing.summary import autocorrelation, rank_trend, robust_scores
from toptwo.racing.units import amount
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


def diagnose(result: RaceResult) -> list[str]:
    """Return what is odd, a sentence each."""
    sentences = []
    for arm, command in enumerate(result.commands):
        runs = result.runs_of(arm)
        if runs:
            for look in (timeouts, constant, outliers, waiting, short):
                sentence = look(result, runs)
                if sentence:
                    sentences.append(f"{command.name} {sentence}")
    return [*sentences, *drift(result), *alike_blocks(result)]


def timeouts(result: RaceResult, runs: Sequence[Run]) -> str:
    """Say how often a command was cut short."""
    cut = sum(run.outcome.timed_out for run in runs)
    if not cut:
        return ""
    return f"was cut short in {cut} of {counted(len(runs), 'run')}; each of them counts as {_counts_as(result, runs)}."


def _counts_as(result: RaceResult, runs: Sequence[Run]) -> str:
    if result.question.compare == "wins":
        return "a defeat"
    value = max(run.value for run in runs if run.outcome.timed_out)
    return f"{amount(value, result.question.metric.unit)}, so the claim is about times capped there"


def constant(result: RaceResult, runs: Sequence[Run]) -> str:
    """Say that a command always gave the same value."""
    if len(runs) < 3 or len({run.value for run in runs}) > 1:
        return ""
    return f"gave the same value in all of its {len(runs)} runs."


def outliers(result: RaceResult, runs: Sequence[Run]) -> str:
    """Say how many runs lie far out."""
    values = [run.value for run in runs if not run.outcome.timed_out]
    far = [
        value for value, score in zip(values, robust_scores(values) if values else [], strict=True) if abs(score) > FAR
    ]
    if len(values) < FEW or not far:
        return ""
    worst = max(far, key=lambda value: abs(value))
    shown = amount(worst, result.question.metric.unit)
    return f"has {counted(len(far), 'run')} far from the others (up to {shown}); they count: is the machine busy?"


def waiting(result: RaceResult, runs: Sequence[Run]) -> str:
    """Say that a command mostly waits."""
    if result.question.metric.name != "time_wall_clock":
        return ""
    wall = sum(run.outcome.wall for run in runs)
    busy = sum(run.outcome.user + run.outcome.system for run in runs)
    if wall < 5.0 * SHORT * len(runs) or wall <= 2.0 * busy:
        return ""
    return f"waits for {100.0 * (1.0 - busy / wall):.0f} % of its time (wall time far above CPU time)."


def short(result: RaceResult, runs: Sequence[Run]) -> str:
    """Say that starting a program is most of what was measured."""
    if result.question.metric.name != "time_wall_clock" or result.commands[runs[0].arm].call is not None:
        return ""
    mean = sum(run.outcome.wall for run in runs) / len(runs)
    return f"takes {amount(mean, 'second')}, most of it for starting the program." if mean < SHORT else ""


def drift(result: RaceResult) -> list[str]:
    """Say that the machine changed while the race went on."""
    found = []
    for arm, command in enumerate(result.commands):
        values = [run.value for run in result.runs_of(arm)][-LOOKED_AT:]
        trend = rank_trend(values) if len(values) >= FEW else 0.0
        if abs(trend) > ALARM:
            found.append((command.name, "rose" if trend > 0 else "fell"))
    if not found:
        return []
    names = ", ".join(f"{name} {how}" for name, how in found)
    return [f"The values drifted while the race went on ({names}); what commands share cancels inside a block."]


def alike_blocks(result: RaceResult) -> list[str]:
    """Say that differences between the best two resemble those of the block before, which the confidence excludes."""
    ranked = [arm for arm in result.ranked() if result.runs_of(arm)]
    if len(ranked) < 2:
        return []
    one, other = ({run.block: run.value for run in result.runs_of(arm)} for arm in ranked[:2])
    differences = [one[block] - other[block] for block in one if block in other]
    if len(differences) < FEW:
        return []
    correlation = autocorrelation(differences)
    if correlation * len(differences) ** 0.5 <= ALARM:
        return []
    names = " and ".join(result.commands[arm].name for arm in ranked[:2])
    return [
        f"The differences between {names} resemble those of the block before (correlation {correlation:.2f}): "
        "the confidence assumes that they do not, so take it with care."
    ]
