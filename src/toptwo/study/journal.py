"""A study's fold, kept in step with the journal that a storage keeps."""

import functools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import RLock
from types import TracebackType
from typing import Any

from toptwo.errors import InputError, StudyError
from toptwo.study.designs.base import NextRow
from toptwo.study.fold import Fold
from toptwo.study.operations import Concluded, Created, Operation
from toptwo.study.question import StudyQuestion, decoded
from toptwo.study.recipes import digest_of, has_changed
from toptwo.study.storages.base import Entry, Kept, Storage, Turn
from toptwo.version import __version__

EVERY = 2000
"""Operations between two snapshots, at least."""

COSTLY = 250
"""Characters of a snapshot that weigh as much as an operation: large ones are taken more rarely."""

FEW = 3
"""Operations of others since the last turn that may be taken in during a turn."""

CHUNK = 50_000
"""Operations that are read at once."""


class Journal:
    """The journal of one study, seen from one process; `with journal:` is a turn to write, caught up."""

    def __init__(self, storage: Storage, key: str) -> None:
        self.storage, self.key = storage, key
        self.lock = RLock()
        self._turn: Turn | None = None
        self._written = self._stale = False
        self._missed = 0  # operations of others that were taken in lately
        self.created: Any = storage.read(key, 0, 1)[0].operation
        if not isinstance(self.created, Created):
            raise StudyError("the journal does not begin with the study's creation: the database is damaged.")
        kept = self.created.question
        self.question: StudyQuestion = kept if isinstance(kept, StudyQuestion) else decoded(kept)
        self._next_snapshot = EVERY
        self.fold: Fold
        self._folded()

    # --- reading ----------------------------------------------------------------------------------------------------
    def _folded(self) -> None:
        """Fold the journal, from the snapshot on if there is one."""
        fold = Fold(self.question)
        kept = self.storage.snapshot(self.key)
        if kept is not None and fold.restore(kept.text, self.created.code):
            self._next_snapshot = kept.length + EVERY + len(kept.text) // COSTLY
        self.fold = fold
        self._take_in()

    def catch_up(self) -> Fold:
        """Take in what others have written by now, and the verdict if that brought one about."""
        with self.lock:
            self._take_in()
            self._conclude_if_due()
            return self.fold

    def _take_in(self) -> None:
        """Fold what others have written."""
        if self._stale:
            self._stale = False
            self._folded()
        while True:
            with self._in_doubt():
                entries = self.storage.read(self.key, self.fold.length, self.fold.length + CHUNK)
            self._apply(entries)
            if len(entries) < CHUNK:
                return

    def _apply(self, entries: Sequence[Entry]) -> None:
        if entries:  # mostly there are none
            with self._in_doubt():
                for entry in entries:
                    self.fold.apply(entry.operation)
        self._missed = (self._missed + len(entries)) // 2

    @contextmanager
    def _in_doubt(self) -> Iterator[None]:
        """After an error fold anew.

        A server that crashed may have forgotten what it said before, and a rule that fails leaves a fold half changed.
        """
        try:
            yield
        except BaseException:
            self._stale = True
            raise

    def entries(self) -> list[Entry]:
        """Return the whole journal."""
        return list(self.storage.read(self.key))

    @functools.cached_property
    def changed(self) -> bool:
        """Return whether the code that decides is not what it was when the study was created."""
        return bool(self.created.code) and has_changed(self.created.code, *self.fold.design.parts())

    def has_open(self, pull: Any) -> bool:
        """Return whether a pull is one without a value, as far as is known here."""
        return not self._stale and isinstance(pull, int) and pull in self.fold.leases

    # --- writing ----------------------------------------------------------------------------------------------------
    @property
    def now(self) -> float:
        """Return the storage's clock, during a turn."""
        assert self._turn is not None
        return self._turn.now

    def __enter__(self) -> "Journal":
        self.lock.acquire()
        try:
            self._begin()
            if self._due:  # by answers that were written without a turn
                self._end(keep=True)
                self._begin()
        except BaseException as problem:
            self.__exit__(type(problem), problem, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if self._turn is not None:
                self._end(keep=kind is None)
        finally:
            self.lock.release()

    def _begin(self) -> None:
        """Take a turn, caught up."""
        if self._missed > FEW or self._stale:
            self._take_in()  # before the turn, so that others need not wait for it
        with self._in_doubt():
            turn = self._turn = self.storage.begin(self.key, self.fold.length)
        self._written = False
        self._apply(turn.news)
        self._stale = self._stale or self.fold.length > turn.length
        if self._stale or self.fold.length < turn.length:
            self._take_in()

    def _end(self, *, keep: bool) -> None:
        """End the turn: write down what was done, and the verdict if there is one, or forget it."""
        if keep and self._due:
            self._conclude()
        turn, self._turn = self._turn, None
        assert turn is not None
        self._stale = self._written  # the fold is ahead of the journal, until this is kept for sure
        if keep and self._written:
            turn.commit()
            self._stale = False
        else:
            turn.rollback()

    def append(self, operation: Operation) -> bool:
        """Write an operation about a pull down without a turn; return False if others have written about that pull."""
        with self.lock:
            with self._in_doubt():
                number = self.storage.append(self.key, operation, self.fold.length)
                if number == self.fold.length:
                    self.fold.apply(operation)
            self._conclude_if_due()
            return number is not None

    def do(self, operation: Operation) -> None:
        """Write an operation down and take it in."""
        self._written = True
        self._turn.append(operation)  # type: ignore[union-attr]  # there is a turn, or nothing to call
        self.fold.apply(operation, chosen=True)

    def choose(self, wanted: int) -> NextRow | None:
        """Return what the design wants next, which must be done; a design that fails has lost its place."""
        before, self._written = self._written, True
        choice = self.fold.choose(wanted)
        if choice is None:
            self._written = before
        return choice

    @property
    def _due(self) -> bool:
        """Return whether there is a verdict that nobody has written down."""
        return self.fold.to_conclude and not self.changed

    def _conclude_if_due(self) -> None:
        """Take a turn for a verdict, unless it is written at the end of this one."""
        if self._due and self._turn is None:
            with self:
                pass

    def _conclude(self) -> None:
        """Write the verdict down."""
        try:
            self.do(conclusion(self.fold))
        except BaseException:
            turn, self._turn, self._stale = self._turn, None, True
            turn.rollback()  # type: ignore[union-attr]
            raise

    def keep_snapshot(self) -> None:
        """Keep a snapshot if enough has happened since the last one; only where studies are stored."""
        if not self.created.code:
            return
        with self.lock:
            if self.fold.length >= self._next_snapshot and not self.changed:
                text = self.fold.snapshot(self.created.code)
                self._next_snapshot = self.fold.length + EVERY + len(text) // COSTLY
                self.storage.keep_snapshot(self.key, Kept(self.fold.length, text))


def conclusion(fold: Fold) -> Concluded:
    """Return the verdict to write down."""
    found, question = fold.design.findings(), fold.question
    return Concluded(
        status=found.status,
        arm=found.arm,
        confidence=found.confidence,
        proven=found.proven,
        pulls=found.pulls,
        cutoff=fold.length,
        delta=question.delta,
        epsilon=question.epsilon,
        threshold=found.threshold,
        assumption=found.assumption,
        means=found.means,
        counts=found.counts,
        version=__version__,
    )


def begin_study(storage: Storage, name: str, question: StudyQuestion, *, stored: bool) -> str:
    """Write the first operation of a study and return its key; memory keeps the question as it is."""
    fold = Fold(question)  # refuses what makes no sense, before anything is kept
    if question.worst is not None:
        try:
            fold.design.check(question.worst, "worst")
        except InputError:
            raise InputError(f"worst must be a value that could be measured, not {question.worst!r}.") from None
    code = digest_of(*fold.design.parts()) if stored else {}
    data: Any = question.encoded() if stored else question
    return storage.create(name, Created(data, code, __version__))
