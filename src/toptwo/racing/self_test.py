"""A command against itself, again and again: whether this machine makes false winners."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from toptwo.racing import api
from toptwo.racing.commands import Command
from toptwo.racing.executors.base import Executor
from toptwo.racing.options import Budget, RaceSettings
from toptwo.racing.result import RaceResult
from toptwo.racing.summary import summarize
from toptwo.racing.units import Margin, amount
from toptwo.words import counted

RACES, RUNS, SECONDS = 40, 25, 60.0
"""Races at most, runs of each side in one of them, and time for all, if nothing else is asked for."""

DOUBT = 1e-3
"""Probability at which so many false winners are no chance any more."""

ENOUGH = 20
"""Races from which on their silence says something: at δ = 5 %, a machine that always errs is found out in three."""


class SelfTest(NamedTuple):
    """What came of it."""

    races: int
    runs: int
    false_winners: int
    exit_status: int
    """0 if nothing speaks against verdicts, 1 if something does, 4 if it is too early to tell, 130 after Ctrl-C."""
    text: str


def self_test(
    command: Command,
    settings: RaceSettings,
    shell: str | None,
    executor: Executor | None = None,
    races: int = RACES,
    tell: Callable[[str], None] = lambda line: None,
) -> SelfTest:
    """Race a command against itself until races or time are used up; `tell` hears how far it is."""
    twins = (command._replace(name="first"), command._replace(name="second"))
    question = replace(settings.question, margin=Margin(0.0, "%" if settings.question.compare == "log" else ""))
    runs = settings.budget.runs or RUNS
    seconds = settings.budget.seconds or SECONDS
    results: list[RaceResult] = []
    used, interrupted = 0.0, False
    while len(results) < races and used < seconds:
        budget = Budget(settings.budget.warmup, runs=runs, seconds=seconds - used, timeout=settings.budget.timeout)
        race = replace(settings, question=question, budget=budget, seed=settings.seed + len(results))
        result = api.run(twins, race, shell, alone=executor is None, executor=executor)
        used += result.seconds
        if result.status == "failed":
            return SelfTest(len(results), 0, 0, 1, f"The test ended early: {result.why}")
        if interrupted := result.why == "interrupted":
            break
        if len(result.runs) >= 2 * runs or not results:
            results.append(result)
            wrong = sum(result.status == "winner" for result in results)
            tell(f"race {len(results)} of at most {races}, {amount(used, 'second')}: {counted(wrong, 'false winner')}")
    return judged(command, results, question.delta, interrupted)


def judged(command: Command, results: Sequence[RaceResult], delta: float, interrupted: bool = False) -> SelfTest:
    """Say whether there are more false winners than chance allows."""
    wrong = sum(result.status == "winner" for result in results)
    chance = at_least(wrong, len(results), delta)
    fine = chance >= DOUBT
    runs = sum(len(result.runs) for result in results)
    lines = [
        f"{counted(len(results), 'race')} of {command.name} against itself, {counted(runs, 'run')}: "
        f"{counted(wrong, 'false winner')}; at most {100.0 * delta:g} % of races may have one."
    ]
    enough = len(results) >= ENOUGH
    if fine and enough:
        lines.append("Nothing speaks against verdicts of this machine.")
    elif fine:
        lines.append(f"Too few races to tell: {ENOUGH} at least, so more --max-time or fewer --runs.")
    else:
        lines.append(
            f"Chance does that with probability {chance:.1g}: something here favours runs by their place or time. "
            "Look for other programs at work, a processor that changes its speed, or runs that affect the next one."
        )
    status = 130 if interrupted else (0 if enough else 4) if fine else 1
    return SelfTest(len(results), runs, wrong, status, "\n".join([*lines, *place_effect(results)]))


def at_least(successes: int, trials: int, share: float) -> float:
    """Return the probability of at least so many successes.

    Examples
    --------
    >>> at_least(0, 20, 0.05), round(at_least(5, 20, 0.05), 5)
    (1.0, 0.00257)
    """
    below = math.fsum(
        math.comb(trials, number) * share**number * (1.0 - share) ** (trials - number) for number in range(successes)
    )
    return 1.0 - below if successes else 1.0


def place_effect(results: Sequence[RaceResult]) -> list[str]:
    """Say whether the first run of a block differs from the second."""
    differences = []
    for result in results:
        firsts, seconds = ({run.block: run.value for run in result.runs if run.place == place} for place in (0, 1))
        differences += [seconds[block] - firsts[block] for block in firsts if block in seconds]
    if len(differences) < 2 or not results:
        return []
    summary = summarize(differences)
    if not summary.stddev or abs(summary.mean) < 5.0 * summary.stddev / math.sqrt(summary.number):
        return []
    unit = results[0].question.metric.unit
    return [
        f"The second run of a block differs from the first by {amount(summary.mean, unit)}: places are drawn at "
        "random, so this costs runs and no errors; --warmup or --prepare may help."
    ]
