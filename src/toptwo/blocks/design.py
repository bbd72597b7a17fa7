"""The race in blocks: who is measured next, and what the blocks so far have shown."""

import math
import operator
from bisect import insort
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from toptwo import checks
from toptwo.blocks.answers import answer_at, contenders, level_of
from toptwo.blocks.comparisons import make_comparison
from toptwo.blocks.effects import Effects
from toptwo.blocks.evidence import PairwiseEvidence
from toptwo.blocks.forecast import NOTHING_LEFT, EffortLeft, forecast
from toptwo.blocks.schedule import LARGEST, Standings, next_row, shuffled, shuffled_in_couples
from toptwo.errors import InputError, StudyError

Status = Literal["running", "winner", "tie"]


class Block(NamedTuple):
    """Measurements to make back to back, in this order."""

    number: int
    arms: tuple[int, ...]


class BlocksStanding(NamedTuple):
    """How things stand after the blocks read so far."""

    status: Status
    arm: int
    """The winner, or the arm that leads; −1 before anything is known."""
    contenders: tuple[int, ...]
    """Arms that may still be the best: with probability at least 1 − δ the best is among them, at all times."""
    confidence: float
    """The highest 1 − δ at which the evidence makes `arm` the winner, or one of those tied: proven, and valid at any
    time. It is 0 while the evidence speaks for another arm than the one that leads."""
    blocks: int
    measurements: int
    remaining: EffortLeft
    means: tuple[float, ...]
    """Mean value of each arm as if all had been in the same blocks, geometric under `log`; NaN before there is one.
    Under `wins`, which knows no such thing, the mean of its values."""
    counts: tuple[int, ...]


class Effect(NamedTuple):
    """By how much one arm leads another, from the blocks that hold both.

    Under `mean` a difference of values, under `log` a difference of logarithms, under `wins` the share won less the
    share lost of the blocks in which they differ; positive if the first arm is the better one, whatever the direction.
    """

    lead: float
    """The mean difference, or the end of the interval that is next to it."""
    low: float
    high: float
    blocks: int
    won: int = 0
    """Under `wins`: blocks that the first arm has won,"""
    decided: int = 0
    """of so many in which they differ."""


class Blocks:
    """A race in blocks: a block is a few arms measured back to back, and only differences inside a block count.

    Whatever the arms of a block share cancels: heat, load, the time of day, the question they are scored on. This class
    has no clock, no input or output: the caller measures.

    Parameters
    ----------
    arms
        Their number, at least 2; they go by index.
    delta
        Probability that the answer may be wrong.
    compare
        "mean" of the differences, "log" for ratios (values must be positive), or "wins", which assumes nothing.
    direction
        "maximize" or "minimize".
    margin
        Arms this close may be called tied: a difference of means, a ratio under `log` (0.02 is 2 %) or with
        `relative=True`, a share of won blocks under `wins`.
    bounds
        Lowest and highest possible value, under `mean`: then nothing is assumed but these bounds.
    largest
        Arms in a block at most.
    seed
        Of the order inside blocks.
    reads_on
        Whether blocks after the answer are taken in: they sharpen effects and intervals, and never change the answer.

    Examples
    --------
    >>> values = [3.0, 1.0, 2.5]
    >>> race = Blocks(3, delta=0.05, direction="minimize")
    >>> while not race.over:
    ...     block = race.next_block()
    ...     race.tell_block(block, [values[arm] + 0.1 * (7 * block.number * arm % 5) for arm in block.arms])
    >>> race.standing().status, race.standing().arm, race.standing().blocks
    ('winner', 1, 4)
    """

    def __init__(
        self,
        arms: int,
        *,
        delta: float = 0.05,
        compare: str = "mean",
        direction: str = "maximize",
        margin: float = 0.0,
        relative: bool = False,
        bounds: tuple[float, float] | None = None,
        largest: int = LARGEST,
        seed: int = 0,
        reads_on: bool = False,
    ) -> None:
        self.arms = checks.whole("arms", arms, 2)
        self.delta = checks.probability("delta", delta)
        self.level = -math.log(self.delta)
        self.comparison = make_comparison(compare, direction=direction, margin=margin, relative=relative, bounds=bounds)
        self.largest = checks.whole("largest", largest, 2)
        self.seed = checks.whole("seed", seed, 0)
        self.evidence = PairwiseEvidence(arms, self.comparison)
        self.effects = Effects(arms)
        self.counts = [0] * arms
        self._totals = [0.0] * arms
        self._costs = [0.0] * arms
        self._costed = [0] * arms
        self.asked_blocks = 0
        self.read = 0
        self.measurements = 0
        self._open: dict[int, tuple[int, ...]] = {}
        self._answered: dict[int, tuple[list[float | None], list[float | None]] | None] = {}  # None: given up
        self._given_up = 0  # blocks before `read` that were
        self._lots: dict[int, int] = {}  # of each open block
        self._drawn = 0
        self._free: list[int] = []  # lots of blocks that were given up, the lowest first
        self._over: tuple[Status, int, tuple[int, ...], float] | None = None
        self._reads_on = reads_on

    @property
    def over(self) -> bool:
        """Return whether there is an answer; it is never changed by later blocks."""
        return self._over is not None

    @property
    def waiting(self) -> int:
        """Return how many answers wait for a block that was asked before theirs."""
        return sum(value is not None for told in self._answered.values() if told for value in told[0])

    @property
    def next_lot(self) -> int:
        """Return the lot of the next block, which decides its order: that of a block that was given up comes first.

        So lots are used up one after the other, each by one block that counts, whatever made others be given up.
        """
        return self._free[0] if self._free else self._drawn

    # --- asking -----------------------------------------------------------------------------------------------------
    def choose(self) -> tuple[int, ...]:
        """Return the arms of the next block in the order of measuring, and change nothing."""
        planned = [0] * self.arms
        for row in self._open.values():
            for arm in row:
                planned[arm] += 1
        now = Standings(
            self.evidence,
            self.effects.places,
            contenders(self.evidence, self.level),
            self.counts,
            planned,
            self.costs(),
        )
        return self.ordered(next_row(now, self.largest), self.next_lot)

    def ordered(self, row: Sequence[int], lot: int) -> tuple[int, ...]:
        """Return arms in the order in which a block of this lot measures them, drawn for it alone or for a couple.

        What is proved of wins and of bounded values needs places that nothing before the block tells of.
        """
        order = shuffled_in_couples if self.comparison.gaussian else shuffled
        return tuple(order(row, self.seed, lot))

    def asked(self, row: Sequence[int]) -> Block:
        """Take in that a block is being measured: the one just chosen, or any other one."""
        if self.over and not self._reads_on:
            raise StudyError("The race is over: read standing() instead of asking on.")
        if len(set(row)) < len(row) or not all(0 <= arm < self.arms for arm in row):
            raise InputError(f"a block must hold different arms from 0 to {self.arms - 1}, not {tuple(row)}.")
        block = Block(self.asked_blocks, tuple(row))
        self._open[block.number], self._lots[block.number] = block.arms, self.next_lot
        if self._free:
            del self._free[0]
        else:
            self._drawn += 1
        self.asked_blocks += 1
        return block

    def next_block(self) -> Block:
        """Return the next block to measure."""
        return self.asked(self.choose())

    def costs(self) -> list[float]:
        """Return the mean cost of a measurement of each arm: the mean of the others where none was told, else 1."""
        known = [cost / told for cost, told in zip(self._costs, self._costed, strict=True) if told]
        usual = sum(known) / len(known) if known else 1.0
        return [cost / told if told else usual for cost, told in zip(self._costs, self._costed, strict=True)]

    # --- telling ----------------------------------------------------------------------------------------------------
    def tell_block(
        self, block: Block | int, values: Sequence[float | None], costs: Sequence[float | None] | None = None
    ) -> None:
        """Hand in the values of a block, in its order; blocks are read in the order in which they were asked.

        None stands for a value that is lost: its arm is then left out of the block. A run that hit a limit counts as
        the limit, the worst possible value (docs/blocks.md, section 7).
        """
        number, row = self._waiting_for(block)
        if len(values) != len(row) or (costs is not None and len(costs) != len(row)):
            raise InputError(f"block {number} holds {len(row)} arms: tell as many values (and costs), in its order.")
        for arm, value in zip(row, values, strict=True):
            if value is not None:
                self.comparison.check(value, arm)
        self._answered[number] = (list(values), [None] * len(row) if costs is None else list(costs))
        self._read_on()

    def give_up(self, block: Block | int) -> None:
        """Take in that a block will not be made whole, so that it counts in no pair; another one gets its lot.

        That must have nothing to do with any of its values (docs/blocks.md, section 7).
        """
        number, _ = self._waiting_for(block)
        self._answered[number] = None
        insort(self._free, self._lots[number])
        self._read_on()

    def _waiting_for(self, block: Block | int) -> tuple[int, tuple[int, ...]]:
        """Return the number and the arms of a block that was asked and not answered."""
        number = block.number if isinstance(block, Block) else block
        row = self._open.get(number)
        if row is None or number in self._answered:
            raise StudyError(f"block {number} is not one that waits for its values: tell a block that was asked, once.")
        return number, row

    def _read_on(self) -> None:
        """Read the blocks that nothing asked before them holds up."""
        while (self._reads_on or not self.over) and self.read in self._answered:
            row, told = self._open.pop(self.read), self._answered.pop(self.read)
            del self._lots[self.read]
            self.read += 1
            if told is None:
                self._given_up += 1
            else:
                self._read_block(row, *told)

    def _read_block(self, row: tuple[int, ...], values: Sequence[float | None], costs: Sequence[float | None]) -> None:
        """Take in a whole block, and look if it was the last one."""
        scores = []
        for arm, value, cost in zip(row, values, costs, strict=True):
            if cost is not None:
                self._costs[arm] += cost
                self._costed[arm] += 1
            if value is not None:
                self.counts[arm] += 1
                self.measurements += 1
                self._totals[arm] += math.log(value) if self.comparison.kind == "log" else value
                scores.append((arm, self.comparison.score(value, arm)))
        self.evidence.take_in(sorted(scores))
        self.effects.update(sorted(arm for arm, _ in scores), self.evidence)
        self._settle()

    def _settle(self) -> None:
        """Write the answer down if the evidence allows one."""
        found = answer_at(self.evidence, self.level) if self._over is None else None
        if found is not None:
            status: Status = "winner" if len(found.tied) == 1 else "tie"
            best = max(found.tied, key=lambda arm: self.effects.places[arm])
            self._over = (status, best, found.tied, -math.expm1(-found.level))

    def add_arm(self) -> int:
        """Add an arm, which is compared from now on, and return its index.

        It takes a little more evidence to compare it than the arms of the start (docs/blocks.md, section 2).
        """
        if self.over:
            raise StudyError("The race is over: an arm cannot be added; start a new one.")
        self.evidence.add_arm()
        self.effects.add_arm()
        for row in (self.counts, self._costed):
            row.append(0)
        for sums in (self._totals, self._costs):
            sums.append(0.0)
        self.arms += 1
        return self.arms - 1

    # --- reading ----------------------------------------------------------------------------------------------------
    def standing(self) -> BlocksStanding:
        """Return how things stand now, or how they stood when the answer was found."""
        if self._over is not None:
            status, arm, left, confidence = self._over
            remaining = NOTHING_LEFT
        else:
            status, left = "running", tuple(contenders(self.evidence, self.level))
            seen = [arm for arm in left if self.counts[arm]]
            arm = max(seen, key=lambda arm: self.effects.places[arm], default=-1)
            confidence = -math.expm1(-level_of(self.evidence, arm))
            remaining = forecast(self.evidence, arm, left, self.costs(), self.level, self.largest)
        return BlocksStanding(
            status, arm, left, confidence, self._counted, self.measurements, remaining, self._means(),
            tuple(self.counts),
        )  # fmt: skip

    @property
    def _counted(self) -> int:
        """Return the number of blocks that were read and not given up."""
        return self.read - self._given_up

    def _means(self) -> tuple[float, ...]:
        """Return means, levelled over blocks.

        An arm that was dropped early has seen other blocks than the others, of which its own mean tells as well. What
        is known of it is how far it is ahead or behind in the blocks that it shares.
        """
        log = self.comparison.kind == "log"
        both = zip(self._totals, self.counts, strict=True)
        means = [total / count if count else math.nan for total, count in both]
        if self.comparison.kind != "wins" and min(self.counts) < self._counted:
            ahead = [self.comparison.sign * place for place in self.effects.places]
            shared = math.fsum(self._totals) - math.fsum(map(operator.mul, self.counts, ahead))
            shared /= max(self.measurements, 1)
            means = [shared + lead if count else math.nan for lead, count in zip(ahead, self.counts, strict=True)]
        return tuple(math.exp(mean) if log else mean for mean in means)

    def effect(self, first: int, second: int) -> Effect:
        """Return by how much one arm leads another, with an interval that is valid at any time.

        Its ends are taken at the level at which arms are ruled out, so that it leaves out 0 when one of the two rules
        out the other, and no arm of the answer is more than the margin worse than another. It holds with probability at
        least 1 − δ (docs/blocks.md, section 2).
        """
        met = self.evidence.count(first, second)
        low, high = self.evidence.interval(first, second, self.delta)
        if self._over is not None:
            most = self.comparison.most_behind if self._over[0] == "tie" else 0.0
            low = max(low, -most) if first in self._over[2] else low
            high = max(low, min(high, most)) if second in self._over[2] else max(low, high)
        lead = min(max(self.evidence.lead(first, second), low), high) if met else math.nan
        return Effect(lead, low, high, met, *self.evidence.won(first, second))

    # --- keeping ----------------------------------------------------------------------------------------------------
    def snapshot(self) -> dict[str, Any]:
        """Return all that was learnt, as plain data for JSON."""
        return {
            "arms": self.arms,
            "evidence": self.evidence.kept(),
            "places": list(self.effects.places),
            "counts": list(self.counts),
            "totals": list(self._totals),
            "costs": list(self._costs),
            "costed": list(self._costed),
            "asked": self.asked_blocks,
            "read": self.read,
            "measurements": self.measurements,
            "open": [[number, list(row)] for number, row in self._open.items()],
            "answered": [[number, *(told or ())] for number, told in self._answered.items()],
            "given up": self._given_up,
            "lots": [[number, lot] for number, lot in self._lots.items()],
            "drawn": self._drawn,
            "free": list(self._free),
            "over": list(self._over) if self._over else None,
        }

    def restore(self, kept: dict[str, Any]) -> None:
        """Go on from a snapshot of a race with the same settings, bit for bit; this one must be new."""
        while self.arms < kept["arms"]:
            self.add_arm()
        self.evidence.fill(kept["evidence"])
        self.effects.places = list(kept["places"])
        self.counts, self._totals = list(kept["counts"]), list(kept["totals"])
        self._costs, self._costed = list(kept["costs"]), list(kept["costed"])
        self.asked_blocks, self.read, self.measurements = kept["asked"], kept["read"], kept["measurements"]
        self._open = {number: tuple(row) for number, row in kept["open"]}
        self._answered = {number: (told[0], told[1]) if told else None for number, *told in kept["answered"]}
        self._given_up, self._free = kept.get("given up", 0), list(kept.get("free", ()))
        self._lots = dict(kept.get("lots", ((number, number) for number in self._open)))
        self._drawn = kept.get("drawn", self.asked_blocks)
        if kept["over"] is not None:
            status, arm, tied, confidence = kept["over"]
            self._over = (status, arm, tuple(tied), confidence)
