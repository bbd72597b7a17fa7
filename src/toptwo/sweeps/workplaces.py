"""What an executor is to a sweep: how many cells it computes side by side, and what may be wrong with it."""

from collections.abc import Callable
from concurrent.futures import BrokenExecutor, CancelledError, Executor
from contextlib import AbstractContextManager
from typing import NamedTuple

from toptwo.errors import WorkError

KEPT = "cells that were done are kept"


class Workplace(NamedTuple):
    """An executor, how many cells it computes side by side, and what may be wrong with it."""

    executor: Executor
    workers: int
    trouble: Callable[[], str] = str
    """Returns a sentence when nothing more can be expected of it, and nothing otherwise."""
    notice: Callable[[], str] = str
    """Returns a few words when it is not computing, though it may go on, and nothing otherwise."""


Hired = AbstractContextManager[Workplace]


def failure(problem: BaseException, what: str) -> WorkError:
    """Return what ended a cell, in a sentence."""
    if isinstance(problem, WorkError):
        return WorkError(f"{what}: {problem}")
    if isinstance(problem, BrokenExecutor):
        return WorkError(
            f"a worker ended while it computed {what}, killed or out of memory; {KEPT}: run the same again."
        )
    if isinstance(problem, CancelledError):
        return WorkError(f"{what} was cancelled by the cluster; {KEPT}: run the same again.")
    if type(problem).__name__ == "KilledWorker":
        return WorkError(
            f"{what} was given up by the cluster after several workers that computed it ended, killed or out of "
            f"memory; {KEPT}: give workers more memory, then run the same again."
        )
    if "deserializ" in str(problem):
        return WorkError(
            f"{what} could not be read by a worker: install the same versions of toptwo, of Python and of your own "
            f"rules there ({type(problem).__name__}: {problem})."
        )
    return WorkError(f"{what}: {type(problem).__name__}: {problem}")
