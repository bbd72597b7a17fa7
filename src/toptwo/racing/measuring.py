"""One measurement with all that belongs to it: prepare, run, read the metric, conclude."""

import math
import os
import tempfile
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from toptwo.errors import InputError, MeasurementError
from toptwo.racing import children
from toptwo.racing.commands import Command, fill
from toptwo.racing.executors.base import Executor
from toptwo.racing.floor import is_floored
from toptwo.racing.items import in_shell, variables
from toptwo.racing.metrics import Metric, number_at, number_printed
from toptwo.racing.options import RaceQuestion, RaceSettings
from toptwo.racing.outcome import Outcome, Run, times
from toptwo.racing.strays import Strays

NO_TIME = 1e-6
"""Seconds that a run is given when there are none left."""

WORST = math.inf
"""What a time-out counts as where only wins and defeats do."""


class OutOfTime(Exception):  # noqa: N818 (not an error)
    """The time for the whole race ended, maybe in the middle of a run."""

    def __init__(self, arm: int | None = None, seconds: float = 0.0, said: str = "") -> None:
        super().__init__()
        self.arm, self.seconds = arm, seconds
        """Who was running, and for how long."""
        self.said = said
        """What else was running, in a sentence."""


class PlaceInRace(NamedTuple):
    """Where in the race a run stands."""

    block: int
    place: int
    item: str | None = None


class Measuring:
    """Measures commands by an executor, as the settings say."""

    def __init__(
        self,
        commands: Sequence[Command],
        settings: RaceSettings,
        executor: Executor,
        shell: Sequence[str],
        strays: Strays,
    ) -> None:
        self.commands = commands
        self.settings = settings
        self.executor = executor
        self._shell = list(shell)
        self._strays = strays
        self.kept = False
        """Whether values are kept without what is known of them besides."""
        self.left: Counter[int] = Counter()
        """Processes that commands left running, by command."""

    def setup(self, deadline: float | None = None) -> None:
        """Run `--setup` once for each command."""
        if self.settings.hooks.setup is not None:
            for command in self.commands:
                self._hook("setup", self.settings.hooks.setup, command, deadline)

    def cleanup(self) -> None:
        """Run `--cleanup` once for each command, however long it takes: it is needed most when the time is up."""
        if self.settings.hooks.cleanup is not None:
            for command in self.commands:
                self._hook("cleanup", self.settings.hooks.cleanup, command, None)
        self.left.update(self._strays.finish())

    def measure(self, arm: int, place: PlaceInRace, deadline: float | None = None) -> Run:
        """Measure a command once; raise OutOfTime if the clock passes the deadline meanwhile."""
        command, question, executor = self.commands[arm], self.settings.question, self.executor
        command = command._replace(item=place.item, mark=self._strays.mark(arm))
        began = executor.clock()
        self._around("prepare", self.settings.hooks.prepare, arm, command, deadline)
        self._strays.tolerate()
        limit, last = self._limit(deadline)
        try:
            outcome = executor.run(command, question.metric, limit)
        except InputError as problem:  # what cannot run with this item, say
            raise MeasurementError(str(problem)) from None
        finally:
            self.left.update(self._strays.end(arm))
        self.left[arm] += outcome.left
        if outcome.timed_out and last:
            raise OutOfTime(arm, outcome.wall)
        value = self._value(command, outcome, deadline)
        self._around("conclude", self.settings.hooks.conclude, arm, command, deadline)
        slim = outcome._replace(output=b"", returned=None)
        return Run(arm, place.block, place.place, value, slim, place.item, executor.clock() - began)

    def _limit(self, deadline: float | None) -> tuple[float | None, bool]:
        """Return the seconds a run may take, and whether their end is the end of the race."""
        timeout, left = self.settings.budget.timeout, self._left(deadline)
        if left is None or (timeout is not None and timeout < left):
            return timeout, False
        return left, True

    def _left(self, deadline: float | None) -> float | None:
        """Return the seconds until the end of the race."""
        return None if deadline is None else max(deadline - self.executor.clock(), NO_TIME)

    def _value(self, command: Command, outcome: Outcome, deadline: float | None) -> float:
        question = self.settings.question
        if outcome.timed_out:
            return _value_of_timeout(command, question, self.settings.budget.timeout)
        self._check_success(command, outcome)
        if question.metric.source == "command":
            outcome = self._piped(command, question.metric, outcome, deadline)
        value = checked(read(question.metric, outcome, command.name), question, command.name, outcome.resolution)
        if self.kept and is_floored(value, question, outcome):
            raise MeasurementError(
                f"{command.name} took no time that the clock can tell, and a study keeps no such value for a ratio: "
                "use --compare mean or wins."
            )
        return value

    def _check_success(self, command: Command, outcome: Outcome) -> None:
        code, ignored = outcome.exit_code, self.settings.ignored
        if code == 0 or code is None or ignored == "all" or code in ignored:
            return
        how = f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
        raise MeasurementError(
            f"{command.name} {how}: --show-output shows what it says; -i ignores failures, "
            f"--ignore-failure={code} this one."
        )

    def _piped(self, command: Command, metric: Metric, outcome: Outcome, deadline: float | None) -> Outcome:
        """Return what the command of the metric makes of the output."""
        who = f"--metric {metric.argument!r}"
        limit, last = self._limit(deadline)
        with tempfile.TemporaryFile() as file:
            file.write(outcome.output)
            file.flush()
            os.lseek(file.fileno(), 0, os.SEEK_SET)
            found = self._run_shell(who, in_shell(metric.argument, command.item), command, limit, file.fileno())
        if found.timed_out and last:
            raise OutOfTime(said=f"{who} was still running when the time was up.")
        if found.timed_out:
            raise MeasurementError(
                f"{who} did not end within --timeout after {command.name}: the limit holds for each of the two."
            )
        if found.exit_code != 0:
            raise MeasurementError(
                f"{who} ended with exit code {found.exit_code} after {command.name}: "
                "it gets the output of the command on its standard input and must print a number."
            )
        return found

    def _around(self, name: str, lines: Sequence[str], arm: int, command: Command, deadline: float | None) -> None:
        """Run the hook of a command, if it has one."""
        if lines:
            chosen = arm if len(lines) == len(self.commands) else command.given
            self._hook(name, lines[0] if len(lines) == 1 else lines[chosen], command, deadline)

    def _hook(self, name: str, line: str, command: Command, deadline: float | None) -> None:
        who = f"--{name} {line!r}"
        filled = in_shell(fill(line, command.parameters), command.item)
        outcome = self._run_shell(who, filled, command, self._left(deadline))
        if outcome.timed_out:
            raise OutOfTime(said=f"{who} was still running when the time was up.")
        if outcome.exit_code != 0:
            raise MeasurementError(
                f"{who} ended with exit code {outcome.exit_code} for {command.name}: "
                "--show-output shows what it says; append '|| true' if that is no failure."
            )

    def _run_shell(
        self, who: str, line: str, command: Command, limit: float | None, source: int | None = None
    ) -> Outcome:
        """Run a line by the shell, for so many seconds at most; what it starts may stay."""
        shown = self.settings.streams.output == "inherit"
        null = os.open(os.devnull, os.O_RDWR)
        try:
            files = (null if source is None else source, 1 if shown else null, 2 if shown else null)
            words = [*self._shell, "-c", line]
            ours = {**variables(command.item), **self._strays.mark(None)}
            surroundings = {**os.environ, **self.settings.environment, **ours}
            program = children.Program(children.find(words[0]), words, surroundings, files)
            return children.run(program, limit, None if source is None else True, group_stays=source is None)
        except children.AskingError as problem:
            raise MeasurementError(f"{who} {problem}") from None
        except OSError as problem:
            raise MeasurementError(f"{who} cannot be run by {words[0]}: {problem.strerror}.") from None
        finally:
            os.close(null)


def read(metric: Metric, outcome: Outcome, who: str) -> float:
    """Return the metric of an outcome."""
    if metric.source == "counter":
        return outcome.counted[metric.name]
    if metric.source in ("stdout", "command"):
        return number_printed(outcome.output, who if metric.source == "stdout" else f"--metric {metric.name!r}")
    if metric.source == "json":
        return number_at(outcome.output, metric.argument, who)
    if metric.source == "returned":
        if isinstance(outcome.returned, bool) or not isinstance(outcome.returned, int | float):
            raise MeasurementError(f"{who} returned {outcome.returned!r}, which is no number.")
        return float(outcome.returned)
    value = {**measured(outcome), **times(outcome)}[metric.name]
    if value is None:
        raise MeasurementError(f"the {metric.label} of {who} cannot be measured on this system.")
    return value


def measured(outcome: Outcome) -> dict[str, float | None]:
    """Return all that was measured, under hyperfine's names; None for what was not, and no time below 0."""
    found = {
        **{name: value if math.isnan(value) else max(0.0, value) for name, value in times(outcome).items()},
        "memory_peak_resident": outcome.memory,
        **outcome.counted,
    }
    return {name: None if value is not None and math.isnan(value) else value for name, value in found.items()}


def checked(value: float, question: RaceQuestion, who: str, resolution: float = 0.0) -> float:
    """Return a value that the comparison can take: a time at the floor of the clock is lifted there (floor.py)."""
    if question.ratios and question.metric.unit == "second":
        return max(value, resolution)
    if question.compare == "log" and value <= 0.0:
        raise MeasurementError(f"{who} has the value {value:g}, and ratios need values above 0: use --compare mean.")
    return value


def _value_of_timeout(command: Command, question: RaceQuestion, timeout: float | None) -> float:
    """Return what a run that was cut short counts as: the limit as a time, the worst there is where only wins count."""
    if question.metric.name == "time_wall_clock" and not question.maximize and timeout is not None:
        return timeout
    if question.compare == "wins":
        return -WORST if question.maximize else WORST
    raise MeasurementError(
        f"{command.name} did not end within --timeout, so its {question.metric.label} is unknown: "
        "give it more time, or --compare wins, by which it has lost."
    )


def check_timeout(question: RaceQuestion, timeout: float | None, maximize: bool) -> None:
    """Refuse to maximise a time of which only the least part may be known."""
    if timeout is not None and maximize and question.metric.unit == "second" and question.compare != "wins":
        raise InputError("--timeout hides how slow a command is, which --maximize asks for: leave one of them out.")
