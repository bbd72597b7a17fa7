"""Who is in the next block: the leader and the challengers least settled against it, by what they cost.

Whatever is chosen here, guarantees hold: they are for any choice made before the block is measured (docs/blocks.md,
section 2).
"""

from collections.abc import Sequence
from typing import NamedTuple

from toptwo.blocks.evidence import PairwiseEvidence
from toptwo.hashing import fork

LARGEST = 12
"""Arms in a block, unless told otherwise: more save little, and the first and the last are ever farther apart."""


class Standings(NamedTuple):
    """What the choice may look at."""

    evidence: PairwiseEvidence
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


def shuffled(row: Sequence[int], seed: int, number: int) -> list[int]:
    """Return arms (or anything numbered) in random order: a function of seed and number, whoever else is there.

    Examples
    --------
    >>> sorted(shuffled([3, 5, 8], 1, 0)), shuffled([3, 5, 8], 1, 0) == shuffled([3, 5, 8], 1, 0)
    ([3, 5, 8], True)
    """
    stream = fork(fork(seed, BLOCKS), number)
    return sorted(row, key=lambda each: fork(stream, each))


def shuffled_in_couples(row: Sequence[int], seed: int, lot: int) -> list[int]:
    """Return the arms of a block in random order, which every second lot turns round.

    So whoever comes before another in one block of a couple comes after it in the other one, and what early or late
    places bring is no lead of either (docs/blocks.md, section 1).

    Examples
    --------
    >>> shuffled_in_couples([3, 5, 8], 1, 7) == shuffled_in_couples([3, 5, 8], 1, 6)[::-1]
    True
    """
    couple, turned = divmod(lot, 2)
    order = shuffled(row, seed, couple)
    return order[::-1] if turned else order


BLOCKS = 0x626C6F636B73
"""Label of the stream that orders blocks."""
