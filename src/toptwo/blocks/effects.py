"""How far the arms are ahead by all blocks together: what guides the choice of blocks, and nothing else.

Least squares over the mean differences of all pairs that met, each weighted by its number of blocks: an arm that never
met the leader is placed through arms that did. A few Gauss–Seidel sweeps from the last solution are enough.
"""

from toptwo.blocks.evidence import PairwiseEvidence

SWEEPS = 3


class Effects:
    """Places of the arms on one line."""

    def __init__(self, arms: int) -> None:
        self.places = [0.0] * arms

    def add_arm(self) -> None:
        """Make room for one more arm."""
        self.places.append(0.0)

    def update(self, row: list[int], evidence: PairwiseEvidence) -> None:
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
