"""Running experiments: what is there is kept, what is missing is computed, tables follow when cells are done."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from toptwo.experiments.cells import Cell, cells_of
from toptwo.experiments.crew import Crew
from toptwo.experiments.experiment import Experiment, Point
from toptwo.experiments.files import archive, write_whole
from toptwo.experiments.forecast import Forecast, work_of
from toptwo.experiments.provenance import provenance
from toptwo.experiments.store import Store
from toptwo.experiments.tables import Table
from toptwo.experiments.tabulate import facts, make_table

OnTable = Callable[[Experiment, Table], None]
OnProgress = Callable[[Forecast], None]


@dataclass(frozen=True)
class Job:
    """What is to be run, and where results are kept."""

    experiments: tuple[Experiment, ...]
    size: str
    seed: int
    out: Path

    @property
    def store(self) -> Store:
        """Return the store of the cells, which all experiments in a folder share."""
        return Store(self.out / "cells")


class Run:
    """A job under way."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self._cells: dict[str, list[Cell]] = {}
        self._work: dict[str, float] = {}
        for experiment in job.experiments:
            self._cells[experiment.name] = self._plan(experiment)
        everything = [cell for cells in self._cells.values() for cell in cells]
        store = job.store
        store.folder.mkdir(parents=True, exist_ok=True)
        store.sweep()
        self.outdated, self.spoilt = store.set_aside(everything)
        """How many cells are not used: computed by code that has changed since, or not what was written."""
        self.shared = 0
        """How many missing cells another run on the same folder has computed meanwhile."""
        missing = [[cell for cell in cells if not store.has(cell)] for cells in self._cells.values()]
        self.missing = _ordered(missing, self._work)
        self.kept = len({store.path(cell) for cell in everything}) - len(self.missing)

    def _plan(self, experiment: Experiment) -> list[Cell]:
        cells = []
        for point in experiment.points(self.job.size):
            samples = _expected_samples(point, self.job.seed)
            for cell in cells_of(point, self.job.seed):
                cells.append(cell)
                self._work[cell.question] = work_of(cell, samples)
        return cells

    def finish(self, workers: int, on_table: OnTable, on_progress: OnProgress) -> None:
        """Compute what is missing, and hand over each table as soon as its cells are there."""
        forecast = Forecast(self.missing, self._work, workers)
        store = self.job.store
        waiting = {
            name: {cell.question for cell in cells if not store.has(cell)} for name, cells in self._cells.items()
        }
        with Crew(workers, store.folder) as crew:
            for done in crew.results(self.missing):
                if done is not None:
                    forecast.note(done.cell, done.seconds)
                    self.shared += not done.ours
                    for names in waiting.values():
                        names.discard(done.cell.question)
                self._hand_over(waiting, on_table)  # while the workers go on
                on_progress(forecast)
        self._hand_over(waiting, on_table)

    def _hand_over(self, waiting: dict[str, set[str]], on_table: OnTable) -> None:
        for experiment in self.job.experiments:
            if experiment.name in waiting and not waiting[experiment.name]:
                del waiting[experiment.name]
                on_table(experiment, self._keep_table(experiment))

    def _keep_table(self, experiment: Experiment) -> Table:
        """Make and write the table of an experiment, its runs one by one, and how they came about."""
        job = self.job
        table, runs = make_table(experiment, job.size, job.seed, job.store)
        folder = job.out / experiment.name
        origin = provenance(job.store, self._cells[experiment.name], size=job.size, seed=job.seed)
        write_whole(folder / "provenance.json", origin)
        write_whole(folder / "runs.npz", archive(runs))
        write_whole(folder / table.file_name, table.text().encode())
        return table


def _expected_samples(point: Point, seed: int) -> float:
    return facts(point.instances(min(point.runs, 200), seed), point.delta)["lower_bound"]


def _ordered(experiments: Sequence[Sequence[Cell]], work: dict[str, float]) -> list[Cell]:
    """Return each cell once: first the least for each combination of rules, so that compiling is over early.

    The rest follows experiment by experiment, within each the largest first, so that the workers end together.
    """

    def size(cell: Cell) -> float:
        return work[cell.question]

    largest_first = [cell for cells in experiments for cell in sorted(cells, key=size, reverse=True)]
    different = {cell.question: cell for cell in largest_first}
    least: dict[str, Cell] = {}
    for cell in sorted(different.values(), key=size):
        least.setdefault(cell.code, cell)
    return list({cell.question: cell for cell in (*least.values(), *different.values())}.values())
