"""Waiting for a storage that has gone away: while its server restarts, a loop must not lose what was measured."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from toptwo.errors import StorageAwayError

FIRST = 0.5
"""Seconds until the first new try; each next one comes after twice the time."""

LONGEST = 15.0
"""Seconds between two tries, at most."""

ENOUGH = 300.0
"""Seconds after which a loop gives up."""

Answer = TypeVar("Answer")


class Patience:
    """Tries again what a storage did not answer, as long as a loop runs; by hand, errors come at once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loops = 0
        self._pause: Callable[[float], None] = time.sleep

    @contextmanager
    def during(self, pause: Callable[[float], None] = time.sleep) -> Iterator[None]:
        """Be patient during a loop, several of which may run in threads."""
        with self._lock:
            self._loops += 1
            before, self._pause = self._pause, pause
        try:
            yield
        finally:
            with self._lock:
                self._loops -= 1
                self._pause = before

    def retry(self, away: StorageAwayError, again: Callable[[], Answer]) -> Answer:
        """Try until the storage is back, or raise what it said last."""
        wait, until = FIRST, time.monotonic() + ENOUGH
        while self._loops and time.monotonic() < until:
            self._pause(wait)
            wait = min(2.0 * wait, LONGEST)
            try:
                return again()
            except StorageAwayError as still:
                away = still
        raise away

    def hand_in(self, away: StorageAwayError, again: Callable[[], None], untold: Sequence[tuple[Any, Any]]) -> None:
        """Try until answers are told; if that is given up, or cut short by Ctrl-C, they are on the error."""
        if not self._loops:
            raise away
        try:
            self.retry(away, again)
        except StorageAwayError as still:
            still.untold = tuple(untold)
            raise
        except KeyboardInterrupt:
            away.untold = tuple(untold)
            raise away from None
