"""The race itself: block by block, until it is settled or the budget is spent."""

import datetime
from collections.abc import Sequence
from typing import Any, Protocol

from toptwo.errors import MeasurementError
from toptwo.interrupts import Interrupts
from toptwo.racing.contest import Contest, Row
from toptwo.racing.floor import without_guesses
from toptwo.racing.measuring import Measuring, OutOfTime, PlaceInRace
from toptwo.racing.outcome import Run
from toptwo.racing.result import RaceResult
from toptwo.racing.standing import RaceStanding
from toptwo.racing.units import amount
from toptwo.words import counted


class Watcher(Protocol):
    """Somebody who looks on: a display, a file that is kept up to date."""

    def begin(self, race: "Scheduler") -> None:
        """Look for the first time: nothing has run yet."""

    def look(self, race: "Scheduler") -> None:
        """Look after a run; `race.result()` is how it stands, and takes some time to make."""

    def finish(self, result: RaceResult) -> None:
        """Look for the last time."""


class Scheduler:
    """Drives a contest by measuring what it asks for."""

    def __init__(self, measuring: Measuring, contest: Contest, watchers: Sequence[Watcher] = ()) -> None:
        self.measuring = measuring
        self.contest = contest
        self.why = "decided"
        self.runs: list[Run] = list(contest.before)
        self.odd: list[str] = []
        """What looked like a slip before anything ran."""
        self._watchers = watchers
        self._counts = [sum(run.arm == arm for run in self.runs) for arm in range(len(measuring.commands))]
        self._lengths: dict[int, float] = {}
        """Seconds that blocks took."""
        self._started = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        self._began = measuring.executor.clock()

    @property
    def seconds(self) -> float:
        """Return how long the race has taken so far."""
        return self.measuring.executor.clock() - self._began

    def race(self) -> RaceResult:
        """Run the race to its end and return what it found; only arguments that make no sense raise."""
        executor, commands = self.measuring.executor, self.measuring.commands
        self.odd = executor.check(commands, self.measuring.settings.question.metric)
        for watcher in self._watchers:
            watcher.begin(self)
        with Interrupts() as interrupts:
            try:
                try:
                    with interrupts.welcome():
                        executor.calibrate()
                        self.measuring.setup(self._deadline())
                        self._warm_up()
                    self._blocks(interrupts)
                finally:
                    with interrupts.welcome():
                        self.measuring.cleanup()
            except OutOfTime as end:
                self.why = "time"
                self.odd += [end.said] if end.said else []
                if end.arm is not None and not self._counts[end.arm]:
                    self.odd.append(
                        f"{commands[end.arm].name} had run for {amount(end.seconds, 'second')} when the time was up, "
                        "and has no run that counts: more --max-time, or --timeout to cap its runs."
                    )
            except KeyboardInterrupt:
                self.why = "interrupted"
            except MeasurementError as problem:
                self.why = str(problem)
        self.contest.give_up()
        result = self.result(last=True)
        for watcher in self._watchers:
            watcher.finish(result)
        return result

    def _warm_up(self) -> None:
        for _ in range(self.measuring.settings.budget.warmup):
            for arm in range(len(self.measuring.commands)):
                self.measuring.measure(arm, PlaceInRace(-1, 0, self._first_item()), self._deadline())

    def _first_item(self) -> str | None:
        items = self.measuring.settings.items
        return items[0] if items else None

    def _deadline(self) -> float | None:
        seconds = self.measuring.settings.budget.seconds
        return None if seconds is None else self._began + seconds

    def _blocks(self, interrupts: Interrupts) -> None:
        """Measure block by block."""
        while (row := self._row()) is not None:
            runs: list[Run] = []
            settled = self._settled()
            for place, arm in enumerate(row.arms):
                with interrupts.welcome():
                    run = self.measuring.measure(arm, PlaceInRace(row.block, place, row.item), self._deadline())
                runs.append(run)
                self.runs.append(run)
                self._counts[arm] += 1
                self._lengths[run.block] = self._lengths.get(run.block, 0.0) + run.cost
                if not settled:
                    self.contest.told(row, runs)
                self._show()

    def _show(self) -> None:
        for watcher in self._watchers:
            watcher.look(self)

    def _settled(self) -> bool:
        return self.contest.over and self.measuring.settings.budget.runs is None

    def _row(self) -> Row | None:
        """Return what to run next, or None once it is enough."""
        budget = self.measuring.settings.budget
        if self._settled():
            return self._late_row(budget.least)
        if budget.runs is not None and min(self._counts) >= budget.runs:
            return None
        deadline = self._deadline()
        if deadline is not None and self.measuring.executor.clock() + self._needed() >= deadline:
            raise OutOfTime
        if budget.most is not None and any(self._counts[arm] >= budget.most for arm in self.contest.upcoming()):
            self.why = "runs"
            return None
        row = self.contest.next_row()
        if row is None:
            self.why = "runs"
        return row

    def _needed(self) -> float:
        """Return the seconds that must be left for one more block: those of the longest, if the race may go on later.

        To go on after runs that were cut short for being long would make slow commands look fast (docs/race.md).
        """
        return max(self._lengths.values(), default=0.0) if self.contest.resumable else 0.0

    def _late_row(self, least: int) -> Row | None:
        """Return the commands that have not had their least number of runs when it is all settled."""
        arms = [arm for arm, count in enumerate(self._counts) if count < least]
        return Row(max(run.block for run in self.runs) + 1, arms, self._first_item()) if arms else None

    def result(self, last: bool = False) -> RaceResult:
        """Return how it stands."""
        from toptwo.racing.diagnostics import diagnose

        measuring = self.measuring
        standing: RaceStanding = without_guesses(self.contest.standing(), measuring.settings.question, self.runs)
        found: dict[str, Any] = {
            "question": measuring.settings.question,
            "commands": tuple(measuring.commands),
            "runs": tuple(self.runs),
            "standing": standing,
            "seconds": self.seconds,
            "why": self.why,
            "started": self._started,
            "seed": measuring.settings.seed,
        }
        if not last:
            return RaceResult(**found)
        notes = [note for note in (measuring.executor.note(), *self.odd) if note]
        return RaceResult(**found, notes=(*notes, *self._left(), *diagnose(RaceResult(**found))))

    def _left(self) -> list[str]:
        """Say which commands left processes running."""
        return [
            f"{self.measuring.commands[arm].name} left {counted(number, 'process').replace('processs', 'processes')} "
            "running, which were ended."
            for arm, number in sorted(self.measuring.left.items())
            if number
        ]
