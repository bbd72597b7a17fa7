"""Dask clusters as places to compute: what is wrong with them is one sentence, and their own reports are kept quiet."""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import Any

from toptwo.errors import InputError
from toptwo.sweeps.workplaces import KEPT, Workplace
from toptwo.words import counted

ANSWERS_WITHIN = "10s"
"""How long a scheduler may take to answer when it is first asked."""

LOOK_EVERY = 2.0
"""Seconds between two questions how many workers there are, asked only while nothing is finished."""

NOTICED_AFTER, GIVEN_UP_AFTER = 4.0, 60.0
"""Seconds without any worker after which that is shown, and after which the run ends: none may ever come."""

LOGGERS = ("distributed", "tornado", "asyncio")
"""Who reports at length, on the error stream, that a connection was lost."""


@contextmanager
def dask(cluster: Any) -> Iterator[Workplace]:
    """Yield the workers of a Dask cluster, given by the address of its scheduler or a client."""
    try:
        distributed: Any = import_module("distributed")
    except ImportError:
        raise InputError("computing on a Dask cluster needs distributed: pip install 'toptwo[dask]'.") from None
    client: Any = cluster
    own = isinstance(cluster, str)
    with quiet():
        if own:
            try:
                client = distributed.Client(cluster, timeout=ANSWERS_WITHIN, set_as_default=False)
            except (OSError, ValueError) as problem:
                raise InputError(f"no Dask scheduler answers at {cluster}: {problem}") from None
        if not isinstance(client, distributed.Client):
            raise InputError(f"dask must be the address of a scheduler or a distributed.Client, not {cluster!r}.")
        threads = sum(client.nthreads().values())
        if not threads:
            raise InputError(f"the Dask scheduler at {client.scheduler.address} has no workers: start some first.")
        executor, watch = client.get_executor(pure=False, retries=0), Watch(client)
        try:
            yield Workplace(executor, threads, watch.trouble, watch.notice)
        finally:
            with suppress(Exception):
                executor.shutdown(wait=False)
            if own:
                with suppress(Exception):
                    client.close(timeout=2)


class Watch:
    """Asks a cluster from time to time whether scheduler and workers are still there."""

    def __init__(self, client: Any) -> None:
        self._client, self._address = client, client.scheduler.address
        self._asked = time.monotonic()
        self._deserted: float | None = None
        """Since when there have been no workers."""

    def trouble(self) -> str:
        """Return a sentence when nothing more can be expected of the cluster."""
        self._look()
        if self._client.status != "running":
            return f"the Dask scheduler at {self._address} is gone; {KEPT}: run the same again."
        if self._without_workers() > GIVEN_UP_AFTER:
            return (
                f"the Dask scheduler at {self._address} has had no workers for {GIVEN_UP_AFTER:.0f} s; {KEPT}: start "
                "workers, then run the same again."
            )
        return ""

    def notice(self) -> str:
        """Return a few words when the cluster has had no workers for a while."""
        seconds = self._without_workers()
        if seconds < NOTICED_AFTER:
            return ""
        return f"the Dask cluster has no workers: start some within {counted(round(GIVEN_UP_AFTER), 'second')}"

    def _without_workers(self) -> float:
        return 0.0 if self._deserted is None else time.monotonic() - self._deserted

    def _look(self) -> None:
        """Ask for the workers, if that was some time ago."""
        if time.monotonic() < self._asked + LOOK_EVERY:
            return
        with suppress(Exception):  # a scheduler that is gone does not answer, and its status says so
            some = self._client.sync(self._client.scheduler.ncores, workers=None, callback_timeout=5)
            self._deserted = None if some else self._deserted or time.monotonic()
        self._asked = time.monotonic()


@contextmanager
def quiet() -> Iterator[None]:
    """Keep what a cluster's connections report off the error stream for as long as this lasts."""
    loggers = [logging.getLogger(name) for name in _names()]
    for logger in loggers:
        logger.addFilter(_nothing)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeFilter(_nothing)


def _names() -> list[str]:
    """Return the names of all loggers that are meant: each one decides for itself."""
    known = [name for name in logging.root.manager.loggerDict if name.partition(".")[0] in LOGGERS]
    return sorted({*LOGGERS, *known})


def _nothing(record: logging.LogRecord) -> bool:
    return False
