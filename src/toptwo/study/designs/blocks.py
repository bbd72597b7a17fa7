"""Rows of measurements made back to back: only differences inside a row count (docs/blocks.md).

The statistics and the choice of rows are those of toptwo/blocks. Here pulls become blocks: a block is read once all of
its pulls are answered or lost, and blocks are read in the order in which they were asked, so that fast answers and slow
ones weigh the same.
"""

import math
from collections.abc import Hashable
from typing import Any

from toptwo.blocks import Blocks
from toptwo.blocks.schedule import shuffled
from toptwo.errors import InputError
from toptwo.families import Bounded
from toptwo.records import methods_of
from toptwo.study.defaults import default_family
from toptwo.study.designs.base import Findings, NextRow
from toptwo.study.diagnostics.rows import RowDiagnostics
from toptwo.study.intervals import Interval
from toptwo.study.question import StudyQuestion
from toptwo.study.verdict import Status


class BlockBounds:
    """Intervals for how far the leader is ahead, worked out from what was known when this was made."""

    def __init__(self, race: Blocks, leader: int, contenders: tuple[int, ...]) -> None:
        self.contenders = contenders
        self._gaps = [None if arm == leader else _gap(race, leader, arm) for arm in range(race.arms)]

    def mean(self, arm: int) -> Interval | None:
        """Return nothing: what the arms of a block share is in every mean, and drifts."""
        return None

    def gap(self, arm: int) -> Interval | None:
        """Return by how much the leader is better.

        Under `log` as a part of the lower of both geometric means, 0.02 for 2 %: of the leader's where the lowest is
        looked for, and of the other arm's where the highest is. Under `wins` the share of decided blocks that it wins
        less the share that it loses.
        """
        return self._gaps[arm]


def _gap(race: Blocks, leader: int, arm: int) -> Interval:
    effect = race.effect(leader, arm)
    if race.comparison.kind != "log":
        return Interval(effect.low, effect.high)
    return Interval(*(math.expm1(end) if end < 700.0 else math.inf for end in (effect.low, effect.high)))


class InBlocks:
    """The design in which a measurement is a row of arms."""

    remembers_choosing = False
    in_blocks = True

    def __init__(self, race: Blocks, *, items: list[Any] | None, max_samples: int | None) -> None:
        self.race = race
        self.arms = race.arms
        self._items = items
        self._max_samples = math.inf if max_samples is None else max_samples
        self._pulls = 0
        self._given_up = 0  # of the pulls
        self._places: dict[int, tuple[int, int]] = {}  # block and place of each pull that is not read
        self._waiting: dict[int, list[Any]] = {}  # of each block that is not complete: answers to come, values, costs
        self._rows: dict[int, tuple[int, ...]] = {}  # arms of each block that is not read
        self._complete: dict[int, list[float | None]] = {}  # values of those that wait for a block before them
        self.diagnostics = RowDiagnostics(race.comparison, race.arms)

    @classmethod
    def answering(cls, question: StudyQuestion) -> "InBlocks":
        """Return the design for a question."""
        family = question.family
        bounds = (family.low, family.high) if isinstance(family, Bounded) else None
        if bounds is None and not _is(family, default_family()):
            raise InputError(
                f'design="blocks" compares differences and knows no {family!r}: leave family out, or give '
                'tt.Bounded(low, high), or compare="wins", which assumes nothing.'
            )
        race = Blocks(
            len(question.arms),
            delta=question.delta,
            compare="mean" if question.compare is None else question.compare,
            direction=question.direction,
            margin=question.epsilon,
            bounds=bounds,
            seed=question.seed,
        )
        items = None if question.items is None else _items(question.items)
        return cls(race, items=items, max_samples=question.max_samples)

    def parts(self) -> tuple[Any, ...]:
        """Return what decides."""
        return Blocks.__init__, *methods_of(Blocks).values()

    @property
    def over(self) -> bool:
        """Return whether there is an answer, or everything that may be measured is read."""
        return self.race.over or self._spent

    @property
    def _spent(self) -> bool:
        """Return whether the budget or the items are used up, and all is read."""
        return not self._places and (self._pulls - self._given_up >= self._max_samples or self._items_are_used)

    @property
    def _items_are_used(self) -> bool:
        return self._items is not None and self.race.next_lot >= len(self._items)

    # --- asking -----------------------------------------------------------------------------------------------------
    def check(self, value: float, name: Hashable) -> None:
        """Refuse a value that cannot be compared."""
        self.race.comparison.check(value, name)

    def check_average(self, average: float, size: int, name: Hashable) -> None:
        """Refuse an average that cannot be compared; of how many it is makes no difference within a row."""
        self.check(average, name)

    def choose(self, wanted: int) -> NextRow | None:
        """Return the next row, with the next item if there are items; None when they are used up."""
        if self._items_are_used:
            return None
        return NextRow(self.race.choose(), 1, self._item(self.race.next_lot))

    def _item(self, lot: int) -> Any:
        """Return what the block of a lot is measured on: items come in random order, each once."""
        if self._items is None:
            return None
        order = shuffled(range(len(self._items)), self.race.seed, -1)
        return self._items[order[lot]]

    def asked(self, choice: NextRow) -> None:
        """Take in a row."""
        for _ in range(choice.times):
            block = self.race.asked(choice.row)
            size = len(choice.row)
            self._rows[block.number] = block.arms
            self._waiting[block.number] = [size, [None] * size, [None] * size]
            for place in range(size):
                self._places[self._pulls] = block.number, place
                self._pulls += 1

    # --- telling ----------------------------------------------------------------------------------------------------
    def told(self, pull: int, value: float, cost: float | None = None, size: int = 1) -> None:
        """Take in the value of a pull."""
        self._answer(pull, value, cost)

    def dropped(self, pull: int) -> None:
        """Take in that a pull is lost: its block is read without it."""
        self._answer(pull, None, None)

    def _answer(self, pull: int, value: float | None, cost: float | None) -> None:
        number, place = self._places.pop(pull)
        told = self._waiting[number]
        told[0] -= 1
        told[1][place], told[2][place] = value, cost
        if not told[0]:
            del self._waiting[number]
            if not self.race.over:
                self._complete[number] = told[1]
                before = self.race.read
                self.race.tell_block(number, told[1], told[2])
                self._look_at_rows_from(before)

    def give_up(self, pull: int) -> range:
        """Take in that a row will not be made back to back: its item and its order go to the next one."""
        number, place = self._places[pull]
        size = len(self._waiting.pop(number)[1])
        row = range(pull - place, pull - place + size)
        for each in row:
            self._places.pop(each, None)
        self._given_up += size
        if not self.race.over:
            before = self.race.read
            self.race.give_up(number)
            self._look_at_rows_from(before)
        return row

    def _look_at_rows_from(self, first: int) -> None:
        """Watch the rows that were read since, without those that were given up."""
        for read in range(first, self.race.read):
            row, values = self._rows.pop(read), self._complete.pop(read, None)
            if values is not None:
                self.diagnostics.see(row, values)

    def add_results(self, arm: int, values: list[float], size: int = 1, together: bool = True) -> None:
        """Refuse: results that were not made in a block have nothing to be compared with."""
        raise InputError(NO_BLOCK)

    def add_arm(self, in_turn: bool = True) -> None:
        """Take in one more arm; rows that were asked before never change by it."""
        self.race.add_arm()
        self.arms = self.race.arms
        self.diagnostics.grow(self.arms)

    # --- reading ----------------------------------------------------------------------------------------------------
    def findings(self) -> Findings:
        """Return what the blocks read so far show."""
        standing = self.race.standing()
        status: Status = standing.status
        if status == "running" and self._spent:
            status = "undecided"
        told = sum(value is not None for _, values, _ in self._waiting.values() for value in values)
        seen = standing.arm >= 0 and min(standing.counts) > 0
        return Findings(
            status=status,
            arm=standing.arm,
            confidence=standing.confidence,
            proven=True,
            pulls=standing.measurements,
            remaining=standing.remaining.measurements,
            waiting=0 if self.over else told + self.race.waiting,
            means=standing.means,
            counts=standing.counts,
            threshold="blocks",
            assumption=self.race.comparison.assumption(added=self.race.arms > self.race.evidence.start),
            bounds=BlockBounds(self.race, standing.arm, standing.contenders) if seen else None,
            diagnostics=self.diagnostics.read(standing.arm, settled=self.race.over),
        )

    # --- keeping ----------------------------------------------------------------------------------------------------
    def snapshot(self) -> Any:
        """Return all that was learnt, and the pulls that are not yet read."""
        return {
            "race": self.race.snapshot(),
            "pulls": self._pulls,
            "given up": self._given_up,
            "places": [[pull, *place] for pull, place in self._places.items()],
            "waiting": [[number, *told] for number, told in self._waiting.items()],
            "rows": [[number, list(row)] for number, row in self._rows.items()],
            "complete": [[number, values] for number, values in self._complete.items()],
            "diagnostics": self.diagnostics.snapshot(),
        }

    def restore(self, kept: Any) -> None:
        """Go on from a snapshot."""
        self.race.restore(kept["race"])
        self.arms = self.race.arms
        self._pulls, self._given_up = kept["pulls"], kept.get("given up", 0)
        self._places = {pull: (number, place) for pull, number, place in kept["places"]}
        self._waiting = {number: list(told) for number, *told in kept["waiting"]}
        self._rows = {number: tuple(row) for number, row in kept["rows"]}
        self._complete = dict(kept["complete"])
        self.diagnostics.restore(kept["diagnostics"])


NO_BLOCK = (
    'results that exist already were not measured side by side, so that design="blocks" cannot compare them: measure '
    "anew, or use another design."
)


def _is(record: Any, usual: Any) -> bool:
    """Return whether two records are of one kind and equal: as tuples, records of different kinds may be equal, too."""
    return type(record) is type(usual) and record == usual


def _items(given: Any) -> list[Any]:
    """Return the items as a list, or raise InputError."""
    if isinstance(given, str) or not hasattr(given, "__iter__"):
        raise InputError(f"items must be a list of what rows are measured on, not {given!r}.")
    items = list(given)
    if not items:
        raise InputError("items must hold at least one item; leave them out if rows have none.")
    return items
