"""The history of a study: every pull, by whom and when, and what came of it."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from toptwo.study.operations import ArmAdded, Asked, Failed, GivenBack, Leased, ResultsAdded, RowGivenUp, Told
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
    records: list[PullRecord] = []
    arms, blocks = list(question.arms), 0

    def change(pull: int, **fields: Any) -> None:
        records[pull] = replace(records[pull], **fields)

    for at, operation in entries:
        match operation:
            case Asked(row, times, item, _, _, by):
                for _ in range(times):
                    block = blocks if question.design == "blocks" else None
                    blocks += 1
                    for arm in row:
                        number = len(records)
                        records.append(
                            PullRecord(number, arms[arm], "asked", None, 1, None, block, item, by, at, None, 1, "")
                        )
            case Leased(pull, _, by):
                change(pull, by=by, asked_at=at, times_lent=records[pull].times_lent + 1)
            case Told(pull, value, cost, size):
                state = "given up" if records[pull].state == "given up" else "told"
                change(pull, state=state, value=value, cost=cost, size=size, told_at=at, reason="")
            case Failed(pull, reason):
                change(pull, state="failed", told_at=at, reason=reason)
            case GivenBack(pull):
                change(pull, state="asked", told_at=None, reason="")
            case RowGivenUp(pull):
                for number in row_of(records, pull):
                    change(number, state="given up")
            case ResultsAdded(arm, values, size):
                for value in values:
                    records.append(
                        PullRecord(
                            len(records), arms[arm], "brought along", value, size, None, None, None, "", at, at, 0, ""
                        )
                    )
            case ArmAdded(name):
                arms.append(decode(name))
    return records


def row_of(records: Sequence[PullRecord], pull: int) -> range:
    """Return the pulls of the row that a pull belongs to."""
    first = last = pull
    while first > 0 and records[first - 1].block == records[pull].block:
        first -= 1
    while last + 1 < len(records) and records[last + 1].block == records[pull].block:
        last += 1
    return range(first, last + 1)
