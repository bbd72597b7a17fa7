"""What a race asks of whatever runs its commands."""

from collections.abc import Sequence
from typing import Protocol

from toptwo.racing.commands import Command
from toptwo.racing.metrics import Metric
from toptwo.racing.outcome import Outcome


class Executor(Protocol):
    """Runs commands."""

    def check(self, commands: Sequence[Command], metric: Metric) -> list[str]:
        """Raise InputError for what cannot run; return sentences about what may not be meant so."""

    def calibrate(self) -> None:
        """Measure what is to be subtracted from every run."""

    def run(self, command: Command, metric: Metric, limit: float | None) -> Outcome:
        """Run a command once, for so many seconds at most."""

    def clock(self) -> float:
        """Return the time in seconds, from any beginning."""

    def note(self) -> str:
        """Return what a reader should know of how runs were measured, or nothing."""

    def close(self) -> None:
        """Close what was opened."""
