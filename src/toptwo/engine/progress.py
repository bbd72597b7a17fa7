"""A progress bar for long simulations: on a terminal, on the error stream, and only if it takes a while."""

import sys
import time
from types import TracebackType
from typing import Any

PATIENCE = 0.7
"""Seconds before a bar appears by itself."""


class RunProgress:
    """Counts finished runs; quiet on anything but a terminal unless told otherwise."""

    def __init__(self, name: str, total: int, wanted: bool | None) -> None:
        self._name, self._total = name, total
        self._wanted = sys.stderr.isatty() if wanted is None else wanted
        self._started = time.monotonic()
        self._patience = 0.0 if wanted else PATIENCE
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> "RunProgress":
        return self

    def show(self, finished: int) -> None:
        """Show how many runs are finished."""
        if not self._wanted or (self._bar is None and time.monotonic() - self._started < self._patience):
            return
        if self._bar is None:
            self._bar, self._task = _open(self._name, self._total)
        self._bar.update(self._task, completed=finished)

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()


def _open(name: str, total: int) -> tuple[Any, Any]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("runs"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    bar.start()
    return bar, bar.add_task(name, total=total)
