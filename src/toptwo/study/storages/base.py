"""The contract of storages: what a study needs from whatever keeps its journal.

A storage keeps studies by name; of each a journal of operations (study/operations.py), numbered from 0 without gaps,
and at most one snapshot. Everything that a study knows follows from its journal; the snapshot only makes loading fast.

- **A turn is exclusive.** Between `begin` and `commit` or `rollback` nobody else appends to this study's journal: other
  threads, processes and machines wait. A turn sees everything that was committed before it.
- **All or nothing, at once for all.** `commit` makes all operations of the turn readable, in order, or raises and makes
  none of them so. A process that is killed in the middle of a turn leaves nothing of it, and holds nobody up.
- **What is committed stays**: no operation is ever changed, and none vanishes but with its study (`delete`).
- **One clock.** `Turn.now`, in seconds, is the clock of the storage, not of the worker: leases run out by it. It may
  jump (clocks are set), and nothing but leases depends on it.
- **What speaks of one pull needs no turn.** `append` writes an operation about a pull, between the turns of others, if
  nobody has written about that pull meanwhile: whoever tells a value need not know the rest.
- **Reading takes no turn.** `read` returns what is committed, and never waits for a writer for long.
- **Errors** are StudyError with one sentence that names the remedy (NameTakenError and InputError for names
  that are taken or unknown).
  After one, the same call works once its cause is gone.

`toptwo.testing.check_storage` puts a storage of one's own through all this.
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from toptwo.study.operations import Created, Operation


class Entry(NamedTuple):
    """An operation in a journal, and when it was written, by the storage's clock."""

    at: float
    operation: Operation


class Kept(NamedTuple):
    """A snapshot: what followed from so many operations."""

    length: int
    text: str


class Turn(Protocol):
    """Exclusive access to the journal of one study."""

    now: float
    """Seconds by the storage's clock, when the turn began."""
    length: int
    """Operations committed before the turn."""
    news: Sequence[Entry]
    """Entries committed before the turn, from the number on that `begin` was given; the rest of them is there to `read`
    if there are many."""

    def append(self, operation: Operation) -> None:
        """Add an operation to the turn."""
        ...

    def commit(self) -> None:
        """Make the operations of the turn part of the journal, and end the turn."""
        ...

    def rollback(self) -> None:
        """Forget the operations of the turn, and end it."""
        ...


class Storage(Protocol):
    """Keeps studies."""

    @property
    def leases(self) -> float | None:
        """Return how long a pull is lent, in seconds, unless the study says otherwise; None: for ever."""
        ...

    def create(self, name: str, created: Created) -> str:
        """Begin a study and return its key, which no other study has or had; NameTakenError if the name is taken."""
        ...

    def find(self, name: str) -> str:
        """Return the key of a study, or raise InputError if there is none of this name."""
        ...

    def names(self) -> list[str]:
        """Return the names of all studies, sorted."""
        ...

    def delete(self, key: str) -> None:
        """Delete a study with all that is kept of it."""
        ...

    def read(self, key: str, start: int = 0, stop: int | None = None) -> Sequence[Entry]:
        """Return the entries of a journal from number `start` on, up to `stop` (exclusive); StudyError if deleted."""
        ...

    def last_about(self, key: str, pull: int) -> Operation | None:
        """Return the last operation that speaks of a pull (`operations.pull_of`), or None."""
        ...

    def begin(self, key: str, start: int | None = None) -> Turn:
        """Wait for a turn to write and return it, with news from a number on; StudyError if the study was deleted."""
        ...

    def append(self, key: str, operation: Operation, start: int) -> int | None:
        """Write an operation about a pull by itself and return its number, as a turn would that does nothing else.

        If an entry from number `start` on speaks of the same pull, nothing is written: None. StudyError if deleted.
        """
        ...

    def snapshot(self, key: str) -> Kept | None:
        """Return the snapshot of a study, if there is one."""
        ...

    def keep_snapshot(self, key: str, kept: Kept) -> None:
        """Keep a snapshot in place of an older one; a newer one stays."""
        ...

    def address(self) -> str:
        """Return where it keeps studies, in words for people, without passwords."""
        ...

    def close(self) -> None:
        """Let go of files and connections; the storage can still be used afterwards."""
        ...
