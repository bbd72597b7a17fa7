"""Processes that outlive the command that started them: found, ended, counted.

The command line is alone in its process (`toptwo race`), and asks for orphans: a process whose parent ends belongs to
the nearest ancestor that did so. So even a daemon with a session of its own is found among our children, of which there
are no others. A library is not alone: what it ends must bear the mark of the race, a variable in the environment with
which commands are started.
"""

import contextlib
import os
import secrets
import signal
import time
from collections import Counter
from pathlib import Path
from types import TracebackType

ADOPT = 36
"""PR_SET_CHILD_SUBREAPER of Linux."""

MARK = "TOPTWO_RACE"
"""The variable: the race, and which of its commands; no command where a hook was started."""

SHARE = 0.02
"""Share of the time that looking for marks may take during a race: every process of the system is looked at."""


class Strays:
    """Ends those who are left by commands: as our children, if nobody else has children here, or by their mark.

    Parameters
    ----------
    adopting
        Whether orphans are asked for.
    ending
        Whether all children belong to commands.
    marking
        Whether commands are marked.
    """

    def __init__(self, adopting: bool = True, ending: bool = True, marking: bool = False) -> None:
        self._adopting = adopting
        self._wanted = ending
        able = hasattr(os, "pidfd_open") and Path("/proc/self/environ").exists()
        self._mark = secrets.token_hex(8) if marking and able else ""
        self._next = 0.0
        self._before: set[int] = set()
        self._known: set[int] = set()

    def __enter__(self) -> "Strays":
        self._adopting = self._adopting and adopt(True)
        self._wanted = self._wanted and self._adopting
        self.tolerate()
        self._before = self._known
        return self

    def mark(self, arm: int | None) -> dict[str, str]:
        """Return what belongs into the environment of a command, or of a hook."""
        return {MARK: f"{self._mark}/{'' if arm is None else arm}"} if self._mark else {}

    def tolerate(self) -> None:
        """Let the children of this moment live: servers started by `--setup` or `--prepare`, say."""
        if self._wanted:
            self._known = children()

    def end(self, arm: int) -> Counter[int]:
        """End what a command has left behind, and in a library now and then what others have; return how many."""
        if self._wanted:
            return Counter({arm: self._end_all_but(self._known)})
        began = time.monotonic()
        if not self._mark or began < self._next:
            return Counter()
        ended = self._end_marked()
        now = time.monotonic()
        self._next = now + (now - began) / SHARE
        return ended

    def finish(self) -> Counter[int]:
        """End what bears the mark, servers of hooks as well; return how many were left by commands."""
        return self._end_marked(hooks=True) if self._mark else Counter()

    def _end_all_but(self, spared: set[int]) -> int:
        ended = 0
        while strangers := children() - spared:
            for number in strangers:
                end_process(number)
                ended += 1
        return ended

    def _end_marked(self, hooks: bool = False) -> Counter[int]:
        ended: dict[int, int | None] = {}
        while new := {
            number: arm
            for number, arm in marked(self._mark).items()
            if number not in ended and (hooks or arm is not None)
        }:
            for number, arm in new.items():
                end_marked(number, self._mark)
                ended[number] = arm
        return Counter(arm for arm in ended.values() if arm is not None)

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.finish()
        if self._wanted:
            self._end_all_but(self._before)
        if self._adopting:
            adopt(False)


def end_process(number: int) -> None:
    """Kill a child, or what was one a moment ago, and reap it."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(number, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        os.waitpid(number, 0)


def end_marked(number: int, mark: str) -> None:
    """Kill a process that bears a mark, through a handle, lest its number belong to another one by now."""
    try:
        handle = os.pidfd_open(number)
    except ProcessLookupError:
        return
    try:
        if bears(number, mark) is not None:
            signal.pidfd_send_signal(handle, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(number, 0)
    except ProcessLookupError:
        return
    finally:
        os.close(handle)


def bears(number: int, mark: str) -> bytes | None:
    """Return what follows the mark of a race in the environment of a process, if it is there."""
    try:
        surroundings = Path(f"/proc/{number}/environ").read_bytes()
    except OSError:  # it has ended, or is not ours
        return None
    _, sign, behind = surroundings.partition(f"{MARK}={mark}/".encode())
    return behind.split(b"\0")[0] if sign else None


def marked(mark: str) -> dict[int, int | None]:
    """Return the processes that bear the mark of a race, and which command left them."""
    found: dict[int, int | None] = {}
    for name in os.listdir("/proc"):
        if name.isdigit() and (command := bears(int(name), mark)) is not None:
            found[int(name)] = int(command) if command else None
    return found


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
