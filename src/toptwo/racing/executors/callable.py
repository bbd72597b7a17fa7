"""Python functions, called in this process."""

import gc
import itertools
import math
import os
import resource
import time
from collections.abc import Sequence

from toptwo.errors import InputError, MeasurementError
from toptwo.racing.commands import Command
from toptwo.racing.metrics import WALL_CLOCK, Metric, resolution_of
from toptwo.racing.outcome import Outcome

ENOUGH, ENOUGH_CPU = 50e-6, 5e-3
"""Seconds that a run takes at least: reading the clock costs 0.1 µs, and the processor's time comes in whole µs."""

SURE = 0.25
"""Share of that below which a number of calls was found too small: by a first call that was slow, say."""

SLOW = 0.1
"""Seconds from which on the very first call is the run, so that nobody waits for a slow function once more."""

ALIKE = 3
"""Ratio of numbers of calls up to which two functions get the same one: means of more calls have another spread, and so
another logarithm, so that equal functions must have equal numbers."""

NAMED = 6
"""Functions whose numbers of calls are told one by one."""


class InProcess:
    """Calls functions without arguments, the garbage collector off meanwhile, and goes back to the folder it was in.

    Functions quicker than a clock can tell are called many times a run, which is then the mean of the calls; their
    number is found in the first run, as `timeit` finds it, and stays.
    """

    def __init__(self, once: bool = False) -> None:
        self._folder = folder()
        self._once = once
        """Whether something has to be done before or after each call, so that a run cannot be several."""
        self._calls: dict[str, int] = {}
        self._quick: set[str] = set()
        """Functions that are called once a run although a clock hardly tells their time."""

    def check(self, commands: Sequence[Command], metric: Metric) -> list[str]:
        """Refuse metrics that a function inside this process does not have."""
        if metric.source not in ("measured", "returned") or metric.unit == "byte":
            raise InputError(
                f"metric {metric.name!r} belongs to commands; callables have time, cpu, user, system, returned."
            )
        return []

    def calibrate(self) -> None:
        """Do nothing: numbers of calls are found in first runs, after what is to be done before each run."""

    def run(self, command: Command, metric: Metric, limit: float | None) -> Outcome:
        """Call a function once, or as often as it takes for the clock to tell."""
        calls, known = self._calls.get(command.name, 1), command.name in self._calls
        enough = ENOUGH if metric is WALL_CLOCK else ENOUGH_CPU
        outcome = self._called(command, metric, calls)
        short = outcome.wall * calls < (SURE * enough if known else SLOW)
        if self._once:
            self._quick |= {command.name} if outcome.wall < SURE * enough else set()
        elif short and metric.source == "measured":
            calls, outcome = self._several(command, metric, enough)
        self._calls[command.name] = calls
        return outcome

    def _several(self, command: Command, metric: Metric, enough: float) -> tuple[int, Outcome]:
        """Return how many calls take enough time together, and what so many took that were not chosen by it."""
        calls, outcome = 1, self._called(command, metric, 1)
        while (taken := outcome.wall * calls) < enough:
            calls = max(2 * calls, rounded(calls * enough / max(taken, 1e-9)))
            outcome = self._called(command, metric, calls)
        alike = [number for number in self._calls.values() if calls <= ALIKE * number and number <= ALIKE * calls]
        calls = min(alike, key=lambda number: abs(number - calls), default=calls)
        return calls, outcome if calls == 1 else self._called(command, metric, calls)

    def _called(self, command: Command, metric: Metric, calls: int) -> Outcome:
        """Call a function so many times, and return the mean."""
        collecting = gc.isenabled()
        gc.disable()
        call, returned = command.call, None
        try:
            before = resource.getrusage(resource.RUSAGE_SELF)
            began = time.perf_counter_ns()
            for _ in itertools.repeat(None, calls):
                returned = call()
            wall = time.perf_counter_ns() - began
            after = resource.getrusage(resource.RUSAGE_SELF)
        except SystemExit as problem:
            raise MeasurementError(
                f"{command.name} called sys.exit({problem.code!r}), which would end this program: let it return."
            ) from problem
        except Exception as problem:
            raise MeasurementError(f"{command.name} raised {type(problem).__name__}: {problem}") from problem
        finally:
            if collecting:
                gc.enable()
            self._return(command)
        return Outcome(
            wall=wall * 1e-9 / calls,
            user=(after.ru_utime - before.ru_utime) / calls,
            system=(after.ru_stime - before.ru_stime) / calls,
            returned=returned if metric.source == "returned" else None,
            resolution=resolution_of(metric) / calls,
        )

    def _return(self, command: Command) -> None:
        """Go back to the folder that calls begin in."""
        if folder() == self._folder:
            return
        try:
            os.chdir(self._folder)
        except OSError as problem:
            raise MeasurementError(
                f"{command.name} took the folder away in which functions are called: {self._folder!r} cannot be "
                f"entered any more ({str(problem.strerror).lower()})."
            ) from None

    def clock(self) -> float:
        """Return the time in seconds."""
        return time.monotonic()

    def note(self) -> str:
        """Return how calls were measured."""
        several = {name: calls for name, calls in self._calls.items() if calls > 1}
        if self._quick:
            names = ", ".join(sorted(self._quick))
            return (
                f"Called in process, one call a run; reading the clock is part of the time of {names}; "
                "without prepare and conclude, quick functions are called many times a run."
            )
        if not several:
            return "Called in process, one call a run, with the garbage collector off during each call."
        told = ", ".join(f"{calls:,} of {name}" for name, calls in sorted(several.items()))
        if len(several) > NAMED:
            told = f"up to {max(several.values()):,} of those that are quick"
        return f"Called in process, with the garbage collector off; a run is the mean of several calls: {told}."

    def close(self) -> None:
        """Nothing is open."""


def folder() -> str:
    """Return the working folder, or nothing where it was taken away."""
    try:
        return os.getcwd()
    except FileNotFoundError:
        return ""


def rounded(number: float) -> int:
    """Return the next number of 1, 2, 5, 10, 20, … that is no less.

    Examples
    --------
    >>> [rounded(number) for number in (0.3, 2.0, 2.1, 70.0)]
    [1, 2, 5, 100]
    """
    power: int = 10 ** max(0, math.floor(math.log10(max(number, 1.0))))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= number)
