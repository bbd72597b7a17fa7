"""A storage in memory: journals live as long as the process, and can be pickled."""

import time
from collections.abc import Sequence
from threading import RLock
from typing import Any
from uuid import uuid4

from toptwo.errors import InputError, NameTakenError, StudyError
from toptwo.study.operations import Created, Operation, pull_of
from toptwo.study.storages.base import Entry, Kept


class MemoryJournal:
    """The journal of one study, and the turn of whoever writes to it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.operations: list[Operation] = []
        self.times: list[float] = []
        self.snapshot: Kept | None = None
        self.gone = False
        self.now = 0.0
        self.length = 0
        self.news: Sequence[Entry] = ()
        self._turns = RLock()

    def begin(self, start: int | None = None) -> "MemoryJournal":
        """Wait for the turn of the others to end."""
        self._turns.acquire()
        self.now, self.length = time.time(), len(self.operations)
        self.news = () if start is None or start == self.length else self.entries(start)
        return self

    def entries(self, start: int, stop: int | None = None) -> list[Entry]:
        """Return what was written, with the times."""
        with self._turns:
            times, operations = self.times[start:stop], self.operations[start:stop]
        return [Entry(*pair) for pair in zip(times, operations, strict=True)]

    def append(self, operation: Operation) -> None:
        """Add an operation."""
        self.times.append(self.now)
        self.operations.append(operation)

    def commit(self) -> None:
        """Let others see it."""
        self._turns.release()

    def rollback(self) -> None:
        """Forget the operations of this turn."""
        del self.operations[self.length :], self.times[self.length :]
        self._turns.release()

    def __getstate__(self) -> dict[str, Any]:
        with self._turns:
            state = dict(vars(self), operations=list(self.operations), times=list(self.times), news=())
        del state["_turns"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _turns=RLock())


class MemoryStorage:
    """Keeps studies in memory, for the threads of one process."""

    leases: float | None = None

    def __init__(self) -> None:
        self._journals: dict[str, MemoryJournal] = {}
        self._keys: dict[str, str] = {}

    def create(self, name: str, created: Created) -> str:
        """Begin a study."""
        key, journal = uuid4().hex, MemoryJournal(name)
        journal.begin().append(created)
        journal.commit()
        self._journals[key] = journal  # before its name, by which others may find it at once
        if self._keys.setdefault(name, key) != key:
            del self._journals[key]
            raise NameTakenError(f"study_name {name!r} is taken: choose another, or give load_if_exists=True.")
        return key

    def find(self, name: str) -> str:
        """Return the key of a study."""
        if name not in self._keys:
            raise InputError(f"study_name {name!r} is unknown here; known: {', '.join(self.names()) or 'none yet'}.")
        return self._keys[name]

    def names(self) -> list[str]:
        """Return the names of all studies."""
        return sorted(self._keys)

    def delete(self, key: str) -> None:
        """Delete a study."""
        journal = self._journal(key).begin()
        del self._keys[journal.name], self._journals[key]
        journal.gone = True
        journal.commit()

    def _journal(self, key: str) -> MemoryJournal:
        try:
            return self._journals[key]
        except KeyError:
            raise StudyError("the study was deleted: create it again.") from None

    def read(self, key: str, start: int = 0, stop: int | None = None) -> list[Entry]:
        """Return entries of a journal."""
        journal = self._journal(key)
        return [] if start == len(journal.operations) else journal.entries(start, stop)

    def last_about(self, key: str, pull: int) -> Operation | None:
        """Return the last operation that speaks of a pull."""
        operations = reversed(self._journal(key).operations)
        return next((operation for operation in operations if pull_of(operation) == pull), None)

    def begin(self, key: str, start: int | None = None) -> MemoryJournal:
        """Wait for a turn to write."""
        journal = self._journal(key).begin(start)
        if journal.gone:
            journal.commit()
            raise StudyError("the study was deleted: create it again.")
        return journal

    def append(self, key: str, operation: Operation, start: int) -> int | None:
        """Write an operation about a pull, unless others have written about it."""
        turn, pull = self.begin(key), pull_of(operation)
        try:
            if start < turn.length and any(pull_of(other) == pull for other in turn.operations[start:]):
                return None
            turn.append(operation)
            return turn.length
        finally:
            turn.commit()

    def snapshot(self, key: str) -> Kept | None:
        """Return the snapshot of a study."""
        return self._journal(key).snapshot

    def keep_snapshot(self, key: str, kept: Kept) -> None:
        """Keep a snapshot."""
        journal = self._journal(key)
        if journal.snapshot is None or journal.snapshot.length < kept.length:
            journal.snapshot = kept

    def address(self) -> str:
        """Return where it keeps studies."""
        return "memory"

    def close(self) -> None:
        """Do nothing: there is nothing to let go of."""
