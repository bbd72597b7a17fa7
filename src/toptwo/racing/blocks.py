"""A race as blocks (toptwo.blocks): the statistics, asked in the words of commands."""

import math
import random
from collections.abc import Sequence
from typing import Any

from toptwo.blocks import Blocks, BlocksStanding, Effect
from toptwo.errors import InputError, MeasurementError
from toptwo.racing.commands import Command
from toptwo.racing.contest import Contest, Row
from toptwo.racing.options import RaceQuestion, RaceSettings
from toptwo.racing.outcome import Run
from toptwo.racing.standing import NOBODY, AgainstLeader, RaceStanding


def make_contest(
    commands: Sequence[Command],
    settings: RaceSettings,
    shell: str | None = None,
    storage: str | None = None,
    study_name: str | None = None,
) -> Contest:
    """Return the contest of a race, kept in memory or in a storage."""
    if storage is None and study_name is None:
        return InMemory(len(commands), settings)
    from toptwo.racing.stored import Stored

    return Stored(commands, settings, shell, storage, study_name)


def block_options(question: RaceQuestion) -> dict[str, Any]:
    """Return a question as the block design asks it."""
    return {
        "delta": question.delta,
        "compare": question.compare,
        "direction": "maximize" if question.maximize else "minimize",
        "margin": question.epsilon,
        "relative": question.relative,
    }


class InMemory:
    """A contest that lasts as long as this process."""

    def __init__(self, arms: int, settings: RaceSettings) -> None:
        fixed = settings.budget.runs is not None
        self._design = Blocks(arms, **block_options(settings.question), seed=settings.seed, reads_on=fixed)
        self._everyone = settings.budget.everyone or fixed
        self._items = settings.items
        self._seed = settings.seed
        self.before: Sequence[Run] = ()
        self.resumable = False

    @property
    def over(self) -> bool:
        """Return whether the answer is settled."""
        return self._design.over

    def upcoming(self) -> Sequence[int]:
        """Return who is in the next block."""
        return range(self._design.arms) if self._everyone else self._design.choose()

    def next_row(self) -> Row:
        """Return the next block: whom the design wants, or everyone."""
        design = self._design
        row = design.ordered(range(design.arms), design.next_lot) if self._everyone else design.choose()
        block = design.asked(row).number
        return Row(block, row, drawn_item(self._items, self._seed, block))

    def told(self, row: Row, runs: Sequence[Run]) -> None:
        """Take in a block when it is whole."""
        if len(runs) < len(row.arms):
            return
        try:
            self._design.tell_block(row.block, [run.value for run in runs], [run.cost for run in runs])
        except InputError as problem:
            raise MeasurementError(str(problem)) from None

    def give_up(self) -> None:
        """Do nothing: a block is told when it is whole."""

    def standing(self) -> RaceStanding:
        """Return what follows from the blocks so far."""
        return standing_of(self._design)


def drawn_item(items: Sequence[str], seed: int, block: int) -> str | None:
    """Return the item of a block: any of them with the same probability, a function of seed and block."""
    return random.Random(f"item {seed} {block}").choice(items) if items else None


def standing_of(design: Blocks) -> RaceStanding:
    """Return how a design stands, every command compared with the leader."""
    found: BlocksStanding = design.standing()
    if found.arm < 0:
        return NOBODY
    pairs = [None if arm == found.arm else pair_of(design, found, arm) for arm in range(design.arms)]
    return RaceStanding(
        found.status,
        found.arm,
        found.confidence,
        found.remaining.measurements,
        found.contenders,
        tuple(pairs),
        design.comparison.assumption("commands"),
    )


def pair_of(design: Blocks, found: BlocksStanding, arm: int) -> AgainstLeader | None:
    """Return how a command compares with the leader."""
    effect = design.effect(found.arm, arm)
    if not effect.blocks:
        return None
    tied = found.status == "tie" and arm in found.contenders
    return in_words(effect, design.comparison.kind, arm not in found.contenders, tied)


def in_words(effect: Effect, kind: str, beaten: bool, tied: bool) -> AgainstLeader:
    """Return an effect as people speak of it: a ratio, an amount, or a share of wins."""

    def told(lead: float) -> float:
        if kind == "log":
            return math.exp(lead) if lead < 700.0 else math.inf
        return 0.5 * (1.0 + lead) if kind == "wins" else lead

    ends = told(effect.lead), told(effect.low), told(effect.high)
    return AgainstLeader(*ends, effect.blocks, beaten, tied, effect.won, effect.decided)
