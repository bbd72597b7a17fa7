"""Processes that outlive the command that started them: found, ended, counted.

A process whose parent ends belongs to the nearest ancestor that asked for such orphans. The command line asks for them
(`toptwo race` is alone in its process; a library is not), so that even a daemon with a session of its own is found
among our children.
"""

import contextlib
import os
import signal
from pathlib import Path
from types import TracebackType

ADOPT = 36
"""PR_SET_CHILD_SUBREAPER of Linux."""


class Strays:
    """Adopts orphans as long as it is entered, and ends those who are left, if nobody else has children here."""

    def __init__(self, adopting: bool = True, ending: bool = True) -> None:
        self._adopting = adopting
        self._wanted = ending
        self._before: set[int] = set()
        self._known: set[int] = set()

    def __enter__(self) -> "Strays":
        self._adopting = self._adopting and adopt(True)
        self._wanted = self._wanted and self._adopting
        self.tolerate()
        self._before = self._known
        return self

    def tolerate(self) -> None:
        """Let the children of this moment live: servers started by `--setup` or `--prepare`, say."""
        if self._wanted:
            self._known = children()

    def end(self) -> int:
        """End the children that were not there before, and theirs; return how many."""
        return self._end_all_but(self._known) if self._wanted else 0

    def _end_all_but(self, spared: set[int]) -> int:
        ended = 0
        while strangers := children() - spared:
            for number in strangers:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(number, signal.SIGKILL)
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(number, 0)
                ended += 1
        return ended

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._wanted:
            self._end_all_but(self._before)
        if self._adopting:
            adopt(False)


def adopt(wanted: bool) -> bool:
    """Ask for orphans, or no longer; return whether the system can do so."""
    if not Path("/proc/self/task").is_dir():
        return False
    import ctypes

    return int(ctypes.CDLL(None).prctl(ADOPT, int(wanted), 0, 0, 0)) == 0


def children() -> set[int]:
    """Return the numbers of our children."""
    found: set[int] = set()
    for thread in Path("/proc/self/task").iterdir():
        with contextlib.suppress(OSError):
            found.update(map(int, (thread / "children").read_text().split()))
    return found
