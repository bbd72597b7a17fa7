"""Progress where nobody sees a table: a line now and then."""

import sys
import time
from types import TracebackType
from typing import Any, TextIO

from toptwo.study.live import LiveView
from toptwo.study.study import Study

FIRST = 10.0
"""Seconds until the first line; the next ones come after twice the time each."""

LONGEST = 600.0
"""Seconds between lines, at most."""


class Lines:
    """Writes the first line of the verdict to a stream now and then."""

    def __init__(self, study: Study, stream: TextIO | None = None) -> None:
        self._study, self._stream = study, stream
        self._wait, self._next = FIRST, time.monotonic() + FIRST

    def __enter__(self) -> "Lines":
        return self

    def show(self, *, last: bool = False) -> None:
        """Write a line if it is time for one."""
        if not last and time.monotonic() >= self._next:
            self._wait = min(2.0 * self._wait, LONGEST)
            self._next = time.monotonic() + self._wait
            print(str(self._study.verdict).splitlines()[0], file=self._stream or sys.stderr, flush=True)

    def interrupted(self) -> None:
        """Say that the user stopped it."""
        print("Interrupted: this is what was measured so far.", file=self._stream or sys.stderr)

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Do nothing: lines stay."""


def progress_view(study: Study, wanted: bool | None) -> Any:
    """Return a table on a terminal (or if it is wanted), lines elsewhere, and nothing if nothing is wanted."""
    if wanted is None and not sys.stderr.isatty():
        return Lines(study)
    return LiveView(study, wanted)
