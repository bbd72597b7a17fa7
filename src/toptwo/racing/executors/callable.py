"""Python functions, called in this process."""

import gc
import os
import resource
import time
from collections.abc import Sequence

from toptwo.errors import InputError, MeasurementError
from toptwo.racing.commands import Command
from toptwo.racing.metrics import Metric
from toptwo.racing.outcome import Outcome


class InProcess:
    """Calls functions without arguments, the garbage collector off meanwhile, and goes back to the folder it was in."""

    def __init__(self) -> None:
        self._folder = os.getcwd()

    def check(self, commands: Sequence[Command], metric: Metric) -> list[str]:
        """Refuse metrics that a function inside this process does not have."""
        if metric.source not in ("measured", "returned") or metric.unit == "byte":
            raise InputError(
                f"metric {metric.name!r} belongs to commands; callables have time, cpu, user, system, returned."
            )
        return []

    def calibrate(self) -> None:
        """Do nothing: calling a function costs next to nothing."""

    def run(self, command: Command, metric: Metric, limit: float | None) -> Outcome:
        """Call a function once."""
        collecting = gc.isenabled()
        gc.disable()
        try:
            before = resource.getrusage(resource.RUSAGE_SELF)
            began = time.perf_counter_ns()
            returned = command.call()
            wall = time.perf_counter_ns() - began
            after = resource.getrusage(resource.RUSAGE_SELF)
        except Exception as problem:
            raise MeasurementError(f"{command.name} raised {type(problem).__name__}: {problem}") from problem
        finally:
            if collecting:
                gc.enable()
            os.chdir(self._folder)
        return Outcome(
            wall=wall * 1e-9,
            user=after.ru_utime - before.ru_utime,
            system=after.ru_stime - before.ru_stime,
            returned=returned if metric.source == "returned" else None,
        )

    def clock(self) -> float:
        """Return the time in seconds."""
        return time.monotonic()

    def note(self) -> str:
        """Return how calls were measured."""
        return "Called in process, one call a run, with the garbage collector off during each call."

    def close(self) -> None:
        """Nothing is open."""
