"""Running experiments: their points are swept, and tables follow when cells are done."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from toptwo.experiments.experiment import Experiment, Point
from toptwo.sweeps.cells import Cell, cells_of
from toptwo.sweeps.files import Arrays, archive, write_whole
from toptwo.sweeps.players import played_by
from toptwo.sweeps.provenance import provenance
from toptwo.sweeps.running import Cells, OnProgress, Shard
from toptwo.sweeps.store import Store
from toptwo.sweeps.tables import Table
from toptwo.sweeps.tabulate import collected, content_of, facts
from toptwo.sweeps.workplaces import Hired

OnTable = Callable[[Experiment, Table], None]


@dataclass(frozen=True)
class Job:
    """What is to be run, by which engine, and where results are kept.

    A shard is the part of it that one of several machines does.
    """

    experiments: tuple[Experiment, ...]
    size: str
    seed: int
    out: Path
    shard: Shard | None = None
    engine: str = "cpu"

    @property
    def store(self) -> Store:
        """Return the store of the cells, which all experiments in a folder share."""
        return Store(self.out / "cells")


class JobUnderWay:
    """A job under way."""

    def __init__(self, job: Job) -> None:
        self.job = job
        points: list[Point] = []
        self._places: dict[str, range] = {}
        for experiment in job.experiments:
            first = len(points)
            points += [played_by(job.engine, point, job.seed) for point in experiment.points(job.size)]
            self._places[experiment.name] = range(first, len(points))
        self.cells = Cells(points, job.seed, job.store.folder, job.shard)

    def finish(self, where: Hired, on_table: OnTable, on_progress: OnProgress) -> None:
        """Compute what is missing, and hand over each table as soon as its cells are there."""
        store = self.job.store
        waiting = {
            experiment.name: {cell.question for cell in self._cells(experiment) if not store.has(cell)}
            for experiment in self.job.experiments
        }
        self._hand_over(waiting, on_table)
        for cell in self.cells.compute(where, on_progress):
            for names in waiting.values():
                names.discard(cell.question)
            self._hand_over(waiting, on_table)  # while the workers go on

    def _cells(self, experiment: Experiment) -> list[Cell]:
        return [cell for place in self._places[experiment.name] for cell in self.cells.of_point[place]]

    def _hand_over(self, waiting: dict[str, set[str]], on_table: OnTable) -> None:
        for experiment in self.job.experiments:
            if experiment.name in waiting and not waiting[experiment.name]:
                del waiting[experiment.name]
                on_table(experiment, self._keep_table(experiment))

    def _keep_table(self, experiment: Experiment) -> Table:
        """Make and write the table of an experiment, its runs one by one, and how they came about."""
        job = self.job
        table, runs = make_table(experiment, job.size, job.seed, job.store, job.engine)
        folder = job.out / experiment.name
        origin = provenance(job.store, self._cells(experiment), size=job.size, seed=job.seed)
        write_whole(folder / "provenance.json", origin)
        write_whole(folder / "runs.npz", archive(runs))
        write_whole(folder / table.file_name, table.text().encode())
        return table


def make_table(experiment: Experiment, size: str, seed: int, store: Store, engine: str = "cpu") -> tuple[Table, Arrays]:
    """Return the table of an experiment whose cells are all done, and its runs one by one."""
    runs: Arrays = {}
    points = []
    for point in (played_by(engine, point, seed) for point in experiment.points(size)):
        found = collected(point, cells_of(point, seed), store)
        points.append(content_of(point, seed, found, facts))
        for label, arrays in found.items():
            kept = (name for name in ("samples", "wrong", "seconds") if name in arrays)
            runs |= {f"{name}/{point.label}/{label}": arrays[name] for name in kept}
    content = {
        "experiment": experiment.name,
        "size": size,
        "seed": seed,
        "kind": "measurement" if experiment.measured(size) else "table",
        "points": points,
        "theory": experiment.theory(size, seed) if experiment.theory else {},
    }
    return Table(content), runs
