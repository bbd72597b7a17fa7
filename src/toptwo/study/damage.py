"""Journals that make no sense: which operation is damaged, what is wrong with it, and what can be done."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from toptwo.errors import StudyError

REMEDY = "restore a copy of the database, or begin another study and bring what was told along with study.add"

MISSING = "it is missing"

LONGEST = 60
"""Characters of an operation that are shown."""


class DamagedJournalError(StudyError):
    """An entry of a journal is missing, or makes no sense after those before it."""

    def __init__(self, number: int, what: str, study: str = "") -> None:
        self.number, self.what = number, what
        whose = f" of study {study!r}" if study else ""
        super().__init__(f"the journal{whose} is damaged at operation {number} ({what}): {REMEDY}.")

    def __reduce__(self) -> Any:
        return DamagedJournalError, (self.number, self.what)


class SenselessOperationError(ValueError):
    """An operation that cannot have happened then; what is wrong is said in a few words."""


def damaged(number: int, operation: object, problem: Exception) -> DamagedJournalError:
    """Return the error of an operation that could not be taken in."""
    fields = repr(operation)
    shown = fields if len(fields) <= LONGEST else f"{fields[:LONGEST]}…"
    if isinstance(problem, SenselessOperationError):
        return DamagedJournalError(number, f"{shown}: {problem}")
    said = " ".join(f"{type(problem).__name__}: {problem}".split())
    return DamagedJournalError(number, f"{shown}: {said}, unless a rule of your own is what fails there")


@contextmanager
def named(storage: Any, key: str) -> Iterator[None]:
    """Say of a damaged journal which study it belongs to."""
    try:
        yield
    except DamagedJournalError as problem:
        name = next((name for name in storage.names() if storage.find(name) == key), "")
        raise DamagedJournalError(problem.number, problem.what, name) from problem.__cause__
