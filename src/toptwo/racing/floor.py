"""Times that are no more than none to the clock: of them no ratio follows, and no tie.

Under a ratio such a time is lifted to what the clock can tell. A command that is quicker than its opponent stays so,
but nobody knows how much quicker, and two commands at the floor look alike whatever they are.
"""

from collections.abc import Sequence

from toptwo.racing.options import RaceQuestion
from toptwo.racing.outcome import Outcome, Run
from toptwo.racing.standing import RaceStanding


def is_floored(value: float, question: RaceQuestion, outcome: Outcome) -> bool:
    """Return whether a value stands at the floor of the clock where ratios are compared."""
    seconds = question.ratios and question.metric.unit == "second"
    return seconds and not outcome.timed_out and value <= outcome.resolution


def without_guesses(standing: RaceStanding, question: RaceQuestion, runs: Sequence[Run]) -> RaceStanding:
    """Return a standing without the ratios and ties that rest on values at the floor."""
    low = {run.arm for run in runs if is_floored(run.value, question, run.outcome)}
    if not low or standing.leader < 0:
        return standing
    pairs = tuple(None if arm in low or standing.leader in low else pair for arm, pair in enumerate(standing.pairs))
    if standing.status == "tie" and low & {standing.leader, *standing.contenders}:
        return standing._replace(status="undecided", confidence=0.0, pairs=pairs)
    return standing._replace(pairs=pairs)
