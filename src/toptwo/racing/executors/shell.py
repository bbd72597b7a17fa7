"""Commands run by a shell, whose own start is measured, before the race and during it, and subtracted."""

import math
import shlex
import shutil
from collections import deque
from collections.abc import Mapping, Sequence

from toptwo.errors import InputError, MeasurementError
from toptwo.racing.commands import Command
from toptwo.racing.executors.direct import NOWHERE, Direct, Streams
from toptwo.racing.items import in_shell
from toptwo.racing.metrics import WALL_CLOCK, Metric
from toptwo.racing.outcome import Outcome, times
from toptwo.racing.summary import deviation, median

STARTS = 50
"""Starts of the bare shell in the calibration, as many as hyperfine makes."""

LATEST = 25
"""Starts, timed between runs as well, whose median is subtracted: it follows load that comes and goes."""

SHARE = 0.05
"""Share of the time that timing starts may take."""

MOVED = 1.1
"""Ratio of the longest median of starts to the shortest from which on both are told."""

NOTHING = Command("an empty command", "")


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
        self._starts: deque[Outcome] = deque(maxlen=LATEST)
        self._start = Outcome(wall=0.0)
        """What starting takes by now."""
        self._lowest, self._highest, self._timed = math.inf, 0.0, 0
        self._saved = 0.0
        """Seconds that may be spent on a start."""
        found = shutil.which(self._shell[0]) if self._shell else None
        if found is None:
            raise InputError(f"--shell: there is no shell {' '.join(shell)!r}; -S sh is there on most systems.")
        self._found = found

    def odd(self, command: Command) -> list[str]:
        """Find nothing odd: what a shell cannot run it says itself."""
        return []

    def calibrate(self) -> None:
        """Measure what starting the shell takes."""
        for _ in range(STARTS):
            if not self._time_start():
                raise MeasurementError(
                    f"--shell: {' '.join(self._shell)} -c '' does not work, so nothing can be run by it."
                )
        self._runs = 0

    def _time_start(self) -> bool:
        """Start the bare shell once more, and see what starting takes by now; return whether it works."""
        runs = self._runs
        start = self._raw(NOTHING, WALL_CLOCK, 10.0)
        self._runs = runs
        if start.exit_code != 0:
            return False
        self._starts.append(start)
        self._start = Outcome(
            wall=median(sorted(start.wall for start in self._starts)),
            user=sum(start.user for start in self._starts) / len(self._starts),
            system=sum(start.system for start in self._starts) / len(self._starts),
        )
        self._timed += 1
        if self._timed >= STARTS:
            self._lowest, self._highest = min(self._lowest, self._start.wall), max(self._highest, self._start.wall)
        return True

    def run(self, command: Command, metric: Metric, limit: float | None) -> Outcome:
        """Run a command once, and take off what starting the shell takes by now."""
        outcome = self._raw(command, metric, None if limit is None else limit + self._start.wall)
        found = outcome._replace(
            wall=outcome.wall - self._start.wall,
            user=outcome.user - self._start.user,
            system=outcome.system - self._start.system,
            resolution=max(outcome.resolution, self._spread(metric)),
        )
        self._saved += SHARE * outcome.wall
        if self._starts and self._saved > self._start.wall:
            self._saved = 0.0
            self._time_start()
        return found

    def _spread(self, metric: Metric) -> float:
        """Return the deviation of the starts in the time that races: no run can be told more exactly."""
        return deviation([times(start)[metric.name] for start in self._starts]) if metric.unit == "second" else 0.0

    def _raw(self, command: Command, metric: Metric, limit: float | None) -> Outcome:
        line = in_shell(command.line, command.item)
        return self.execute(command, self._found, [*self._shell, "-c", line], metric, limit)

    def note(self) -> str:
        """Return what was subtracted, and how exactly it is known."""
        spread = 1e3 * self._spread(WALL_CLOCK)
        took = f"Starting {' '.join(self._shell)} takes {1e3 * self._start.wall:.2f} ± {spread:.2f} ms"
        if self._highest > MOVED * self._lowest:
            took += f" ({1e3 * self._lowest:.2f} to {1e3 * self._highest:.2f} in the course of the race)"
        return f"{took}, timed now and then and subtracted."
