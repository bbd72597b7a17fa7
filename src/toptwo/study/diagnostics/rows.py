"""Diagnostics of rows: what in the differences inside blocks speaks against the way of comparing.

Evidence rests on the differences of pairs. Those of a pair, in the blocks that hold both, are one sequence of one law
whoever else is in these blocks and whatever chose them; a distance to the mean of a block or to the leader is not: the
others and the leader change. So pairs are watched, and what is found of many is said once (docs/diagnostics.md).
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from toptwo.blocks.comparisons import BlockComparison
from toptwo.study.diagnostics.base import EVERYWHERE, Diagnosis
from toptwo.study.diagnostics.coins import ENOUGH as ENOUGH_COINS
from toptwo.study.diagnostics.pairs import FEWEST, watch_of
from toptwo.words import counted, number_text

ENOUGH = 20
"""Blocks that could show what is watched, were it strong."""


class RowDiagnostics:
    """All that is watched in a study of rows.

    Examples
    --------
    >>> from toptwo.blocks.comparisons import make_comparison
    >>> watch = RowDiagnostics(make_comparison("mean"), 2)
    >>> for value in (1.3, 1.1, 1.2, 0.9):
    ...     watch.see((1, 0), [value, 0.0])
    >>> [diagnosis.sentence(["a", "b"])[:32] for diagnosis in watch.read()]
    ['All 4 values of a are equal (0):']
    """

    def __init__(self, comparison: BlockComparison, arms: int) -> None:
        self._comparison, self._start = comparison, arms
        self._places: dict[tuple[int, int], int] = {}
        self._watch = watch_of(comparison)
        self._values: list[list[Any]] = []
        """Of each arm: how many values there are, the first one, whether all equal it, and how many are 0 or 1."""
        self._blocks = 0
        self.grow(arms)

    def grow(self, arms: int) -> None:
        """Watch so many arms from now on."""
        self._values += [[0, 0.0, True, 0] for _ in range(arms - len(self._values))]

    def see(self, row: Sequence[int], values: Sequence[float | None]) -> None:
        """Take in the values of a block, None where one was lost."""
        scores = []
        for arm, value in zip(row, values, strict=True):
            if value is not None:
                self._see_value(self._values[arm], value)
                scores.append((arm, self._comparison.score(value, arm)))
        scores.sort()
        self._blocks += 1
        for number, (first, score) in enumerate(scores):
            for second, other in scores[number + 1 :]:
                place = self._places.get((first, second))
                self._watch.see(self._met(first, second) if place is None else place, score, other)

    def _see_value(self, seen: list[Any], value: float) -> None:
        if not seen[0]:
            seen[1] = value
        elif value != seen[1]:
            seen[2] = False
        seen[0] += 1
        if value == 0.0 or value == 1.0:
            seen[3] += 1

    def _met(self, first: int, second: int) -> int:
        """Return the place of a pair that is new."""
        place = self._places[first, second] = len(self._places)
        self._watch.begin(parts_of(self._start, second))
        return place

    # --- reading ----------------------------------------------------------------------------------------------------
    def read(self, leader: int = EVERYWHERE, *, settled: bool = False) -> tuple[Diagnosis, ...]:
        """Return what is to be said by now, of each kind once: of the leader if it is one of those concerned."""
        pairs = list(self._places)
        found = [each._replace(arm=pairs[each.arm][0], other=pairs[each.arm][1]) for each in self._watch.read()]
        still = set(self._still()) if self._comparison.gaussian else set()
        equal = [each for each in found if each.kind == "constant" and not {each.arm, each.other} & still]
        said = said_once([Diagnosis("constant", arm, self._never_moved(arm)) for arm in sorted(still)], leader, "arm")
        said += said_once(equal, leader, "pair")
        for kind in dict.fromkeys(each.kind for each in found if each.kind != "constant"):
            said += said_once([each for each in found if each.kind == kind], leader, "pair")
        return (*self._coins(), *said, *self._few(settled))

    def _still(self) -> Iterator[int]:
        """Return the arms whose values are all equal."""
        return (arm for arm, (count, _, equal, _) in enumerate(self._values) if equal and count >= FEWEST)

    def _never_moved(self, arm: int) -> str:
        count, value, _, _ = self._values[arm]
        return (
            f"All {count} values of {{arm}} are equal ({number_text(value)}): if it can be anything else now and then, "
            "these have not shown it, and the confidence counts only with what was seen. If values have bounds, "
            "family=tt.Bounded(low, high) counts with what could still come."
        )

    def _coins(self) -> Iterator[Diagnosis]:
        values, coins = sum(seen[0] for seen in self._values), sum(seen[3] for seen in self._values)
        if self._comparison.gaussian and values == coins >= ENOUGH_COINS and self._both_occur():
            yield Diagnosis("coins", EVERYWHERE, ZEROS_AND_ONES)

    def _both_occur(self) -> bool:
        firsts = {first for count, first, _, _ in self._values if count}
        return len(firsts) > 1 or not all(equal for _, _, equal, _ in self._values)

    def _few(self, settled: bool) -> Iterator[Diagnosis]:
        """Say that a verdict came too soon for anything to be seen; bounded values take their time."""
        if settled and self._blocks < ENOUGH and self._comparison.bounds is None:
            rare = ", or whether there are rare large values" if self._comparison.gaussian else ""
            yield Diagnosis(
                "few",
                EVERYWHERE,
                f"{counted(self._blocks, 'block')} settled it: too few to show whether blocks resemble the one "
                f"before{rare}. The confidence assumes that they do not"
                f"{' and that there are none' if rare else ''}.",
            )

    # --- keeping ----------------------------------------------------------------------------------------------------
    def snapshot(self) -> Any:
        """Return all that was kept, as plain data."""
        pairs = [list(pair) for pair in self._places]
        return {"pairs": pairs, "watch": self._watch.kept(), "values": self._values, "blocks": self._blocks}

    def restore(self, kept: Any) -> None:
        """Go on from a snapshot; this one must be new."""
        for first, second in kept["pairs"]:
            self._met(first, second)
        self._watch.fill(kept["watch"])
        self._values, self._blocks = [list(seen) for seen in kept["values"]], kept["blocks"]


ZEROS_AND_ONES = (
    "All values are 0 or 1: their differences are far from Gaussian, and the guarantee with them. "
    'family=tt.Bounded(0, 1) and compare="wins" are made for them.'
)


def parts_of(start: int, later: int) -> float:
    """Return of how many parts a pair gets one of what may be spent on false alarms, by its later arm.

    Half is for the pairs of the K arms of the start, in equal parts. The i-th arm added takes 1/(i(i + 1)) of the other
    half, in equal parts for those before it. So it adds up to 1 however many are added.

    Examples
    --------
    >>> sum(1.0 / parts_of(3, later) for later in range(1, 9) for _ in range(later)) < 1.0
    True
    """
    if later < start:
        return float(start * (start - 1))
    added = later - start + 1
    return 2.0 * added * (added + 1.0) * later


def said_once(found: Iterable[Diagnosis], leader: int, noun: str) -> list[Diagnosis]:
    """Return the first of several diagnoses of a kind, of the leader if possible, and how many more there are."""
    ordered = sorted(found, key=lambda each: leader not in (each.arm, each.other))
    if not ordered:
        return []
    more = len(ordered) - 1
    also = f" The same holds for {more} other {noun}{'s' if more > 1 else ''}." if more else ""
    return [ordered[0]._replace(words=ordered[0].words + also)]
