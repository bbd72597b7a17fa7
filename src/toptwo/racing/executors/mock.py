"""Commands that are not run: their times come from a table, so that a whole race takes no time and is exact."""

from collections.abc import Callable, Mapping, Sequence

from toptwo.errors import InputError
from toptwo.racing.commands import Command
from toptwo.racing.metrics import Metric
from toptwo.racing.outcome import Outcome

Law = Callable[[int], float | Outcome]
"""From the number of the run, over all commands, to the seconds it takes or to all that it leaves behind."""


class Mock:
    """Answers as the laws say, and keeps a clock that only its runs move on."""

    def __init__(self, laws: Mapping[str, Law]) -> None:
        self._laws = laws
        self._now = 0.0
        self.ran: list[str] = []

    def check(self, commands: Sequence[Command], metric: Metric) -> list[str]:
        """Refuse what there is no law for."""
        for command in commands:
            if command.line not in self._laws:
                raise InputError(f"cannot run {command.line!r}: there is no law for it.")
        return []

    def calibrate(self) -> None:
        """Nothing is measured."""

    def run(self, command: Command, metric: Metric, limit: float | None) -> Outcome:
        """Return what the law says."""
        answer = self._laws[command.text](len(self.ran))
        outcome = answer if isinstance(answer, Outcome) else Outcome(wall=answer, user=answer)
        if limit is not None and outcome.wall > limit:
            outcome = outcome._replace(wall=limit, timed_out=True, exit_code=None)
        self.ran.append(command.text)
        self._now += outcome.wall
        return outcome

    def clock(self) -> float:
        """Return the sum of all times."""
        return self._now

    def note(self) -> str:
        """Return that nothing was run."""
        return "Nothing was run: times come from a table."

    def close(self) -> None:
        """Nothing is open."""
