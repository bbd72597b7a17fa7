"""Ctrl-C, and the signals that mean the same, waiting until the books are in order."""

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any

ENDING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
"""What asks a program to end: somebody at the keyboard, another program, a terminal that closes."""

SAME = 1.0
"""Seconds within which a signal coming again says nothing new: `timeout` and a closing terminal send theirs twice."""


class EndingSignals:
    """Takes SIGTERM and SIGHUP as Ctrl-C is taken, for a program that is alone in its process.

    What is ignored stays so: shells let scripts' background jobs ignore SIGINT, and nohup SIGHUP.
    """

    def __init__(self) -> None:
        self.number: int | None = None
        """The first signal that came."""
        self._last = -SAME
        self._before: dict[int, Any] = {}

    def __enter__(self) -> "EndingSignals":
        if threading.current_thread() is threading.main_thread():
            usual = (signal.SIG_DFL, signal.default_int_handler)
            ours = [number for number in ENDING if signal.getsignal(number) in usual]
            self._before = {number: signal.signal(number, self) for number in ours}
        return self

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """Interrupt what goes on."""
        now = time.monotonic()
        again, self._last = now - self._last < SAME, now
        self.number = self.number or number
        if not again:
            raise KeyboardInterrupt

    def status(self, status: int) -> int:
        """Return the exit status after such a signal in the place of the one after Ctrl-C."""
        return 128 + self.number if self.number is not None and status == 128 + signal.SIGINT else status

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)


class Interrupts:
    """Holds an interrupt back, except while it is welcome: a measurement may be cut short, bookkeeping may not.

    Only the main thread can do so, and only in place of Python's own handler or of EndingSignals; elsewhere interrupts
    stay as they are.
    """

    def __init__(self) -> None:
        self._open = False
        self._held: int | None = None
        self._before: dict[int, Callable[[int, FrameType | None], Any]] = {}

    def __enter__(self) -> "Interrupts":
        if threading.current_thread() is threading.main_thread():
            for number in ENDING:
                handler = signal.getsignal(number)
                if handler is signal.default_int_handler or isinstance(handler, EndingSignals):
                    self._before[number] = handler
                    signal.signal(number, self._arrived)
        return self

    def _arrived(self, number: int, frame: FrameType | None) -> None:
        if self._open:
            self._before[number](number, frame)
        else:
            self._held = number

    @contextmanager
    def welcome(self) -> Iterator[None]:
        """Let interrupts through, one that was held back first."""
        self._open = True
        try:
            held, self._held = self._held, None
            if held is not None:
                self._before[held](held, None)
            yield
        finally:
            self._open = False

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
