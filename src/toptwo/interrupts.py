"""Ctrl-C that waits until the books are in order."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any


class Interrupts:
    """Holds an interrupt back, except while it is welcome: a measurement may be cut short, bookkeeping may not.

    Only the main thread can do so, and only in place of Python's own handler; elsewhere interrupts stay as they are.
    """

    def __init__(self) -> None:
        self._open = False
        self._held = False
        self._before: Any = None

    def __enter__(self) -> "Interrupts":
        ours = threading.current_thread() is threading.main_thread()
        if ours and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            self._before = signal.signal(signal.SIGINT, self._arrived)
        return self

    def _arrived(self, number: int, frame: FrameType | None) -> None:
        if self._open:
            raise KeyboardInterrupt
        self._held = True

    @contextmanager
    def welcome(self) -> Iterator[None]:
        """Let interrupts through, one that was held back first."""
        if self._held:
            raise KeyboardInterrupt
        self._open = True
        try:
            yield
        finally:
            self._open = False

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
