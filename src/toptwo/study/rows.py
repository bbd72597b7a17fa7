"""Rows whose pulls can no longer be measured back to back: they are given up whole (docs/blocks.md, section 7).

A pull of a row that is measured later than the others is compared with what was measured at another time, so that a
drift does not cancel. What was told of such a row counts as little as what may still be told.
"""

from collections import deque

from toptwo.study.fold import Fold
from toptwo.study.journal import Journal
from toptwo.study.operations import GivenBack, Operation, RowGivenUp
from toptwo.study.pulls import Pull


def given_back(fold: Fold, pull: int) -> Operation:
    """Return what to write down of a pull that whoever has it will not measure."""
    return RowGivenUp(pull) if fold.design.in_blocks else GivenBack(pull)


def give_up_lost_rows(journal: Journal) -> None:
    """Give up the rows that hold a pull whose lease expired; single pulls are handed out again instead."""
    fold = journal.fold
    while fold.design.in_blocks and (lost := fold.overdue(journal.now)) is not None:
        journal.do(RowGivenUp(lost))


def drop_given_up(pulls: deque[Pull], fold: Fold) -> None:
    """Take pulls out of a hand whose rows were given up since."""
    if pulls and fold.given_up:
        kept = [pull for pull in pulls if pull.number not in fold.given_up]
        pulls.clear()
        pulls.extend(kept)
