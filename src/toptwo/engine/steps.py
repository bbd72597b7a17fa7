"""The steps of a study, interpreted; engine/cpu_steps.py has the same ones compiled.

A study takes them one at a time, and gets its rewards from outside.
"""

from toptwo.engine import rounds
from toptwo.engine.rounds import Decision, Knowledge, Setup, Standing
from toptwo.streams import Random


class Steps:
    """What a study does with a reward, and how it asks for the next pull."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup

    def absorb(self, decision: Decision, reward: float, known: Knowledge) -> None:
        """Take a reward in."""
        rounds.absorb(decision, reward, self.setup, known)

    def settle(self, decision: Decision, reward: float, last: Standing, known: Knowledge, random: Random) -> Standing:
        """Take a reward in and look."""
        return rounds.settle(decision, reward, last, self.setup, known, random)

    def decide(self, standing: Standing, known: Knowledge, random: Random) -> Decision:
        """Return what to pull next."""
        return rounds.decide_from(standing, self.setup, known, random)
