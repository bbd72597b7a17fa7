"""Who is in the next block: the leader and the challengers least settled against it, by what they cost.

Whatever is chosen here, guarantees hold: they are for any choice made before the block is measured (docs/blocks.md,
section 2).
"""

from collections.abc import Sequence
from typing import NamedTuple

from toptwo.blocks.evidence import Evidence
from toptwo.hashing import fork, mix

LARGEST = 6
"""Arms in a block, unless told otherwise."""


class Standings(NamedTuple):
    """What the choice may look at."""

    evidence: Evidence
    places: Sequence[float]
    contenders: Sequence[int]
    counts: Sequence[int]
    """Measurements of each arm."""
    planned: Sequence[int]
    """Blocks under way that hold each arm."""
    costs: Sequence[float]
    """Mean cost of a measurement of each arm; 1 where none was told."""


def next_row(now: Standings, largest: int) -> list[int]:
    """Return the arms of the next block, in index order."""
    if len(now.contenders) <= largest:
        return sorted(now.contenders)
    first = leader(now)
    others = [arm for arm in now.contenders if arm != first]
    others.sort(key=lambda arm: urgency(first, arm, now))
    return sorted([first, *others[: largest - 1]])


def leader(now: Standings) -> int:
    """Return the contender that is ahead by all blocks, among those measured, or the first if there is none.

    There is no bonus for arms that are less well known: a wrong leader cannot last, since its challengers are ruled out
    one by one until the better arm is among those least settled against it.
    """
    return max(
        (arm for arm in now.contenders if now.counts[arm]), key=now.places.__getitem__, default=now.contenders[0]
    )


def urgency(first: int, arm: int, now: Standings) -> tuple[float, float, float]:
    """Return a key by which challengers are sorted, the least first: unseen arms, then little evidence at low cost."""
    if not now.counts[arm]:
        return (now.planned[arm], -1.0, 0.0)
    settled = now.evidence.beaten(first, arm)
    met = now.evidence.count(first, arm)
    return (now.planned[arm], (1.0 + settled) * now.costs[arm], met)


def shuffled(row: Sequence[int], seed: int, block: int) -> list[int]:
    """Return the arms of a block in random order: a function of seed and block alone.

    Examples
    --------
    >>> sorted(shuffled([3, 5, 8], 1, 0)), shuffled([3, 5, 8], 1, 0) == shuffled([3, 5, 8], 1, 0)
    ([3, 5, 8], True)
    """
    order, word = list(row), fork(fork(seed, BLOCKS), block)
    for last in range(len(order) - 1, 0, -1):
        word = mix(word + last)
        other = word % (last + 1)
        order[last], order[other] = order[other], order[last]
    return order


BLOCKS = 0x626C6F636B73
"""Label of the stream that orders blocks."""
