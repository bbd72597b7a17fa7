"""What a study is told: which pull is meant, whether the value can be one, and whether it was told before."""

import math
import operator
from collections.abc import Hashable
from typing import Any

from toptwo import checks
from toptwo.errors import InputError, StudyError
from toptwo.study.fold import Fold
from toptwo.study.journal import Journal
from toptwo.study.operations import ResultsAdded, Told
from toptwo.study.pulls import Pull
from toptwo.study.values import average_of, listed, number_or_raise


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
    known, known_size = known_answer(journal, number)
    if (known != told or known_size != size) and not fold.was_shared(pull):
        raise StudyError(
            f"pull {number} was reported as failed before: a value cannot count any more."
            if known is None
            else f"pull {number} was told {known:g}{_of(known_size)} before, and {value!r}{_of(size)} now: a value "
            "counts once."
        )
    return number, told


def _of(size: int) -> str:
    """Return of how many measurements a value is the average, in words."""
    return "" if size == 1 else f" of {size} trials"


def known_answer(journal: Journal, number: int) -> tuple[float | None, int]:
    """Return the value that a pull was told, None if it failed, and of how many measurements it is the average."""
    known = journal.fold.value(number)
    if known is None or not (math.isnan(known) or journal.fold.lost):
        return known, journal.fold.size(number)
    last = journal.storage.last_about(journal.key, number)
    if isinstance(last, Told):
        return last.value, last.size
    return known if last is None else None, 1


def checked(fold: Fold, value: Any, arm: Hashable) -> float:
    """Return a measured value of an arm as a float, or raise InputError if it cannot be one."""
    number = number_or_raise(value, arm)
    fold.design.check(number, arm)
    return number


def results_of(fold: Fold, arm: Hashable, values: Any, successes: Any, trials: Any) -> ResultsAdded:
    """Return what to write down of results that exist already, or say why they cannot be used."""
    if arm not in fold.arms:
        raise InputError(f"arm {arm!r} is not one of this study's: {', '.join(map(repr, fold.arms[:20]))}.")
    if fold.design.in_blocks:
        raise InputError(
            'results that exist already were not measured side by side: design="blocks" cannot compare them.'
        )
    if fold.arms.index(arm) >= len(fold.question.arms):
        raise InputError(
            f"arm {arm!r} was added while the study ran: results of it that exist already may be why, and cannot "
            "count. Ask for pulls of it, or begin another study with all arms and all results."
        )
    size = 1
    if trials is not None or successes is not None:
        average, size = average_of(values, successes, trials)
        values = [average]
    given = listed("values must be a list of numbers, or come with trials", values)
    if size == 1:
        values = tuple(checked(fold, value, arm) for value in given)
        return ResultsAdded(fold.arms.index(arm), values, together=True)
    results = tuple(number_or_raise(value, arm) for value in given)
    for average in results:
        fold.design.check_average(average, size, arm)
    return ResultsAdded(fold.arms.index(arm), results, size, together=True)


def number_of(journal: Journal, pull: Pull | int) -> int:
    """Return the number of a pull, or raise InputError if this study has asked for none such."""
    number = pull
    if isinstance(pull, Pull):
        number = pull.number
        if pull.study != journal.key:
            raise InputError(f"pull {number} of arm {pull.arm!r} belongs to another study: tell it there.")
    if type(number) is not int:
        number = whole_number(number)
    if not 0 <= number < journal.fold.pulls:
        raise InputError(f"pull must be one that this study has asked for, not {pull!r}.")
    return number


def whole_number(number: Any) -> int:
    """Return a number of whatever kind as an int; −1 if it is no whole number."""
    try:
        return -1 if isinstance(number, bool) else operator.index(number)
    except TypeError:
        return -1
