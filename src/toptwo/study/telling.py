"""What a study is told: which pull is meant, whether the value can be one, and whether it was told before."""

import math
from collections.abc import Hashable
from typing import Any

from toptwo import checks
from toptwo.errors import InputError, StudyError
from toptwo.study.fold import Fold
from toptwo.study.journal import Journal
from toptwo.study.operations import Told
from toptwo.study.pulls import Pull
from toptwo.study.values import number_or_raise


def answer(journal: Journal, pull: Pull | int, value: Any, cost: float | None, size: int) -> Told | None:
    """Return what to write down of the value of a pull; nothing if it was told before."""
    number, told = heard(journal, pull, value, size)
    if number not in journal.fold.leases:
        return None
    return Told(number, told, None if cost is None else checks.at_least("cost", cost, 0.0), size)


def heard(journal: Journal, pull: Pull | int, value: Any, size: int = 1) -> tuple[int, float]:
    """Return the number of a pull and the value that it is told, or say why that cannot be."""
    fold = journal.fold
    number = number_of(journal, pull)
    lease = fold.leases.get(number)
    if lease is not None and isinstance(pull, Pull) and pull.index != lease.arm:
        raise StudyError(
            f"pull {number} is of arm {fold.arms[lease.arm]!r} by now, not {pull.arm!r}: the storage's server "
            "crashed before it kept that the pull was handed out; drop this value and ask on."
        )
    if lease is not None:
        arm = fold.arms[lease.arm]
        if size == 1:
            return number, checked(fold, value, arm)
        fold.design.check_average(average := number_or_raise(value, arm), size, arm)
        return number, average
    told = number_or_raise(value, number, "pull")
    if number in fold.given_up:
        return number, told
    known = known_value(journal, number)
    if known != told and not fold.was_shared(pull):
        raise StudyError(
            f"pull {number} was reported as failed before: a value cannot count any more."
            if known is None
            else f"pull {number} was told {known:g} before, and {value!r} now: a value counts once."
        )
    return number, told


def known_value(journal: Journal, number: int) -> float | None:
    """Return the value that a pull was told, or None if it failed."""
    known = journal.fold.value(number)
    if known is None or not (math.isnan(known) or journal.fold.lost):
        return known
    last = journal.storage.last_about(journal.key, number)
    return last.value if isinstance(last, Told) else known if last is None else None


def checked(fold: Fold, value: Any, arm: Hashable) -> float:
    """Return a measured value of an arm as a float, or raise InputError if it cannot be one."""
    number = number_or_raise(value, arm)
    fold.design.check(number, arm)
    return number


def number_of(journal: Journal, pull: Pull | int) -> int:
    """Return the number of a pull, or raise InputError if this study has asked for none such."""
    number = pull
    if isinstance(pull, Pull):
        number = pull.number
        if pull.study != journal.key:
            raise InputError(f"pull {number} of arm {pull.arm!r} belongs to another study: tell it there.")
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < journal.fold.pulls:
        raise InputError(f"pull must be one that this study has asked for, not {pull!r}.")
    return number
