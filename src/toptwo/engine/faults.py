"""Runs that a user's rule broke off, played again by the interpreter, which sees who did what, and in which line.

Compiled code only knows that an index was out of range, or that something was no arm. The same run interpreted draws
the same rewards and comes to the same place; long ones are brought near it by compiled code, so that nobody waits.
"""

from typing import Any

from numpy.typing import NDArray

from toptwo.engine.python import PythonEngine
from toptwo.engine.question import NOT_A_SHARE, not_an_arm
from toptwo.engine.rounds import Setup, in_bulk
from toptwo.engine.runs import BAD_SHARE, SLICE, UNFINISHED, Output, Share, Workspace, advance, begin, output_for
from toptwo.engine.runs import NOT_AN_ARM as NO_ARM
from toptwo.engine.watching import blaming, is_foreign
from toptwo.errors import InputError
from toptwo.records import components

SHORT = 5 * SLICE
"""Samples that the interpreter plays in a second or so."""

WORD = (1 << 64) - 1


def refuse_bad_rules(setup: Setup, means: NDArray[Any], share: Share, output: Output) -> None:
    """Raise InputError if a run ended because a rule returned what it may not."""
    rows = (output.status <= NO_ARM).nonzero()[0]
    if len(rows):
        row = int(rows[0])
        samples = int(output.samples[row])
        generic = NOT_A_SHARE if output.status[row] == BAD_SHARE else not_an_arm(means.shape[1])
        before = 0 if in_bulk(setup) else samples - SLICE
        raise explained(setup, means, share, share.base + row, before, samples, generic)


def explained(
    setup: Setup, means: NDArray[Any], share: Share, run: int, before: int, samples: int, generic: str
) -> InputError:
    """Return what a user's rule did wrong in a run, about when it had so many samples; else the general sentence.

    `before` is a number of samples after which the run had a round, with nothing wrong until then.
    """
    rules = sorted({type(rule).__qualname__ for rule in components(setup) if is_foreign(type(rule))})
    if not rules:
        return InputError(generic)
    try:
        _replay(setup, means, share._replace(first=run, last=run + 1, base=run), before, samples)
    except InputError as found:
        return found
    return InputError(f"{generic} Rules of your own: {', '.join(rules)}.")


def _replay(setup: Setup, means: NDArray[Any], share: Share, before: int, samples: int) -> None:
    """Play a run by the interpreter until a rule is refused."""
    engine, arms = PythonEngine(setup), means.shape[1]
    instance, trace = means[share.first % len(means)].tolist(), output_for(1, arms).trace
    work = engine.workspace(arms)
    with blaming():
        if before > SHORT:
            _bring_near(setup._replace(max_samples=before), means, share, work)
        else:
            begin(share.first, instance, engine.setup, share, work)
        status = UNFINISHED
        while status == UNFINISHED and work.progress.samples[0] <= samples + SLICE:
            status = advance(0, instance, SLICE, False, engine.setup, work, trace)


def _bring_near(setup: Setup, means: NDArray[Any], share: Share, work: Workspace) -> None:
    """Play a run to its last sample by compiled code, and hand its workspace over to the interpreter."""
    from toptwo.engine.cpu import CompiledEngine

    engine = CompiledEngine(setup)
    there = engine.workspace(means.shape[1])
    engine.play_runs(means, share, there, output_for(1, means.shape[1]))
    numbers = iter(there.lines[0].tolist())
    for line in work.lines:
        for place in range(len(line)):
            line[place] = next(numbers)
    for mine, theirs in ((work.rewards, there.rewards), (work.random.position, there.random.position)):
        mine[:] = [int(word) & WORD for word in theirs]
    for mine, theirs in zip(work.progress, there.progress, strict=True):
        mine[:] = [int(number) for number in theirs]
