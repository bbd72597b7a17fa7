"""The steps of a study, interpreted; engine/cpu_steps.py has the same ones compiled.

A study takes them one at a time, and gets its rewards from outside.
"""

from typing import Any, cast

from toptwo.algorithms.base import Algorithm
from toptwo.algorithms.top_two import TopTwo
from toptwo.engine import rounds
from toptwo.engine.rounds import Decision, Knowledge, Setup, Standing
from toptwo.memory import NOTHING
from toptwo.records import components
from toptwo.streams import Random


def anybody_learns(*rules: Any) -> bool:
    """Return whether a rule, or a part of one, takes rewards in; `TopTwo` itself only hands them on.

    Examples
    --------
    >>> from toptwo.algorithms import resolve
    >>> anybody_learns(resolve("TTUCB")), anybody_learns(resolve("TT-LE"))
    (False, True)
    """
    methods = (getattr(type(part), "learn", TopTwo.learn) for part in components(*rules))
    return any(method is not TopTwo.learn for method in methods)


class Steps:
    """What a study does with a reward, and how it asks for the next pull."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self._taught = anybody_learns(setup.algorithm, setup.stopping)
        # What learns nothing need not be handed rewards: compiled that costs nothing, here as much as a look.
        learns, nobody = anybody_learns(setup.algorithm), cast(Algorithm, NOTHING)
        self._taking_in = setup if learns else setup._replace(algorithm=nobody)

    def absorb(self, decision: Decision, reward: float, known: Knowledge) -> None:
        """Take a reward in."""
        if self._taught:
            rounds.absorb(decision, reward, self._taking_in, known)
        else:
            self.setup.family.observe(decision.arm, reward, known.state)

    def settle(self, decision: Decision, reward: float, last: Standing, known: Knowledge, random: Random) -> Standing:
        """Take a reward in and look."""
        if self._taught:
            return rounds.settle(decision, reward, last, self._taking_in, known, random)
        before = known.state.means[decision.arm]
        self.absorb(decision, reward, known)
        return rounds.stand_after(decision.arm, before, last, self.setup, known, random)

    def decide(self, standing: Standing, known: Knowledge, random: Random) -> Decision:
        """Return what to pull next."""
        return rounds.decide_from(standing, self.setup, known, random)
