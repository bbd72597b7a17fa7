"""How much is still to go, if all averages stay as they are: an estimate, and no part of any guarantee."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from toptwo.blocks.budget import log_part
from toptwo.blocks.evidence import PairwiseEvidence

FARTHEST = 2.0**40
"""Beyond this multiple of the present blocks, the forecast is infinite."""

PRECISION = 1e-3


class EffortLeft(NamedTuple):
    """Blocks, measurements and costs still to go; infinite while two arms look equal."""

    blocks: float
    measurements: float
    cost: float


NOTHING_LEFT = EffortLeft(0.0, 0.0, 0.0)


def forecast(
    evidence: PairwiseEvidence, arm: int, contenders: Sequence[int], costs: Sequence[float], level: float, largest: int
) -> EffortLeft:
    """Return what it takes to settle an arm against all other contenders."""
    others = [other for other in contenders if other != arm]
    needed = [blocks_left(evidence, arm, other, level) for other in others]
    if not needed:
        return NOTHING_LEFT
    if math.inf in needed:
        return EffortLeft(math.inf, math.inf, math.inf)
    blocks = max(max(needed), math.ceil(sum(needed) / (largest - 1)))
    cost = blocks * costs[arm] + sum(left * costs[other] for left, other in zip(needed, others, strict=True))
    return EffortLeft(blocks, blocks + sum(needed), cost)


def blocks_left(evidence: PairwiseEvidence, arm: int, other: int, level: float) -> float:
    """Return in how many more blocks of both the other arm is ruled out, or both are shown to be close."""
    pair = evidence.pairs.get((min(arm, other), max(arm, other)))
    if pair is None or pair.count < 2:
        return math.inf
    forward = arm < other
    mine = level - log_part(evidence.start, arm, other)
    its = level - log_part(evidence.start, other, arm)

    def settled(factor: float) -> bool:
        if pair.forecast(forward, False, factor) >= mine:
            return True
        return (
            evidence.comparison.margin > 0.0
            and pair.forecast(forward, True, factor) >= mine
            and pair.forecast(not forward, True, factor) >= its
        )

    low, high = 1.0, 2.0
    while not settled(high):
        low, high = high, 2.0 * high
        if high > FARTHEST:
            return math.inf
    while high - low > PRECISION * low and (high - low) * pair.count > 0.5:
        middle = 0.5 * (low + high)
        low, high = (low, middle) if settled(middle) else (middle, high)
    return math.ceil((high - 1.0) * pair.count)
