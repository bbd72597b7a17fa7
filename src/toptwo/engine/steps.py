"""The steps of a study, interpreted; engine/cpu_steps.py has the same ones compiled.

A study takes them one at a time, and gets its rewards from outside.
"""

from typing import Any, NamedTuple

from toptwo.algorithms.top_two import TopTwo
from toptwo.engine import rounds
from toptwo.engine.rounds import Decision, Knowledge, Setup, Standing
from toptwo.records import components
from toptwo.streams import Random


class Nobody(NamedTuple):
    """In the place of an algorithm that learns nothing but what the family does: nobody need be told of rewards."""


def learns(algorithm: Any) -> bool:
    """Return whether a part of an algorithm takes rewards in; `TopTwo` itself only hands them on."""
    methods = (getattr(type(part), "learn", TopTwo.learn) for part in components(algorithm))
    return any(method is not TopTwo.learn for method in methods)


class Steps:
    """What a study does with a reward, and how it asks for the next pull."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        nobody: Any = Nobody()
        self._taught = setup if learns(setup.algorithm) else setup._replace(algorithm=nobody)

    def absorb(self, decision: Decision, reward: float, known: Knowledge) -> None:
        """Take a reward in."""
        rounds.absorb(decision, reward, self._taught, known)

    def settle(self, decision: Decision, reward: float, last: Standing, known: Knowledge, random: Random) -> Standing:
        """Take a reward in and look."""
        return rounds.settle(decision, reward, last, self._taught, known, random)

    def decide(self, standing: Standing, known: Knowledge, random: Random) -> Decision:
        """Return what to pull next."""
        return rounds.decide_from(standing, self.setup, known, random)
