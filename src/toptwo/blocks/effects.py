"""How far the arms are ahead by all blocks together: what guides the choice of blocks, and nothing else.

Least squares over the mean differences of all pairs that met, each weighted by its number of blocks: an arm that never
met the leader is placed through arms that did. A few Gauss–Seidel sweeps from the last solution are enough.
"""

import math

from toptwo.blocks.evidence import Evidence

SWEEPS = 3


class Effects:
    """Places of the arms on one line, and the noise of a measurement around them."""

    def __init__(self, arms: int) -> None:
        self.places = [0.0] * arms

    def add_arm(self) -> None:
        """Make room for one more arm."""
        self.places.append(0.0)

    def update(self, row: list[int], evidence: Evidence) -> None:
        """Move the arms of a block to where their pairs would have them."""
        for _ in range(SWEEPS):
            for arm in row:
                pulled = weight = 0.0
                for other in evidence.partners[arm]:
                    low, high = (arm, other) if arm < other else (other, arm)
                    pair = evidence.pairs[low, high]
                    lead = pair.effect()
                    pulled += pair.count * (self.places[other] + (lead if arm < other else -lead))
                    weight += pair.count
                if weight:
                    self.places[arm] = pulled / weight


def noise(evidence: Evidence, arms: list[int]) -> float:
    """Return the standard deviation of one measurement in a block: that of differences among these arms, over √2."""
    total = weight = 0.0
    for k, first in enumerate(arms):
        for second in arms[k + 1 :]:
            pair = evidence.pairs.get((min(first, second), max(first, second)))
            if pair is not None and pair.count > 1:
                total += (pair.count - 1) * pair.variance()
                weight += pair.count - 1
    return math.sqrt(0.5 * total / weight) if weight else 0.0
