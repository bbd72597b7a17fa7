"""What a study knows: the fold of its journal. Folded over the same operations it is the same, bit for bit."""

import heapq
import json
import math
from array import array
from collections.abc import Hashable
from typing import Any, NamedTuple, cast

from toptwo.engine.watching import raise_blamed
from toptwo.study.damage import SenselessOperationError
from toptwo.study.designs import make_design
from toptwo.study.designs.base import Design, DesignInRows, NextRow
from toptwo.study.operations import (
    ArmAdded,
    Asked,
    Concluded,
    Created,
    Failed,
    GivenBack,
    Leased,
    Operation,
    ResultsAdded,
    RowGivenUp,
    Told,
    from_text,
)
from toptwo.study.pulls import Pull
from toptwo.study.question import StudyQuestion
from toptwo.study.recipes import decode, encode

FORMAT = 4
"""Of snapshots: those of another one are not used, and the journal is folded from its beginning."""


class Lease(NamedTuple):
    """A pull without a value, and who has it."""

    number: int
    arm: int
    block: int | None
    item: Any
    token: int
    """Number of the operation that lent it."""
    by: str


class Fold:
    """State of a study."""

    def __init__(self, question: StudyQuestion) -> None:
        self.question = question
        self.arms: list[Hashable] = list(question.arms)
        self.design: Design = make_design(question)
        self.length = 0
        """Operations folded."""
        self.pulls = 0
        """Pulls asked for, by anybody."""
        self.blocks = 0
        self.leases: dict[int, Lease] = {}
        """Pulls without a value."""
        self.failed: dict[int, str] = {}
        """Pulls that failed under the policy "abort", and why: they wait for a decision."""
        self.lent_again: set[int] = set()
        """Pulls that more than one may answer."""
        self.given_up: set[int] = set()
        """Pulls of rows that were given up: whatever is told of them counts for nothing."""
        self.lost = 0
        """Pulls that failed and were dropped, or counted as the worst."""
        self.brought = 0
        """Results that existed already."""
        self.spent_in_batches = 0
        """What of the budget was spent besides a measurement for each pull."""
        self.concluded: Any = None  # Concluded, when there is a verdict
        self._deadlines: list[tuple[float, int, int]] = []
        self._added: list[Any] = []  # names of arms that came later, encoded
        self._values = array("d")
        self._sizes: dict[int, int] = {}  # of how many measurements those values are the average that are of several
        self._first = 0  # the pull whose value is the first of them: a snapshot does not hold the values before it

    # --- what happened ----------------------------------------------------------------------------------------------
    def apply(self, operation: Operation, *, chosen: bool = False) -> None:
        """Take in the next operation of the journal; `chosen` if it is a choice that was just made by this design."""
        try:
            if not chosen and self.design.remembers_choosing and type(operation) is Asked:
                self.design.choose(operation.times * len(operation.row))
            _TAKING_IN[type(operation)](self, operation)
        except Exception as problem:
            raise_blamed(problem)
            raise
        self.length += 1

    def choose(self, wanted: int) -> NextRow | None:
        """Return what the design wants next."""
        try:
            return self.design.choose(wanted)
        except Exception as problem:
            raise_blamed(problem)
            raise

    def _created(self, operation: Created) -> None:
        """Do nothing: the question is known already."""

    def _asked(self, operation: Asked) -> None:
        row, times, item, note, deadline, by = operation
        self.design.asked(NextRow(row, times, item, note))
        if times == 1 == len(row) and not self.design.in_blocks:  # nearly always, and it should be fast
            self._lend(row[0], None, item, deadline, by)
            return
        for _ in range(times):
            block = self.blocks if self.design.in_blocks else None
            self.blocks += 1
            for arm in row:
                self._lend(arm, block, item, deadline, by)

    def _lend(self, arm: int, block: int | None, item: Any, deadline: float | None, by: str) -> None:
        """Hand out the next pull."""
        number, token = self.pulls, self.length
        self.leases[number] = Lease(number, arm, block, item, token, by)
        self._values.append(math.nan)
        self.pulls = number + 1
        if deadline is not None:
            heapq.heappush(self._deadlines, (deadline, number, token))

    def _leased(self, operation: Leased) -> None:
        pull, deadline, by = operation
        self.leases[pull] = self._open(pull)._replace(token=self.length, by=by)
        self.lent_again.add(pull)
        if deadline is not None:
            heapq.heappush(self._deadlines, (deadline, pull, self.length))

    def _given_back(self, operation: GivenBack) -> None:
        token = self._open(operation.pull).token
        self.failed.pop(operation.pull, None)
        heapq.heappush(self._deadlines, (-math.inf, operation.pull, token))

    def _row_given_up(self, operation: RowGivenUp) -> None:
        row = cast(DesignInRows, self.design).give_up(operation.pull)
        for pull in row:
            self.leases.pop(pull, None)
            self.failed.pop(pull, None)
            self._note(pull, math.nan)
        self.given_up.update(row)

    def _told(self, operation: Told) -> None:
        pull, value, cost, size = operation
        if pull in self.given_up:  # told by somebody who could not yet know
            return
        if pull not in self.leases:
            self._open(pull)
        self.design.told(pull, value, cost, size)
        del self.leases[pull]
        if self.failed:
            self.failed.pop(pull, None)
        self._note(pull, value)
        if size != 1:
            self._note_size(pull, size)

    def _note(self, pull: int, value: float) -> None:
        if pull >= self._first:
            self._values[pull - self._first] = value

    def _note_size(self, pull: int, size: int) -> None:
        """Note that a pull stands for several measurements; in rows it counts as one all the same."""
        self._sizes[pull] = size
        if self.question.budget_in == "samples" and not self.design.in_blocks:
            self.spent_in_batches += size - 1

    def _open(self, pull: int) -> Lease:
        """Return the lease of a pull, which must have one."""
        if pull in self.leases:
            return self.leases[pull]
        asked = isinstance(pull, int) and 0 <= pull < self.pulls
        raise SenselessOperationError(f"pull {pull!r} was {'answered' if asked else 'not asked for'} before")

    def _failed(self, operation: Failed) -> None:
        pull = operation.pull
        self._open(pull)
        policy, worst = self.question.failures, self.question.worst
        if policy == "abort":
            self.failed[pull] = operation.reason
            return
        if worst is not None:
            self.design.told(pull, worst)
            self._note(pull, worst)
        else:
            self.design.dropped(pull)
        self.lost += 1
        del self.leases[pull]

    def _results_added(self, operation: ResultsAdded) -> None:
        arm, values, size, together = operation
        self.design.add_results(arm, list(values), size, together)
        if size != 1:
            self._note_size(self.pulls, size)
        self.pulls += len(values)
        self.brought += len(values) * size
        self._values.extend(operation.values)

    def _arm_added(self, operation: ArmAdded) -> None:
        self.design.add_arm(operation.in_turn)
        self._added.append(operation.name)
        self.arms.append(decode(operation.name))

    def _concluded(self, operation: Concluded) -> None:
        self.concluded = operation

    # --- what follows -----------------------------------------------------------------------------------------------
    @property
    def over(self) -> bool:
        """Return whether there is a verdict."""
        return self.concluded is not None or self.design.over

    @property
    def room(self) -> int:
        """Return how many more pulls the budget allows; those of rows that were given up have cost nothing of it."""
        return self.question.budget - self.pulls - self.spent_in_batches + len(self.given_up)

    @property
    def to_conclude(self) -> bool:
        """Return whether there is a verdict that nobody has written down."""
        return self.design.over and self.concluded is None

    def overdue(self, now: float) -> int | None:
        """Return a pull that can be handed out again, if there is one."""
        while self._deadlines and self._deadlines[0][0] <= now:
            _, pull, token = self._deadlines[0]
            if pull in self.leases and self.leases[pull].token == token and pull not in self.failed:
                return pull
            heapq.heappop(self._deadlines)
        return None

    def was_shared(self, pull: Any) -> bool:
        """Return whether somebody else may have answered first, to whom a pull was lent as well."""
        return isinstance(pull, Pull) and pull.number in self.lent_again

    def value(self, pull: int) -> float | None:
        """Return what a pull counts as; None without a value, NaN if it was told before the snapshot or dropped."""
        if pull in self.leases:
            return None
        return self._values[pull - self._first] if pull >= self._first else math.nan

    def size(self, pull: int) -> int:
        """Return of how many measurements a value that is known here is the average."""
        return self._sizes.get(pull, 1)

    # --- snapshots --------------------------------------------------------------------------------------------------
    def snapshot(self, code: dict[str, str]) -> str:
        """Return all of it as text."""
        return json.dumps(
            {
                "format": FORMAT,
                "code": code,
                "added": self._added,
                "length": self.length,
                "pulls": self.pulls,
                "blocks": self.blocks,
                "leases": [lease._replace(item=encode(lease.item, "items")) for lease in self.leases.values()],
                "failed": list(self.failed.items()),
                "lent again": sorted(self.lent_again),
                "given up": sorted(self.given_up),
                "lost": self.lost,
                "brought": self.brought,
                "batches": self.spent_in_batches,
                "concluded": self.concluded,
                "deadlines": self._deadlines,
                "design": self.design.snapshot(),
            },
            separators=(",", ":"),
        )

    def restore(self, text: str, code: dict[str, str]) -> bool:
        """Go on from a snapshot; return False, with nothing done, if it is of another format or of other code."""
        kept = json.loads(text)
        if kept["format"] != FORMAT or kept["code"] != code:
            return False
        for name in kept["added"]:
            self._arm_added(ArmAdded(name))
        self.length, self.pulls, self.blocks, self.lost = (kept[key] for key in ("length", "pulls", "blocks", "lost"))
        self.brought, self.spent_in_batches = kept.get("brought", 0), kept.get("batches", 0)
        self._first = self.pulls
        leases = (Lease(*lease) for lease in kept["leases"])
        self.leases = {lease.number: lease._replace(item=decode(lease.item)) for lease in leases}
        self.failed, self.lent_again = dict(kept["failed"]), set(kept["lent again"])
        self.given_up = set(kept.get("given up", ()))
        self._deadlines = [tuple(entry) for entry in kept["deadlines"]]
        if kept["concluded"] is not None:
            self.concluded = from_text("verdict", json.dumps(kept["concluded"]))
        self.design.restore(kept["design"])
        return True


_TAKING_IN: dict[type, Any] = {
    Created: Fold._created,
    Asked: Fold._asked,
    Leased: Fold._leased,
    GivenBack: Fold._given_back,
    RowGivenUp: Fold._row_given_up,
    Told: Fold._told,
    Failed: Fold._failed,
    ResultsAdded: Fold._results_added,
    ArmAdded: Fold._arm_added,
    Concluded: Fold._concluded,
}
