"""Stopping: when the recommended arm may be returned (paper, eq. 4)."""

import math
from typing import Any, NamedTuple, Protocol

from toptwo.optional import optional
from toptwo.rules.round import Round
from toptwo.rules.schedules import Schedule


class Stopping(Protocol):
    """Decides whether a round is the last one."""

    def stops(self, now: Round) -> bool:
        """Return whether î may be returned."""
        ...


@optional
def is_dear(stopping: Any, now: Round) -> bool:
    """Return whether `stops` takes much longer in this round than in most."""
    return False


@optional
def evidence_now(stopping: Any, now: Round) -> float:
    """Return what a rule compares with its `level`, which alone depends on δ; NaN if it has no such number."""
    return math.nan


@optional
def certified(stopping: Any) -> bool | None:
    """Return whether an algorithm's own rule is proven; None for rules of a threshold, which says so itself."""
    return None


@optional
def least_wealth(stopping: Any, arm: int, wanted: float, now: Round) -> Any:
    """Return bounds (`Least`, rules/looks.py) of the least ln wealth against an arm; None if a rule does not bet."""
    return None


@optional
def pulls_left(stopping: Any, now: Round) -> float:
    """Return how many more pulls a rule expects to want, at the present means; NaN if it has no forecast of its own."""
    return math.nan


class LikelihoodRatio(NamedTuple):
    """GLR: the least transportation cost from î reaches a threshold c(n−1, δ) (paper, eq. 4)."""

    level: Schedule

    def stops(self, now: Round) -> bool:
        """Return whether the likelihood ratio against the closest rival suffices."""
        return now.cost >= self.level.at(now.number - 1)


class MixtureEvidence(NamedTuple):
    """The mixture evidence against every rival reaches ln((K−1)/δ) (docs/mixture.md, theorem 1)."""

    level: float

    def stops(self, now: Round) -> bool:
        """Return whether the evidence suffices; the likelihood ratio bounds it, and the rival is asked first."""
        if not (now.cost >= self.level and evidence_against(now.rival, now) >= self.level):
            return False
        for i in range(len(now.state.means)):
            if i != now.best and i != now.rival and not evidence_against(i, now) >= self.level:
                return False
        return True

    def evidence_now(self, now: Round) -> float:
        """Return the least evidence, or the likelihood ratio if rounding left that below: the rule wants both."""
        return min(now.cost, least_evidence(now))


def evidence_against(rival: int, now: Round) -> float:
    """Return the mixture evidence for î against a rival."""
    return now.family.evidence(now.best, rival, now.epsilon, now.state)


def least_evidence(now: Round) -> float:
    """Return the mixture evidence for î against the rival with the least of it."""
    least = evidence_against(now.rival, now)
    for i in range(len(now.state.means)):
        if i != now.best:
            least = min(least, evidence_against(i, now))
    return least
