"""Results kept in files while the race goes on."""

import contextlib
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from toptwo.racing.exporters import Format, write
from toptwo.racing.result import RaceResult
from toptwo.racing.scheduler import Scheduler

SHARE = 0.02
"""Share of the time that saving may take: after each run where runs are long, now and then where they are short."""


class Export(NamedTuple):
    """A file to write, and how; no path means standard output, at the end."""

    path: Path | None
    text: Format


class Saver:
    """Keeps files up to date: what was measured is there whatever happens next.

    A file that cannot be written now (a full disk, a folder that has gone) ends no race: it is tried again, and what
    could not be saved at the end is said there.
    """

    def __init__(self, exports: Sequence[Export], show: Callable[[str], None]) -> None:
        self._exports = exports
        self._show = show
        self._next = 0.0
        self.lost: list[str] = []
        """What could not be saved at the end, a sentence each."""

    def begin(self, race: Scheduler) -> None:
        """Save nothing yet: what an earlier race left stays until there is more."""

    def look(self, race: Scheduler) -> None:
        """Save, unless that was done a moment ago."""
        files = [export for export in self._exports if export.path is not None]
        began = time.monotonic()
        if files and began >= self._next:
            result = race.result()
            for export in files:
                assert export.path is not None
                with contextlib.suppress(OSError):
                    write(export.path, export.text(result))
            now = time.monotonic()
            self._next = now + (now - began) / SHARE

    def finish(self, result: RaceResult) -> None:
        """Save what was found."""
        for export in self._exports:
            if export.path is None:
                self._show(export.text(result).removesuffix("\n"))
                continue
            try:
                write(export.path, export.text(result))
            except OSError as problem:
                self.lost.append(f"{export.path} could not be written: {problem.strerror}.")
