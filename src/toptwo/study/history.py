"""The history of a study: every pull, by whom and when, and what came of it."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from toptwo.study.damage import damaged
from toptwo.study.operations import (
    ArmAdded,
    Asked,
    Failed,
    GivenBack,
    Leased,
    Operation,
    ResultsAdded,
    RowGivenUp,
    Told,
)
from toptwo.study.question import StudyQuestion
from toptwo.study.recipes import decode
from toptwo.study.storages.base import Entry


@dataclass(frozen=True, slots=True)
class PullRecord:
    """What became of one pull."""

    number: int
    arm: Hashable
    state: Literal["asked", "told", "failed", "brought along", "given up"]
    """"given up": its row was, so that it counts for nothing, whatever it was told."""
    value: float | None
    """What it was told."""
    size: int
    """How many measurements the value is the average of."""
    cost: float | None
    block: int | None
    item: Any
    by: str
    """Who had it last."""
    asked_at: float
    """By the storage's clock, in seconds since 1970; when it was handed out last."""
    told_at: float | None
    times_lent: int
    reason: str
    """Why it failed, if it did."""


def records_of(entries: Iterable[Entry], question: StudyQuestion) -> list[PullRecord]:
    """Return a record per pull, in the order of asking."""
    history = History(question)
    for number, (at, operation) in enumerate(entries):
        try:
            history.take(at, operation)
        except (ValueError, KeyError, TypeError, IndexError, AttributeError) as problem:
            raise damaged(number, operation, problem) from problem
    return history.records


class History:
    """The records of a study, as its journal is read."""

    def __init__(self, question: StudyQuestion) -> None:
        self.records: list[PullRecord] = []
        self._arms, self._in_blocks, self._blocks = list(question.arms), question.design == "blocks", 0

    def take(self, at: float, operation: Operation) -> None:
        """Take in what happened next."""
        match operation:
            case Asked():
                self._ask(at, operation)
            case Leased(pull, _, by):
                self._change(pull, by=by, asked_at=at, times_lent=self.records[pull].times_lent + 1)
            case Told(pull, value, cost, size):
                state = "given up" if self.records[pull].state == "given up" else "told"
                self._change(pull, state=state, value=value, cost=cost, size=size, told_at=at, reason="")
            case Failed(pull, reason):
                self._change(pull, state="failed", told_at=at, reason=reason)
            case GivenBack(pull):
                self._change(pull, state="asked", told_at=None, reason="")
            case RowGivenUp(pull):
                for number in row_of(self.records, pull):
                    self._change(number, state="given up")
            case ResultsAdded(arm, values, size):
                for value in values:
                    number, name = len(self.records), self._arms[arm]
                    self.records.append(
                        PullRecord(number, name, "brought along", value, size, None, None, None, "", at, at, 0, "")
                    )
            case ArmAdded(name):
                self._arms.append(decode(name))

    def _ask(self, at: float, asked: Asked) -> None:
        for _ in range(asked.times):
            block = self._blocks if self._in_blocks else None
            self._blocks += 1
            for arm in asked.row:
                number, name = len(self.records), self._arms[arm]
                self.records.append(
                    PullRecord(number, name, "asked", None, 1, None, block, asked.item, asked.by, at, None, 1, "")
                )

    def _change(self, pull: int, **fields: Any) -> None:
        self.records[pull] = replace(self.records[pull], **fields)


def row_of(records: Sequence[PullRecord], pull: int) -> range:
    """Return the pulls of the row that a pull belongs to."""
    first = last = pull
    while first > 0 and records[first - 1].block == records[pull].block:
        first -= 1
    while last + 1 < len(records) and records[last + 1].block == records[pull].block:
        last += 1
    return range(first, last + 1)
