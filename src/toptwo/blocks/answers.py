"""What the evidence allows to be said, at any level: who may still be the best, a winner, a tie (docs/blocks.md)."""

import math
from collections.abc import Iterator
from typing import NamedTuple

from toptwo.blocks.evidence import PairwiseEvidence


class Answer(NamedTuple):
    """A winner or a tie, and the highest level (−ln δ) at which the evidence allows it."""

    tied: tuple[int, ...]
    """Arms that are the best or within the margin of it: one, if there is a winner."""
    level: float


def contenders(evidence: PairwiseEvidence, level: float) -> list[int]:
    """Return the arms that may still be the best.

    If the evidence rules out every arm, it contradicts what is assumed, or is one of the errors that δ allows: the arm
    with the least evidence against it stays.
    """
    found = [arm for arm, against in enumerate(evidence.ruled_out) if against < level]
    least = min(range(len(evidence.ruled_out)), key=evidence.ruled_out.__getitem__)
    return found or [least]


def answers(evidence: PairwiseEvidence) -> Iterator[Answer]:
    """Yield the answers there are: a winner, then ties of more and more arms, at the levels that allow them.

    At a level, the contenders are the arms with less evidence against them; one of them alone wins, and several are
    tied if each is within the margin of each other at that level.
    """
    order = sorted(range(len(evidence.ruled_out)), key=lambda arm: (evidence.ruled_out[arm], arm))
    within = math.inf
    for k, arm in enumerate(order):
        for other in order[:k]:
            within = min(within, evidence.within(arm, other), evidence.within(other, arm))
        outside = evidence.ruled_out[order[k + 1]] if k + 1 < len(order) else math.inf
        yield Answer(tuple(sorted(order[: k + 1])), min(within, outside))
        if within <= 0.0 or not evidence.comparison.margin:
            return


def answer_at(evidence: PairwiseEvidence, level: float) -> Answer | None:
    """Return what can be said of the contenders of a level, if that is an answer; its own level may be higher."""
    return next((answer for answer in answers(evidence) if answer.level >= level), None)


def level_of(evidence: PairwiseEvidence, arm: int) -> float:
    """Return the highest level at which there is an answer that names an arm, alone or among others; 0 if none does."""
    return max((answer.level for answer in answers(evidence) if arm in answer.tied), default=0.0)
