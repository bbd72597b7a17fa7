"""Programs run directly, as hyperfine does since 2.0: no shell in between."""

import errno
import os
import random
import shlex
import shutil
import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from toptwo.errors import InputError, MeasurementError
from toptwo.racing import children
from toptwo.racing.commands import Command
from toptwo.racing.items import in_words, variables
from toptwo.racing.metrics import COUNTERS, Metric, resolution_of
from toptwo.racing.outcome import Outcome

SHELL_WORDS = {"|", "||", "&&", "&", ";", ">", ">>", "<", "2>", "2>&1", "2>/dev/null", ">/dev/null"}
"""Words that mean something to a shell and nothing to most programs."""

MOST_OFFSET = 4096
"""Bytes of padding in the environment: its size moves the stack, and with it the speed of programs."""


class Streams(NamedTuple):
    """Where input comes from and output goes: "null", "pipe", "inherit", or a file."""

    input: str = "null"
    output: str = "null"


NOWHERE = Streams()


class Direct:
    """Runs programs without a shell."""

    def __init__(self, streams: Streams = NOWHERE, environment: Mapping[str, str] | None = None, seed: int = 0):
        self._streams = streams
        self._environment = {**os.environ, **(environment or {})}
        self._offsets = random.Random(f"offsets {seed}")
        self._null = os.open(os.devnull, os.O_RDWR)
        self._paths: dict[str, str] = {}
        self._counters: dict[str, int] = {}
        self._runs = 0

    def check(self, commands: Sequence[Command], metric: Metric) -> list[str]:
        """Find every program before anything runs."""
        if metric.source == "counter":
            from toptwo.racing.counters import open_counters

            self._counters = open_counters(COUNTERS)
        return [sentence for command in commands for sentence in self.odd(command)]

    def odd(self, command: Command) -> list[str]:
        """Raise InputError if there is no such program; return what looks like a slip."""
        words = self.words(command)
        if "{" not in words[0]:
            self._path(words[0])
        odd = [word for word in words[1:] if word in SHELL_WORDS]
        if not odd:
            return []
        return [f"{command.name}: {odd[0]} is handed to the program as it stands; if a shell is meant, add -S sh."]

    def words(self, command: Command) -> list[str]:
        """Return the program and its arguments, into which the item goes when they are told apart."""
        try:
            words = in_words(shlex.split(command.line), command.item)
        except ValueError as problem:
            raise InputError(f"cannot read {command.line!r}: {str(problem).lower()}.") from None
        if not words:
            raise InputError("a command is empty: give a program to run, for example 'sleep 0.1'.")
        return words

    def _path(self, program: str) -> str:
        if program not in self._paths:
            found = shutil.which(program, path=self._environment.get("PATH", os.defpath))
            if found is None:
                raise InputError(self._missing(program))
            self._paths[program] = found
        return self._paths[program]

    def _missing(self, program: str) -> str:
        if os.path.isdir(program):
            return f"cannot run {program!r}: it is a folder."
        if os.path.exists(program):
            return f"cannot run {program!r}: it is not executable (chmod +x {shlex.quote(program)})."
        if "/" in program:
            return f"cannot run {program!r}: there is no such file."
        return (
            f"cannot run {program!r}: there is no such program on PATH "
            "(quote a command together with its arguments; a word of the shell needs -S sh)."
        )

    def calibrate(self) -> None:
        """Nothing stands between us and the program."""

    def run(self, command: Command, metric: Metric, limit: float | None) -> Outcome:
        """Run a program once."""
        words = self.words(command)
        return self.execute(command, self._path(words[0]), words, metric, limit)

    def execute(
        self, command: Command, path: str, words: Sequence[str], metric: Metric, limit: float | None
    ) -> Outcome:
        """Run a file with arguments, on the streams and in the environment of the race."""
        from toptwo.racing.counters import difference, read_counters

        capture = True if metric.reads_output else False if self._streams.output == "pipe" else None
        small = metric.name == "memory_peak_resident"
        before = read_counters(self._counters)
        files, opened = self._files()
        try:
            if small:
                check_script(path)
            program = children.Program(path, words, self._surroundings(command), files)
            outcome = children.run(program, limit, capture, small=small)
        except children.AskingError as problem:
            raise MeasurementError(f"{command.name} {problem}") from None
        except OSError as problem:
            raise MeasurementError(_why(command, path, problem)) from None
        finally:
            for number in opened:
                os.close(number)
        self._runs += 1
        counted = difference(before, read_counters(self._counters))
        return outcome._replace(counted=counted, resolution=resolution_of(metric))

    def _files(self) -> tuple[tuple[int, int, int], list[int]]:
        """Return standard input, output and error of a run, and what of that is to be closed again."""
        opened = []
        source = target = self._null
        if self._streams.input != "null":
            source = os.open(self._streams.input, os.O_RDONLY)
            opened.append(source)
        if self._streams.output not in ("null", "pipe", "inherit"):
            target = os.open(self._streams.output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
            opened.append(target)
        if self._streams.output == "inherit":
            return (source, 1, 2), opened
        return (source, target, self._null), opened

    def _surroundings(self, command: Command) -> dict[str, str]:
        """Return the environment of a run: as it is, with padding of random size."""
        padding = "X" * self._offsets.randrange(MOST_OFFSET)
        ours = {"TOPTWO_RUN": str(self._runs), "TOPTWO_RANDOM_OFFSET": padding}
        return {**self._environment, **ours, **variables(command.item), **command.mark}

    def clock(self) -> float:
        """Return the time in seconds."""
        return time.monotonic()

    def note(self) -> str:
        """Return how runs were measured."""
        return ""

    def close(self) -> None:
        """Close what was opened."""
        from toptwo.racing.counters import close_counters

        close_counters(self._counters)
        os.close(self._null)


def check_script(path: str) -> None:
    """Raise for a script what the system raises: the small shell by which memory is measured would run it by itself."""
    begin = _beginning(path)
    interpreter = _interpreter(begin)
    if interpreter and not os.path.exists(interpreter):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
    if begin is not None and not interpreter and b"\0" not in begin:  # programs have zero bytes, texts none
        raise OSError(errno.ENOEXEC, os.strerror(errno.ENOEXEC))


def _beginning(path: str) -> bytes | None:
    """Return the first bytes of a file, if it can be read: some can only be run."""
    try:
        with open(path, "rb") as file:
            return file.read(256)
    except OSError:
        return None


def _interpreter(begin: bytes | None) -> str:
    r"""Return the program that a script names in its first line, if it is one.

    Examples
    --------
    >>> _interpreter(b"#! /usr/bin/awk -f\nBEGIN {}"), _interpreter(b"\x7fELF")
    ('/usr/bin/awk', '')
    """
    first = (begin or b"").split(b"\n")[0]
    words = [word for word in first[2:].replace(b"\t", b" ").split(b" ") if word]
    return os.fsdecode(words[0]) if first[:2] == b"#!" and words else ""


def _why(command: Command, path: str, problem: OSError) -> str:
    if problem.errno == errno.ENOEXEC:
        return f"cannot run {command.name!r}: it is no program, and no script with a first line such as #!/bin/sh."
    if problem.errno == errno.E2BIG:
        return f"cannot run {command.name!r}: its arguments are too long for the system."
    interpreter = _interpreter(_beginning(path))
    if problem.errno == errno.ENOENT and interpreter:
        return f"cannot run {command.name!r}: its first line asks for {interpreter!r}, and there is no such file."
    if problem.errno == errno.ENOENT and os.path.exists(path):
        return f"cannot run {command.name!r}: the loader that it names is not there; was it built for another system?"
    return f"cannot run {command.name!r}: {problem.strerror}."
