"""What a long run shows: a bar with the time left on a terminal, a line now and then elsewhere."""

import sys
import time
from types import TracebackType
from typing import Any

from toptwo.sweeps.forecast import Forecast

LINE_EVERY = 15.0
"""Seconds between two lines where there is no terminal."""

NARROW = 72
"""Columns of a terminal below which a shorter line is shown."""


def span(seconds: float) -> str:
    """Return a time for people.

    Examples
    --------
    >>> span(7.2), span(95), span(4020)
    ('7 s', '1 min 35 s', '1 h 07 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def describe(forecast: Forecast, width: int = NARROW) -> str:
    """Return where a run stands, in one line."""
    if forecast.notice:
        return f"{forecast.done}/{forecast.total}: {forecast.notice}"
    left = forecast.seconds_left()
    rest = f"about {span(left)} left" if left is not None else "compiling"
    if width < NARROW:
        return f"{forecast.done}/{forecast.total}, {rest}"
    return f"{forecast.done} of {forecast.total} cells, {span(forecast.elapsed)} so far, {rest}"


class ProgressDisplay:
    """Shows a forecast."""

    def __init__(self) -> None:
        self._bar: Any = None
        self._task: Any = None
        self._next_line = time.monotonic() + LINE_EVERY
        self._noticed = ""
        self.elapsed = 0.0
        """Seconds that computing has taken."""

    def __enter__(self) -> "ProgressDisplay":
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, TextColumn
            from rich.progress import Progress as Bar

            self._bar = Bar(BarColumn(), TextColumn("{task.description}"), console=Console(stderr=True), transient=True)
            self._bar.start()
            self._task = self._bar.add_task("starting", total=1.0)
        return self

    def show(self, forecast: Forecast) -> None:
        """Show where the run stands."""
        self.elapsed = forecast.elapsed
        if self._bar is not None:
            text = describe(forecast, self._bar.console.width)
            self._bar.update(self._task, completed=forecast.share_done(), description=text)
        elif time.monotonic() >= self._next_line or forecast.notice != self._noticed:
            self._next_line, self._noticed = time.monotonic() + LINE_EVERY, forecast.notice
            sys.stderr.write(describe(forecast) + "\n")
            sys.stderr.flush()

    def say(self, text: str) -> None:
        """Print a line above the bar, or on the standard output if there is none."""
        if self._bar is not None:
            self._bar.console.print(text, highlight=False, markup=False)
        else:
            sys.stdout.write(text + "\n")
            sys.stdout.flush()

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
