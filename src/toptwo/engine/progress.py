"""A progress bar for long simulations: on a terminal, on the error stream, and only if it takes a while."""

import sys
from threading import Lock, Timer
from types import TracebackType
from typing import Any

PATIENCE = 0.7
"""Seconds before a bar appears."""


class RunProgress:
    """Counts finished runs; quiet on anything but a terminal unless told otherwise."""

    def __init__(self, name: str, total: int, wanted: bool | None) -> None:
        self._name, self._total, self._finished = name, total, 0
        self._bar: Any = None
        self._task: Any = None
        self._closed = False
        self._lock = Lock()
        # A timer, because compiling happens before the first run and may itself be what takes long.
        self._timer = Timer(PATIENCE, self._open) if (sys.stderr.isatty() if wanted is None else wanted) else None

    def __enter__(self) -> "RunProgress":
        if self._timer is not None:
            self._timer.daemon = True
            self._timer.start()
        return self

    def show(self, finished: int) -> None:
        """Show how many runs are finished."""
        self._finished = finished
        if self._bar is not None:
            self._bar.update(self._task, completed=finished, unit="runs")

    def _open(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        console = Console(stderr=True)
        bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[unit]}"),
            TimeRemainingColumn(),
            console=console,
            transient=console.is_terminal,
        )
        with self._lock:
            if self._closed:
                return
            bar.start()
            unit = "runs" if self._finished else "runs (compiling)"
            self._task = bar.add_task(self._name, total=self._total, completed=self._finished, unit=unit)
            self._bar = bar

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._timer is not None:
            self._timer.cancel()
        with self._lock:
            self._closed = True
            if self._bar is not None:
                self._bar.stop()
