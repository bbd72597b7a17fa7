"""Commands run by a shell, whose own start is measured beforehand and subtracted."""

import shlex
import shutil
from collections.abc import Mapping, Sequence

from toptwo.errors import InputError, MeasurementError
from toptwo.racing.commands import Command
from toptwo.racing.executors.direct import NOWHERE, Direct, Streams
from toptwo.racing.items import in_shell
from toptwo.racing.metrics import WALL_CLOCK, Metric
from toptwo.racing.outcome import Outcome
from toptwo.racing.summary import summarize

STARTS = 50
"""Starts of the bare shell in the calibration, as many as hyperfine makes."""


def shell_words(text: str) -> list[str]:
    """Return a shell and its arguments; "default" is sh.

    Examples
    --------
    >>> shell_words("bash --norc"), shell_words("default")
    (['bash', '--norc'], ['sh'])
    """
    return ["sh"] if text == "default" else shlex.split(text)


class Shell(Direct):
    """Runs commands as `SHELL -c COMMAND`."""

    def __init__(
        self,
        shell: Sequence[str],
        streams: Streams = NOWHERE,
        environment: Mapping[str, str] | None = None,
        seed: int = 0,
    ) -> None:
        super().__init__(streams, environment, seed)
        self._shell = list(shell)
        self._start = Outcome(wall=0.0)
        found = shutil.which(self._shell[0]) if self._shell else None
        if found is None:
            raise InputError(f"--shell: there is no shell {' '.join(shell)!r}; -S sh is there on most systems.")
        self._found = found

    def odd(self, command: Command) -> list[str]:
        """Find nothing odd: what a shell cannot run it says itself."""
        return []

    def calibrate(self) -> None:
        """Measure what starting the shell takes."""
        nothing = Command("an empty command", "")
        starts = [self._raw(nothing, WALL_CLOCK, 10.0) for _ in range(STARTS)]
        if any(start.exit_code != 0 for start in starts):
            raise MeasurementError(
                f"--shell: {' '.join(self._shell)} -c '' does not work, so nothing can be run by it."
            )
        self._start = Outcome(
            wall=summarize([start.wall for start in starts]).mean,
            user=summarize([start.user for start in starts]).mean,
            system=summarize([start.system for start in starts]).mean,
        )

    def run(self, command: Command, metric: Metric, limit: float | None) -> Outcome:
        """Run a command once, and take off what starting the shell takes."""
        outcome = self._raw(command, metric, None if limit is None else limit + self._start.wall)
        return outcome._replace(
            wall=max(0.0, outcome.wall - self._start.wall),
            user=max(0.0, outcome.user - self._start.user),
            system=max(0.0, outcome.system - self._start.system),
        )

    def _raw(self, command: Command, metric: Metric, limit: float | None) -> Outcome:
        line = in_shell(command.line, command.item)
        return self.execute(command, self._found, [*self._shell, "-c", line], metric, limit)

    def note(self) -> str:
        """Return what was subtracted."""
        return f"Starting {' '.join(self._shell)} takes {1e3 * self._start.wall:.2f} ms, which is subtracted."
