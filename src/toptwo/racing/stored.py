"""A race kept in a study: every run is written down as it is made, and the same race goes on where it ended."""

import hashlib
import math
import sys
from collections.abc import Sequence
from typing import Any

from toptwo.errors import InputError, MeasurementError, StudyError
from toptwo.racing.blocks import block_options, drawn_item, standing_of
from toptwo.racing.commands import Command
from toptwo.racing.contest import Row
from toptwo.racing.metrics import WALL_CLOCK
from toptwo.racing.options import RaceSettings
from toptwo.racing.outcome import Outcome, Run
from toptwo.racing.standing import NOBODY, RaceStanding
from toptwo.words import counted


class Stored:
    """A contest whose runs are pulls of a study with the design of blocks.

    A block that an interrupt or a crash left half made is given up: its runs would not be back to back. So one race at
    a time works on a study.
    """

    def __init__(
        self,
        commands: Sequence[Command],
        settings: RaceSettings,
        shell: str | None,
        storage: str | None,
        study_name: str | None,
    ) -> None:
        from toptwo.study import create_study

        check_together(storage, study_name)
        if settings.budget.runs is not None or settings.budget.everyone:
            raise InputError("--runs is no race to be gone on with: leave --storage out, or --runs.")
        asked = block_options(settings.question)
        if asked.pop("relative"):
            raise InputError("--storage keeps no margin for means that is a share: use --compare log, or an amount.")
        self._commands, self._settings = commands, settings
        self._study = create_study(
            [_arm(command, settings) for command in commands],
            epsilon=asked.pop("margin"),
            design="blocks",
            failures="drop",
            seed=settings.seed,
            storage=storage,
            study_name=study_name,
            load_if_exists=True,
            conditions=conditions(commands, settings, shell),
            **asked,
        )
        self.give_up()
        self.resumable = True
        self._pulls: list[Any] = []
        self.before: Sequence[Run] = self._runs_before()
        """Runs of former races on this study."""

    @property
    def over(self) -> bool:
        """Return whether the answer is settled."""
        return not self._study.running

    def upcoming(self) -> Sequence[int]:
        """Return who is in the next block."""
        return self._study.design.race.choose()  # type: ignore[no-any-return]

    def next_row(self) -> Row:
        """Return the next block."""
        try:
            self._pulls = self._study.ask_block()
        except StudyError as problem:
            raise MeasurementError(str(problem)) from None
        block = self._pulls[0].block
        assert block is not None  # the design is that of blocks
        return Row(
            block, [pull.index for pull in self._pulls], drawn_item(self._settings.items, self._settings.seed, block)
        )

    def told(self, row: Row, runs: Sequence[Run]) -> None:
        """Write the run down that was just made."""
        run, pull = runs[-1], self._pulls[len(runs) - 1]
        value = min(max(run.value, -sys.float_info.max), sys.float_info.max)
        try:
            self._study.tell(pull, value, cost=run.cost)
        except (InputError, StudyError) as problem:
            raise MeasurementError(str(problem)) from None
        if len(runs) == len(row.arms) and self._study.was_given_up(pull):
            raise MeasurementError(
                f"one race at a time works on a study, and another one goes on with {self._study.name!r} now"
            )

    def standing(self) -> RaceStanding:
        """Return what follows from the blocks so far, and from taking runs that were cut short for usual ones."""
        found, lost = standing_of(self._study.design.race), self._study.given_up
        if not lost or found is NOBODY:
            return found
        usual = f"; and that blocks cut short by an interrupt ({counted(lost, 'run')}) would have been like the others"
        return found._replace(assumption=found.assumption + usual)

    def give_up(self) -> None:
        """Give up a block that was left half made."""
        for pull in self._study.pending:
            self._study.give_back(pull)

    def _runs_before(self) -> list[Run]:
        """Return what former races measured: the values, of which nothing else is kept."""
        found: list[Run] = []
        places: dict[int, int] = {}
        for pull in self._study.pulls:
            block = pull.block
            assert block is not None  # the design is that of blocks
            place = places[block] = places.get(block, -1) + 1
            if pull.value is not None:
                arm = self._study.arms.index(pull.arm)
                value = pull.value if abs(pull.value) < sys.float_info.max else math.copysign(math.inf, pull.value)
                wall = value if self._settings.question.metric is WALL_CLOCK else math.nan
                late = math.isinf(value) or wall == self._settings.budget.timeout
                outcome = Outcome(wall, math.nan, math.nan, timed_out=late)
                found.append(Run(arm, block, place, value, outcome, None, pull.cost or 0.0))
        return found


def conditions(commands: Sequence[Command], settings: RaceSettings, shell: str | None) -> dict[str, str]:
    """Return what has to be the same for runs to belong to one race, by name."""
    hooks, streams, budget = settings.hooks, settings.streams, settings.budget
    found = {f"the command of {command.name!r}": command.line for command in commands}
    others = {
        "--shell": None if shell in (None, "none") else shell,
        "--setup": hooks.setup,
        "--prepare": hooks.prepare,
        "--conclude": hooks.conclude,
        "--cleanup": hooks.cleanup,
        "--env": settings.environment,
        "--input": None if streams.input == "null" else streams.input,
        "--output": None if streams.output == "null" else streams.output,
        "--timeout": budget.timeout,
        "--ignore-failure": settings.ignored,
        "--items": hashlib.sha256("\n".join(settings.items).encode()).hexdigest() if settings.items else None,
    }
    return found | {name: str(value) for name, value in others.items() if value}


def check_together(storage: str | None, study_name: str | None) -> None:
    """Refuse one without the other."""
    if storage is None or study_name is None:
        raise InputError("--storage and --study-name belong together: where the race is kept, and under which name.")


def kept_seed(storage: str | None, study_name: str | None) -> int | None:
    """Return the seed of the study that a race goes on with, if there is one."""
    if storage is None and study_name is None:
        return None
    check_together(storage, study_name)
    from toptwo.study import load_study
    from toptwo.study.storages import get_storage

    place = get_storage(storage)
    return load_study(str(study_name), place).seed if study_name in place.names() else None


def _arm(command: Command, settings: RaceSettings) -> str:
    """Return the name of a command in the study; with the metric, unless it is wall time: studies ask one question."""
    metric = settings.question.metric
    return command.name if metric.name == "time_wall_clock" else f"{command.name}: {metric.name}"
