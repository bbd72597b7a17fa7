"""What a study hands out: pulls that were lost first, then the design's next choice, or why there is nothing."""

from toptwo.errors import NothingToAskError, StudyError
from toptwo.study.fold import Fold, Lease
from toptwo.study.journal import Journal
from toptwo.study.operations import Asked, Leased
from toptwo.study.pulls import Pull
from toptwo.study.rows import give_up_lost_rows
from toptwo.study.workers import worker


def handed_out(journal: Journal, wanted: int, lease: float | None, *, needed: bool) -> list[Pull]:
    """Return pulls whose lease expired, or of the design's next choice: whole rows, maybe more than wanted."""
    fold = journal.fold
    refuse_if_stopped(journal)
    give_up_lost_rows(journal)
    if (lost := fold.overdue(journal.now)) is not None:
        journal.do(Leased(lost, deadline_of(journal, 1, lease), worker()))
        return [pull_of(journal, fold.leases[lost])]
    room = fold.room
    choice = journal.choose(min(wanted, room)) if room > 0 else None
    if choice is None and needed:
        raise NothingToAskError(_why_nothing(fold, room))
    if choice is None:
        return []
    first = fold.pulls
    journal.do(Asked(*choice, deadline_of(journal, len(choice.row), lease), worker()))
    return [pull_of(journal, fold.leases[number]) for number in range(first, fold.pulls)]


def deadline_of(journal: Journal, size: int, lease: float | None) -> float | None:
    """Return when the leases of a row run out whose pulls are measured one after the other."""
    return None if lease is None else journal.now + size * lease


def refuse_if_stopped(journal: Journal) -> None:
    """Say why nothing more can be asked, if so."""
    fold = journal.fold
    if fold.over:
        status = fold.design.findings().status if fold.concluded is None else fold.concluded.status
        raise StudyError(f"The study is over ({status}): read study.verdict instead of asking on.")
    if journal.changed:
        raise StudyError(
            "the rule of this study has changed since it was created: go on with the code of then, or begin "
            "another study and bring the results along with study.add(arm, values)."
        )
    if fold.failed:
        number, reason = next(iter(fold.failed.items()))
        raise StudyError(
            f"pull {number} of arm {fold.arms[fold.leases[number].arm]!r} failed ({reason}): if that had nothing "
            "to do with its value, study.retry() hands it out again; else tell the value fixed beforehand for such "
            "failures."
        )


def _why_nothing(fold: Fold, room: int) -> str:
    if room <= 0:
        return "The budget max_samples is spent on pulls under way: tell their values first."
    if fold.design.in_blocks:
        return "All items are asked: tell the values of the pulls under way."
    return f"This phase waits for {len(fold.leases)} pulls under way: tell their values first."


def pull_of(journal: Journal, lease: Lease) -> Pull:
    """Return a lease as users see it."""
    number, arm, block, item, token, _ = lease
    return Pull(number, journal.fold.arms[arm], arm, journal.key, block, item, token)
