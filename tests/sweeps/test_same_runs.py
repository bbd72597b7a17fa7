"""A run is a function of its seed and number: chunks, parts, engines and calls agree run for run."""

from dataclasses import replace

import numpy as np
import pytest
import small_run

import toptwo as tt
from toptwo.sweeps.arrays import joined
from toptwo.sweeps.cells import answer, cells_of
from toptwo.sweeps.executors import Here
from toptwo.sweeps.points import Point, entrants
from toptwo.sweeps.running import FEWEST, results
from toptwo.sweeps.store import Store
from toptwo.sweeps.workplaces import Workplace

QUESTION = {"threshold": "heuristic", "max_samples": 3000, "seed": 7}
PROBLEMS = {
    "random": ("random", {"arms": 4, "runs": 45}),
    "one instance": ([0.1, 0.9, 0.5], {"runs": 45}),
    "a function": (lambda arms, seed: np.random.default_rng(seed).normal(size=arms), {"arms": 3, "runs": 45}),
    "far from zero": ([1e6, 1e6 + 0.5, 1e6 + 0.2], {"runs": 45}),
}


def samples(table):
    import pandas

    return pandas.read_parquet(table.folder / "runs.parquet").samples.tolist()


@pytest.mark.parametrize("which", PROBLEMS)
def test_chunks_engines_compare_and_simulate_agree_run_for_run(tmp_path, which):
    problem, options = PROBLEMS[which]
    compared = tt.compare(["TTUCB"], problem, **QUESTION, **options)["TTUCB"]
    expected = compared.stopping_times.tolist()
    assert len(set(expected)) > 20, "runs are no longer told apart"
    alone = tt.simulate("TTUCB", compared.means, **QUESTION)
    assert alone.stopping_times.tolist() == expected
    for number, (chunk, engine) in enumerate([(500, "cpu"), (45, "cpu"), (20, "cpu"), (7, "cpu"), (10, "python")]):
        place = {"out": tmp_path / f"{number}", "workers": 1, "progress": False, "chunk": chunk, "engine": engine}
        table = tt.sweep(["TTUCB"], problem, **place, **QUESTION, **options)
        assert samples(table) == expected, (chunk, engine)


def test_runs_played_in_parts_are_those_of_the_whole():
    means = tt.problems.random_gaussian(11, 5, seed=2)
    whole = tt.simulate("T3C", means, trace=[20, 50], **QUESTION)
    parts = [tt.simulate("T3C", means[a:b], first=a, trace=[20, 50], **QUESTION) for a, b in ((0, 4), (4, 5), (5, 11))]
    for name in ("stopping_times", "recommended", "counts", "means", "numbers", "decided"):
        found = np.concatenate([getattr(part, name) for part in parts])
        assert (found == getattr(whole, name)).all(), name
    for place, table in enumerate(whole.trace[1:], start=1):
        assert np.array_equal(np.concatenate([part.trace[place] for part in parts]), table, equal_nan=True)
    later = tt.simulate("T3C", means[0], runs=3, first=40, **QUESTION)
    assert (
        later.stopping_times.tolist() == tt.simulate("T3C", means[0], runs=43, **QUESTION).stopping_times[40:].tolist()
    )
    with pytest.raises(tt.InputError, match="first must be"):
        tt.simulate("T3C", means, first=-1, **QUESTION)


@pytest.mark.parametrize("timed", [False, True])
@pytest.mark.parametrize("number", [2, 3, 7])
def test_the_parts_of_a_cell_are_the_whole(number, timed):
    cell = cells_of(replace(small_run.points("smoke")[0], timed=timed), seed=5)[1]
    whole = answer(cell.work).arrays
    parts = cell.work.parts(number)
    found = joined([answer(part).arrays for part in parts])
    assert len(parts) == number
    assert found.keys() == whole.keys()
    for name in whole.keys() - {"seconds"}:
        assert found[name].tobytes() == whole[name].tobytes(), name
        assert found[name].dtype == whole[name].dtype, name


class Noted(Here):
    """Remembers which runs were handed out."""

    def __init__(self):
        self.runs = []

    def submit(self, function, /, work):
        self.runs.append((work.first, work.first + len(work.means)))
        return super().submit(function, work)


def test_one_hard_cell_is_shared_among_workers_with_the_same_bytes(tmp_path):
    instances = tt.problems.random_gaussian(200, 4, seed=1)
    point = Point("hard", lambda runs, seed: instances, entrants("TTUCB"), 200, max_samples=2000, checkpoints=(50, 90))
    [cell] = cells_of(point, seed=3)
    files, handed = [], []
    for workers in (1, 2, 50):
        store, executor = Store(tmp_path / f"{workers}"), Noted()
        store.folder.mkdir()
        done = [found for found in results([cell], store, Workplace(executor, workers)) if found is not None]
        assert sum(found.share for found in done) == pytest.approx(1.0)
        assert [found.last for found in done] == [False] * (len(done) - 1) + [True]
        assert sorted(executor.runs) == sorted(executor.runs, key=lambda part: part[1])
        assert [path.suffix for path in sorted(store.folder.iterdir())] == [".json", ".npz"]
        files.append(store.path(cell).read_bytes())
        handed.append(len(executor.runs))
    assert files[0] == files[1] == files[2]
    assert handed == [1, 6, 200 // FEWEST]
