"""Where cells are computed: any `concurrent.futures.Executor`, on this machine or elsewhere.

By default these are processes on this machine: compiling holds the interpreter, so that two workers compile two
algorithms at a time. `dask` gives the executor of a cluster. What travels is plain data (cells.Work) one way and arrays
the other; this process alone writes files.
"""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any

from toptwo import checks
from toptwo.engine.cuda.device import why_none
from toptwo.errors import InputError
from toptwo.sweeps.clusters import dask
from toptwo.sweeps.workplaces import Hired, Workplace


class Here(Executor):
    """Computes in this process, when asked to."""

    def submit(self, function: Callable[..., Any], /, *given: Any, **named: Any) -> "Future[Any]":
        """Return what has been computed."""
        future: Future[Any] = Future()
        try:
            future.set_result(function(*given, **named))
        except Exception as problem:
            future.set_exception(problem)
        return future


@contextmanager
def here() -> Iterator[Workplace]:
    """Yield this process."""
    yield Workplace(Here(), 1)


@contextmanager
def processes(workers: int) -> Iterator[Workplace]:
    """Yield so many processes of this machine, which end when the context does, or this process, however it ends."""
    if getattr(multiprocessing.current_process(), "_inheriting", False):
        raise InputError(
            "workers were asked for while a worker was starting: put the call in your script under "
            'if __name__ == "__main__":'
        )
    context = multiprocessing.get_context("spawn")
    lifeline, held = context.Pipe(duplex=False)
    executor = ProcessPoolExecutor(workers, mp_context=context, initializer=_serve, initargs=(lifeline,))
    try:
        yield Workplace(executor, workers)
    finally:
        held.close()  # workers end at once: what they were computing will be asked for again
        executor.shutdown(wait=True, cancel_futures=True)
        lifeline.close()


def _serve(lifeline: Any) -> None:
    """Set a worker up: it leaves interrupts to the process that started it, and ends when that lets go of the line."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def wait_for_the_end() -> None:
        with suppress(EOFError, OSError):
            lifeline.recv()
        os._exit(0)

    threading.Thread(target=wait_for_the_end, daemon=True).start()


def hire(
    workers: int | None = None, executor: Executor | None = None, cluster: Any = None, *, engine: str = "cpu"
) -> Hired:
    """Return where to compute: on a given executor, on a Dask cluster, in processes, or, with one worker, here.

    Unless told otherwise there is a worker for each processor, and one for a GPU.

    Examples
    --------
    >>> with hire(workers=1) as place:
    ...     place.executor.submit(sum, [1, 2]).result()
    3
    """
    if sum(choice is not None for choice in (workers, executor, cluster)) > 1:
        raise InputError("give one of workers, executor and dask: they say the same thing, where to compute.")
    if cluster is not None:
        return dask(cluster)
    if executor is not None:
        return _given(executor)
    on_gpu = engine == "cuda" or (engine == "auto" and not why_none())
    usual = 1 if on_gpu else (os.cpu_count() or 1)
    number = usual if workers is None else checks.whole("workers", workers, 1)
    return here() if number == 1 else processes(number)


@contextmanager
def _given(executor: Any) -> Iterator[Workplace]:
    """Yield somebody's own executor, which is theirs to shut down."""
    if not callable(getattr(executor, "submit", None)):
        raise InputError(f"executor must be a concurrent.futures.Executor, not {executor!r}.")
    workers = getattr(executor, "_max_workers", None)
    yield Workplace(executor, workers if isinstance(workers, int) else (os.cpu_count() or 1))
