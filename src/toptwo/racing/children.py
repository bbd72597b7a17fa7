"""Programs as child processes: started with next to nothing in between, watched to their end, none left behind.

`posix_spawn` shares the memory of this process until the program is loaded, so that starting takes as long from a large
process as from a small one. Every child leads a process group of its own, which is killed before the child is reaped:
until then its number cannot belong to anybody else.
"""

import contextlib
import os
import select
import shutil
import signal
import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from toptwo.errors import MeasurementError
from toptwo.racing.outcome import Outcome

MOST_OUTPUT = 1 << 24
"""Bytes of output that are kept for a metric; a command that prints more has surely something else in mind."""

PIPE_READS = 32
"""Parts in which what is still in a pipe at the end is read; more is written by somebody who stayed."""

GLANCE = 500.0
"""Milliseconds between two looks whether a program waits for somebody at the terminal."""

NAP = 0.0005
"""Seconds between two looks where the system cannot wait for a process and a pipe at once."""

RESTORED = [
    getattr(signal, name) for name in ("SIGPIPE", "SIGXFSZ", "SIGINT", "SIGQUIT", "SIGTERM") if hasattr(signal, name)
]
"""Signals that Python, or whoever started it, may ignore; programs expect the defaults."""

SMALL = '{ read go <&8 && exec "$@" 8<&- 9>&-; } <&0 & echo $! >&9'
"""Shell script that says the number of a process smaller than ours, which becomes the program when told to go."""


class AskingError(MeasurementError):
    """A program waits for an answer from the terminal, which belongs to the race."""

    def __init__(self) -> None:
        super().__init__(
            "asks for something at the terminal and waits, and in a race nobody can answer: "
            "make it ask nothing (as sudo -n or ssh -o BatchMode=yes do), or give it --input FILE."
        )


class Program(NamedTuple):
    """What to start, and on what standard input, output and error."""

    path: str
    arguments: Sequence[str]
    environment: Mapping[str, str]
    files: tuple[int, int, int]


class Child:
    """A running program, and the process group that it belongs to."""

    def __init__(self, number: int, group: int, began: int) -> None:
        self.number = number
        self.group = group
        self.began = self.ended = began
        self.timed_out = False
        self._reaped: tuple[int, Any] | None = None

    def wait(self, limit: float | None, pipe: int | None = None, keep: bool = False) -> bytes:
        """Wait for the end, for so many seconds at most; meanwhile read what comes through a pipe."""
        deadline = None if limit is None else self.began + int(limit * 1e9)
        output = bytearray()
        handle = os.pidfd_open(self.number) if hasattr(os, "pidfd_open") else None
        try:
            watch = select.poll()
            for number in (handle, pipe):
                if number is not None:
                    watch.register(number, select.POLLIN)
            while True:
                ready = self._look(watch, deadline, napping=handle is None)
                if self._is_over(handle, ready):
                    self.ended = time.perf_counter_ns()
                    break
                if pipe is not None and pipe in ready and not _read(pipe, output, keep):
                    watch.unregister(pipe)  # closed at the other end
                if deadline is not None and time.perf_counter_ns() >= deadline:
                    self.ended, self.timed_out = time.perf_counter_ns(), True
                    break
                if not ready and self._asks():
                    raise AskingError
        finally:
            if handle is not None:
                os.close(handle)
        for _ in range(PIPE_READS if pipe is not None and not self.timed_out else 0):
            if pipe is None or not _read(pipe, output, keep):
                break
        return bytes(output)

    def _look(self, watch: Any, deadline: int | None, napping: bool) -> set[int]:
        """Return what there is to see: the child's handle, the pipe, or nothing when it is time for the clock."""
        left = NAP * 1e3 if napping else GLANCE
        if deadline is not None:
            left = min(left, max(0, deadline - time.perf_counter_ns()) / 1e6)
        return {number for number, _ in watch.poll(left)}

    def _asks(self) -> bool:
        """Return whether the system stopped the program for reading from the terminal, or changing it."""
        if not hasattr(os, "waitid"):
            return False
        found = os.waitid(os.P_PID, self.number, os.WSTOPPED | os.WNOHANG | os.WNOWAIT)
        return found is not None and found.si_status in (signal.SIGTTIN, signal.SIGTTOU)

    def _is_over(self, handle: int | None, ready: set[int]) -> bool:
        if handle is not None:
            return handle in ready
        number, status, usage = os.wait4(self.number, os.WNOHANG)
        if number:
            self._reaped = status, usage
        return number != 0

    def end(self, spare: bool = False) -> tuple[int, Any, int]:
        """Kill what is left of the group, unless it is to be spared; reap the child.

        Returns status and usage of the child, and how many others were ended.
        """
        over = self.ended > self.began and not self.timed_out
        if spare and over:
            _, status, usage = os.wait4(self.number, 0) if self._reaped is None else (0, *self._reaped)
            return status, usage, 0
        with contextlib.suppress(ProcessLookupError, PermissionError):  # the latter is how macOS speaks of zombies
            os.killpg(self.group, signal.SIGKILL)
        if self._reaped is None:
            _, status, usage = os.wait4(self.number, 0)
            self._reaped = status, usage
        return *self._reaped, _reap_group(self.group)


def start(program: Program) -> Child:
    """Start a program."""
    began = time.perf_counter_ns()
    number = _spawn(program, program.path, program.arguments, {})
    return Child(number, number, began)


def start_small(program: Program) -> Child:
    """Start a program from a small shell that is gone at once, so that its peak of memory is its own (own_peak).

    The program becomes our child when the shell ends: orphans must be ours (strays.py).
    """
    told, telling = os.pipe()
    waiting, starting = os.pipe()
    opened = [told, telling, waiting, starting]
    try:
        script = ["sh", "-c", SMALL, "sh", program.path, *program.arguments[1:]]
        shell = _spawn(program, "/bin/sh", script, {8: waiting, 9: telling})
        os.close(opened.pop(1))
        number = int(os.read(told, 32))
        os.waitpid(shell, 0)
        began = time.perf_counter_ns()
        os.write(starting, b"go\n")
        return Child(number, shell, began)
    finally:
        for descriptor in opened:
            os.close(descriptor)


def _spawn(program: Program, path: str, arguments: Sequence[str], more: Mapping[int, int]) -> int:
    files = {0: program.files[0], 1: program.files[1], 2: program.files[2], **more}
    return os.posix_spawn(
        path,
        list(arguments),
        program.environment,
        file_actions=[(os.POSIX_SPAWN_DUP2, source, target) for target, source in files.items()],
        setpgroup=0,
        setsigdef=RESTORED,
    )


def find(program: str) -> str:
    """Return the file of a program that is on everybody's PATH."""
    return shutil.which(program) or f"/bin/{program}"


def _reap_group(group: int) -> int:
    """Reap the others of a group that are ours by now (strays.py); return how many there were."""
    others = 0
    while True:
        try:
            os.waitpid(-group, 0)
        except ChildProcessError:
            return others
        others += 1


def _read(pipe: int, output: bytearray, keep: bool) -> bool:
    """Read what there is; return whether there may be more."""
    try:
        part = os.read(pipe, 1 << 16)
    except BlockingIOError:
        return False
    if keep:
        output += part
        if len(output) > MOST_OUTPUT:
            raise MeasurementError(
                f"more than {MOST_OUTPUT >> 20} MiB of output where a number was expected: print the number alone."
            )
    return bool(part)


def run(
    program: Program,
    limit: float | None = None,
    capture: bool | None = None,
    *,
    small: bool = False,
    group_stays: bool = False,
) -> Outcome:
    """Run a program to its end.

    Parameters
    ----------
    program
        What to run.
    limit
        Seconds after which it is killed, with all that it started.
    capture
        Whether its output goes through a pipe, and is kept (True) or thrown away (False); None leaves it alone.
    small
        Whether it is started so that its peak of memory is its own.
    group_stays
        Whether what it started may outlive it.
    """
    reading = writing = None
    if capture is not None:
        reading, writing = os.pipe()
        os.set_blocking(reading, False)
        program = program._replace(files=(program.files[0], writing, program.files[2]))
    child: Child | None = None
    try:
        child = start_small(program) if small else start(program)
        if writing is not None:
            os.close(writing)
            writing = None
        output = child.wait(limit, reading, bool(capture))
    finally:
        for number in (reading, writing):
            if number is not None:
                os.close(number)
        if child is not None:
            status, usage, left = child.end(spare=group_stays)
    peak = usage.ru_maxrss * RSS_UNIT
    return Outcome(
        wall=(child.ended - child.began) * 1e-9,
        user=usage.ru_utime,
        system=usage.ru_stime,
        memory=peak if small or peak > own_peak() else None,
        exit_code=None if child.timed_out else os.waitstatus_to_exitcode(status),
        timed_out=child.timed_out,
        output=output,
        left=left,
    )


RSS_UNIT = 1 if os.uname().sysname == "Darwin" else 1024
"""Bytes in which the system counts the peak of the memory."""


def own_peak() -> int:
    """Return the peak of our own memory in bytes.

    The kernel counts the memory of the process that starts a program as the program's own until it is loaded, so no
    peak below this one can be seen in a child that we start ourselves.
    """
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * RSS_UNIT
