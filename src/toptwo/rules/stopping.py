"""Stopping: when the recommended arm may be returned (paper, eq. 4; SPEC 4.3)."""

from typing import NamedTuple, Protocol

from toptwo.rules.round import Round
from toptwo.rules.schedules import Schedule


class Stopping(Protocol):
    """Decides whether a round is the last one."""

    def stops(self, now: Round) -> bool:
        """Return whether î may be returned."""
        ...


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
        """Return whether the evidence suffices; the likelihood ratio bounds it and is known already."""
        if now.cost < self.level or evidence_against(now.rival, now) < self.level:
            return False
        return least_evidence(now) >= self.level


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
