"""A race on the terminal while it runs, between runs and never during one."""

import os
import sys
import time
from collections.abc import Callable
from typing import Any

from toptwo.racing.result import RaceResult
from toptwo.racing.scheduler import Scheduler
from toptwo.racing.sentences import LITTLE, cells
from toptwo.racing.units import amount
from toptwo.words import counted

INTERVAL = 0.15
"""Seconds between two pictures."""

SHARE = 0.1
"""Share of the time that drawing may take."""

LONGEST = 1.0
"""Seconds between two pictures at most, however long drawing takes."""

FIRST_LINE = 5.0
"""Seconds until the first line where there is no terminal; the next ones come at ever longer intervals."""

BAR = 20
"""Columns of the bar that shows the confidence."""


CLEARED = "\r\x1b[2K"
"""What takes a line away from a terminal."""


class Picture:
    """Redraws a table of the commands on a terminal."""

    def __init__(self, suffix: str | None, console: Callable[[], Any]) -> None:
        self._suffix = suffix
        self._console = console
        self._live: Any = None
        self._next = time.monotonic() + INTERVAL
        self._announced = False

    def begin(self, race: Scheduler) -> None:
        """Say that it runs, which may be all there is to say for a long time; at once, so without what draws."""
        if sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
            sys.stderr.write(f"{counted(len(race.measuring.commands), 'command')}: the first one runs")
            sys.stderr.flush()
            self._announced = True

    def _take_away(self) -> None:
        """Take away what was said at the start."""
        if self._announced:
            sys.stderr.write(CLEARED)
            sys.stderr.flush()
            self._announced = False

    def look(self, race: Scheduler) -> None:
        """Draw, unless it was done a moment ago."""
        began = time.monotonic()
        if began < self._next:
            return
        from rich.live import Live

        picture = table_of(race.result(), self._suffix)
        self._take_away()
        if self._live is None:
            self._live = Live(picture, console=self._console(), auto_refresh=False, transient=True)
            self._live.start()
        self._live.update(picture, refresh=True)
        now = time.monotonic()
        self._next = now + min(max(INTERVAL, (now - began) / SHARE), LONGEST)

    def finish(self, result: RaceResult) -> None:
        """Take the picture away: the verdict says it all."""
        self._take_away()
        if self._live is not None:
            self._live.stop()


class Seldom:
    """Says when it is time for a line, at ever longer intervals."""

    def __init__(self) -> None:
        self._next = time.monotonic() + FIRST_LINE
        self._pause = FIRST_LINE

    def is_due(self) -> bool:
        """Return whether it is time, and wait for the next one if so."""
        if time.monotonic() < self._next:
            return False
        self._pause *= 1.5
        self._next = time.monotonic() + self._pause
        return True


class RaceLines:
    """Prints a line now and then, where there is no terminal."""

    def __init__(self) -> None:
        self._times = Seldom()

    def begin(self, race: Scheduler) -> None:
        """Say nothing: it may be over in a moment."""

    def look(self, race: Scheduler) -> None:
        """Print, if it is time to."""
        if self._times.is_due():
            print(caption(race.result()), file=sys.stderr, flush=True)  # noqa: T201 (this is what it is for)

    def finish(self, result: RaceResult) -> None:
        """Say nothing: the verdict follows."""


def table_of(result: RaceResult, suffix: str | None = None) -> Any:
    """Return a table of the commands, best first, and how sure it is by now."""
    from rich.console import Group
    from rich.text import Text

    from toptwo.report.terminal import Fitted

    rows = [cells(result, arm, suffix) for arm in result.ranked()]
    total = max(1, len(result.runs))
    shares = [f"{100.0 * len(result.runs_of(arm)) / total:.0f} %" for arm in result.ranked()]
    head = ("command", result.question.metric.label, "against the leader", "runs", "share")
    shown = [(row[0], row[1], row[3], row[4], share) for row, share in zip(rows, shares, strict=True)]
    return Group(Fitted(head, shown), Text(caption(result), style="bold"))


def caption(result: RaceResult) -> str:
    """Return how it stands in a line."""
    from toptwo.study.verdict import percent

    runs, standing = counted(len(result.runs), "run"), result.standing
    if result.leader is None or standing.confidence < LITTLE:
        return f"{amount(result.seconds, 'second')}: {runs}, too few to tell"
    left = standing.remaining
    more = f", about {left:,.0f} more" if left < 1e9 else ""
    confidence = percent(standing.confidence)
    return f"{amount(result.seconds, 'second')}: {result.leader} leads, {confidence} confidence, {runs}{more}"
