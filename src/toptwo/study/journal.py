"""A study's fold, kept in step with the journal that a storage keeps."""

import functools
from threading import RLock
from types import TracebackType
from typing import Any

from toptwo.errors import InputError, StudyError
from toptwo.study.designs.base import Choice
from toptwo.study.fold import Fold
from toptwo.study.operations import Concluded, Created, Operation
from toptwo.study.question import Question, decoded
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
        self._lock = RLock()
        self._turn: Turn | None = None
        self._written = self._stale = False
        self._missed = 0  # operations of others that were taken in lately
        self.created: Any = storage.read(key, 0, 1)[0].operation
        if not isinstance(self.created, Created):
            raise StudyError("the journal does not begin with the study's creation: the database is damaged.")
        kept = self.created.question
        self.question: Question = kept if isinstance(kept, Question) else decoded(kept)
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
        with self._lock:
            self._take_in()
            if self.fold.to_conclude and not self.changed:
                with self:
                    pass
            return self.fold

    def _take_in(self) -> None:
        if self._stale:
            self._stale = False
            self._folded()
        self._missed //= 2
        while True:
            entries = self.storage.read(self.key, self.fold.length, self.fold.length + CHUNK)
            for entry in entries:
                self.fold.apply(entry.operation)
            self._missed += len(entries) // 2
            if len(entries) < CHUNK:
                return

    def entries(self) -> list[Entry]:
        """Return the whole journal."""
        return list(self.storage.read(self.key))

    @functools.cached_property
    def changed(self) -> bool:
        """Return whether the code that decides is not what it was when the study was created."""
        return bool(self.created.code) and has_changed(self.created.code, *self.fold.design.parts())

    # --- writing ----------------------------------------------------------------------------------------------------
    @property
    def now(self) -> float:
        """Return the storage's clock, during a turn."""
        assert self._turn is not None
        return self._turn.now

    def __enter__(self) -> "Journal":
        self._lock.acquire()
        try:
            if self._missed > FEW:
                self._take_in()  # before the turn, so that others need not wait for it
            turn = self._turn = self.storage.begin(self.key)
            self._written = False
            if turn.length > self.fold.length or self._stale:
                self._take_in()
        except BaseException as problem:
            self.__exit__(type(problem), problem, None)
            raise
        return self

    def do(self, operation: Operation) -> None:
        """Write an operation down and take it in."""
        self._written = True
        self._turn.append(operation)  # type: ignore[union-attr]  # there is a turn, or nothing to call
        self.fold.apply(operation, chosen=True)

    def choose(self, wanted: int) -> Choice | None:
        """Return what the design wants next, which must be done; a design that fails has lost its place."""
        before, self._written = self._written, True
        choice = self.fold.design.choose(wanted)
        if choice is None:
            self._written = before
        return choice

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if self._turn is not None:
                if kind is None and self.fold.to_conclude and not self.changed:
                    self._conclude()
                turn, self._turn = self._turn, None
                self._stale = self._written  # the fold is ahead of the journal, until this is kept for sure
                if kind is None and self._written:
                    turn.commit()
                    self._stale = False
                else:
                    turn.rollback()
        finally:
            self._lock.release()

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
        with self._lock:
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


def begin_study(storage: Storage, name: str, question: Question, *, stored: bool) -> str:
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
