"""The result of a race: what was measured, what follows, and what it rests on."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from toptwo.racing.commands import Command
from toptwo.racing.measuring import measured
from toptwo.racing.options import RaceQuestion
from toptwo.racing.outcome import Run
from toptwo.racing.standing import RaceStanding
from toptwo.racing.summary import MetricSummary, summarize

EXIT = {"winner": 0, "tie": 3, "undecided": 4, "running": 4}
UNITS = {"memory_peak_resident": "byte", "instructions": "count", "cpu_cycles": "count"}


@dataclass(frozen=True)
class RaceResult:
    """What a race found.

    Attributes
    ----------
    question, commands
        What was asked.
    runs
        Every measurement, in the order in which they were made.
    standing
        The leader, the confidence, the pairs.
    seconds
        Time that the race took.
    why
        What ended it: "decided", "time", "runs", "interrupted", or a sentence about what failed.
    notes
        What a reader should know: how runs were measured, and what is odd about them.
    started
        Date and time of the start, in UTC.
    seed
        Of all that was drawn.

    Examples
    --------
    >>> import toptwo as tt
    >>> from toptwo.racing.executors.mock import Mock
    >>> times = {"slow": lambda run: 0.2 + 0.001 * (run % 3), "fast": lambda run: 0.1 + 0.001 * (run % 2)}
    >>> result = tt.race(["slow", "fast"], executor=Mock(times))
    >>> result.winner, result.status
    ('fast', 'winner')
    """

    question: RaceQuestion
    commands: tuple[Command, ...]
    runs: tuple[Run, ...]
    standing: RaceStanding
    seconds: float = 0.0
    why: str = "decided"
    notes: tuple[str, ...] = ()
    started: str = ""
    seed: int = 0

    @property
    def status(self) -> str:
        """Return "winner", "tie", "undecided" or "failed"."""
        if self.why not in ("decided", "time", "runs", "interrupted"):
            return "failed"
        return "undecided" if self.standing.status == "running" else self.standing.status

    @property
    def exit_status(self) -> int:
        """Return 0 for a winner, 3 for a tie, 4 for undecided, 130 if interrupted before that, 1 for a failure."""
        if self.status == "failed":
            return 1
        return 130 if self.why == "interrupted" and self.status == "undecided" else EXIT[self.status]

    @property
    def winner(self) -> str | None:
        """Return the name of the winner, if there is one."""
        return self.leader if self.status == "winner" else None

    @property
    def leader(self) -> str | None:
        """Return the name of the command that leads or won."""
        return self.commands[self.standing.leader].name if self.standing.leader >= 0 else None

    @property
    def contenders(self) -> tuple[str, ...]:
        """Return the names of the commands that may be the best, the leader first."""
        ordered = sorted(self.standing.contenders, key=lambda arm: arm != self.standing.leader)
        return tuple(self.commands[arm].name for arm in ordered)

    def runs_of(self, arm: int) -> list[Run]:
        """Return the runs of a command."""
        return self._by_arm[arm]

    @cached_property
    def _by_arm(self) -> list[list[Run]]:
        found: list[list[Run]] = [[] for _ in self.commands]
        for run in self.runs:
            found[run.arm].append(run)
        return found

    def summary(self, arm: int, metric: str | None = None) -> MetricSummary | None:
        """Return the summary of a command's metric, by default the one that raced; None unless every run has it.

        Runs that were cut short and count as lost have no value: they are left out.
        """
        runs = self.runs_of(arm)
        values: list[float | None]
        if metric is None or metric == self.question.metric.name:
            values = [run.value for run in runs if math.isfinite(run.value)]
        else:
            values = [measured(run.outcome).get(metric) for run in runs]
        known = [value for value in values if value is not None]
        return summarize(known) if known and len(known) == len(values) else None

    def metrics(self, arm: int) -> list[str]:
        """Return the names of the metrics that every run of a command has."""
        names = list(measured(self.runs[0].outcome)) if self.runs else []
        if self.question.metric.name not in names:
            names.insert(0, self.question.metric.name)
        return [name for name in names if self.summary(arm, name) is not None]

    def ranked(self) -> list[int]:
        """Return the commands, best first: the leader, then by how they stand against it, then those never run."""
        pairs = self.standing.pairs

        def place(arm: int) -> tuple[int, float]:
            if arm == self.standing.leader:
                return 0, 0.0
            pair = pairs[arm] if arm < len(pairs) else None
            if pair is not None:
                return 1, pair.effect
            summary = self.summary(arm)
            return (3, arm) if summary is None else (2, -summary.mean if self.question.maximize else summary.mean)

        return sorted(range(len(self.commands)), key=place)

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain data: hyperfine's JSON, schema 2, with ours beside it."""
        from toptwo.racing.exporters.json import schema_two

        return schema_two(self)

    def __str__(self) -> str:
        from toptwo.racing.sentences import paragraphs

        return "\n".join(paragraphs(self))


def unit_of(result: RaceResult, metric: str) -> str:
    """Return the unit of a metric, in hyperfine's words."""
    if metric == result.question.metric.name:
        return result.question.metric.unit
    return UNITS.get(metric, "second")
