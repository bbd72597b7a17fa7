"""The loop around a study: ask, measure with a function, tell; alone or with several threads side by side."""

import os
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any, Protocol

from toptwo import checks
from toptwo.errors import InputError, MeasurementError, NothingToAskError, StorageAwayError, StudyError
from toptwo.interrupts import Interrupts
from toptwo.study.lines import progress_view
from toptwo.study.pulls import Pull
from toptwo.study.storages.memory import MemoryStorage
from toptwo.study.study import Study

PAUSE = 0.2
"""Seconds until a study is asked again whose pulls are all with other processes."""

Callback = Callable[[Study, Pull], None]


Measure = Callable[..., float]


def measured(measure: Measure, pull: Pull) -> float:
    """Return one measurement of an arm, on the item of its row if rows have items."""
    return measure(pull.arm) if pull.item is None else measure(pull.arm, pull.item)


class Crew(Protocol):
    """Measures pulls."""

    def start(self, pull: Pull) -> None:
        """Begin to measure."""
        ...

    def finish(self) -> list[tuple[Pull, Any]]:
        """Wait until something is measured; return pulls with their values, or with the exception."""
        ...

    def finished(self) -> list[tuple[Pull, Any]]:
        """Return what is measured, as `finish` does, without waiting."""
        ...

    def leave(self) -> list[Pull]:
        """Stop; return the pulls that are not measured."""
        ...


class Alone:
    """Measures in this thread."""

    def __init__(self, measure: Measure) -> None:
        self._measure = measure
        self._pull: Pull | None = None

    def start(self, pull: Pull) -> None:
        """Note what to measure."""
        self._pull = pull

    def finish(self) -> list[tuple[Pull, Any]]:
        """Measure."""
        assert self._pull is not None
        try:
            value: Any = measured(self._measure, self._pull)
        except Exception as problem:
            value = problem
        pull, self._pull = self._pull, None
        return [(pull, value)]

    def finished(self) -> list[tuple[Pull, Any]]:
        """Return nothing: it is finished or it is not begun."""
        return []

    def leave(self) -> list[Pull]:
        """Return the pull whose measurement was cut short."""
        return [] if self._pull is None else [self._pull]


class Threads:
    """Measures in several threads."""

    def __init__(self, measure: Measure, jobs: int) -> None:
        self._measure = measure
        self._pool = ThreadPoolExecutor(jobs, "toptwo")
        self._under_way: dict[Future[float], Pull] = {}

    def start(self, pull: Pull) -> None:
        """Hand a pull to a thread."""
        self._under_way[self._pool.submit(measured, self._measure, pull)] = pull

    def finish(self) -> list[tuple[Pull, Any]]:
        """Wait for the first answer."""
        wait(self._under_way, return_when=FIRST_COMPLETED)
        return self.finished()

    def finished(self) -> list[tuple[Pull, Any]]:
        """Return what is measured by now."""
        done = [future for future in self._under_way if future.done()]
        answers = []
        for future in sorted(done, key=lambda future: self._under_way[future].number):
            problem = future.exception()
            answers.append((self._under_way.pop(future), future.result() if problem is None else problem))
        return answers

    def leave(self) -> list[Pull]:
        """Wait for nobody; a measurement under way ends by itself, unheard."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        return list(self._under_way.values())


def optimize(
    study: Study,
    measure: Measure,
    *,
    n_pulls: int | None,
    timeout: float | None,
    n_jobs: int,
    callbacks: Iterable[Callback],
    progress: bool | None,
) -> None:
    """Measure until the study is over, or enough was measured here; docs at `Study.optimize`."""
    if not callable(measure):
        raise InputError(f"measure must be a function of an arm that returns a number, not {measure!r}.")
    jobs = os.cpu_count() or 1 if n_jobs == -1 else checks.whole("n_jobs", n_jobs, 1)
    limit = None if n_pulls is None else checks.whole("n_pulls", n_pulls, 1)
    until = None if timeout is None else time.monotonic() + checks.at_least("timeout", timeout, 0.0)
    crew: Crew = Alone(measure) if jobs == 1 else Threads(measure, jobs)
    loop = Loop(study, crew, jobs, limit, until, tuple(callbacks))
    with progress_view(study, progress) as view:
        with Interrupts() as interrupts:

            def pause(seconds: float) -> None:
                with interrupts.welcome():
                    time.sleep(seconds)

            try:
                with study.patience.during(pause):
                    while loop.fill(interrupts):
                        with interrupts.welcome():
                            answers = crew.finish()
                        loop.tell(answers)
                        view.show()
            except KeyboardInterrupt:
                view.interrupted()
            except StorageAwayError as away:
                away.untold += loop.measured()
                raise
            finally:
                loop.leave()
        view.show(last=True)


def asking(study: Study) -> Iterator[Pull]:
    """Yield pulls until the study is over; docs at `Study.asking`."""
    try:
        with study.patience.during():
            while study.running:
                try:
                    pull = ask_unless_over(study)
                except NothingToAskError as nothing:
                    wait_for_others(study, nothing)
                    continue
                if pull is not None:
                    yield pull
    finally:
        study.put_down()


def ask_unless_over(study: Study) -> Pull | None:
    """Return the next pull; None if somebody else has ended the study a moment ago."""
    try:
        return study.ask()
    except NothingToAskError:
        raise
    except StudyError:
        if study.running:
            raise
        return None


def wait_for_others(study: Study, nothing: NothingToAskError) -> None:
    """Wait for what is with other processes; in memory there are none."""
    if isinstance(study.storage, MemoryStorage):
        raise nothing
    time.sleep(PAUSE)


class Loop:
    """The books of one call of `optimize`."""

    def __init__(
        self,
        study: Study,
        crew: Crew,
        jobs: int,
        limit: int | None,
        until: float | None,
        callbacks: tuple[Callback, ...],
    ) -> None:
        self._study, self._crew, self._jobs = study, crew, jobs
        self._limit, self._until, self._callbacks = limit, until, callbacks
        self._asked = self._under_way = 0
        self._unread: deque[tuple[Pull, Any]] = deque()
        study.stopping = False

    @property
    def _enough(self) -> bool:
        spent = self._limit is not None and self._asked >= self._limit
        late = self._until is not None and time.monotonic() >= self._until
        return (spent and not self._study.amid_row) or self._study.stopping or late

    def fill(self, interrupts: Interrupts) -> bool:
        """Ask until everybody is busy; return whether there is something to wait for."""
        while self._under_way < self._jobs and not self._enough and self._study.running:
            try:
                pull = ask_unless_over(self._study)
            except NothingToAskError as nothing:
                if self._under_way:
                    break
                with interrupts.welcome():
                    wait_for_others(self._study, nothing)
                continue
            if pull is None:
                break
            self._crew.start(pull)
            self._asked += 1
            self._under_way += 1
        return self._under_way > 0

    def tell(self, answers: list[tuple[Pull, Any]]) -> None:
        """Write answers down; the first that cannot be used ends the loop, unless failures are provided for."""
        self._under_way -= len(answers)
        problem: MeasurementError | None = None
        self._unread = deque(answers)
        while self._unread:
            pull, value = self._unread.popleft()
            failure = self._failure(pull, value)
            if failure is None:
                self._study.tell(pull, value)
            elif self._study.failures != "abort":
                self._study.fail(pull, str(failure))
            else:
                self._study.put_down([pull])
                problem = problem or failure
            for callback in self._callbacks:
                callback(self._study, pull)
        if problem is not None:
            raise problem

    def measured(self) -> tuple[tuple[Pull, float], ...]:
        """Return what is measured and not yet written down."""
        found = [*self._unread, *self._crew.finished()]
        return tuple(answer for answer in found if self._failure(*answer) is None)

    def _failure(self, pull: Pull, value: Any) -> MeasurementError | None:
        """Return what is wrong with an answer, with the study attached."""
        if isinstance(value, Exception):
            failure = MeasurementError(f"measure({pull.arm!r}) raised {type(value).__name__}: {value}")
            failure.__cause__ = value
        else:
            try:
                self._study.checked(value, pull.arm)
                return None
            except InputError as problem:
                failure = MeasurementError(f"measure returned a bad value: {problem}")
        failure.study = self._study
        return failure

    def leave(self) -> None:
        """Give back what was not measured, and what is left of a row."""
        self._study.put_down(self._crew.leave())
