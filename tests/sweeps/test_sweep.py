"""Sweeps over grids: rows, files, shards, and what is computed only once."""

import dataclasses
import json
import sys

import numpy as np
import pytest

import toptwo as tt
from toptwo.errors import WorkError
from toptwo.json_text import json_text
from toptwo.sweeps.files import archive, write_sealed, write_whole
from toptwo.sweeps.running import Shard

GRID = {
    "arms": [2, 3],
    "delta": [0.1, 0.01],
    "threshold": "heuristic",
    "runs": 20,
    "max_samples": 300,
    "chunk": 10,
    "workers": 1,
    "progress": False,
}


def run(folder, **options):
    return tt.sweep(["TTUCB", "uniform"], "one-sparse", out=folder, **(GRID | options))


@pytest.fixture(scope="module")
def swept(tmp_path_factory):
    folder = tmp_path_factory.mktemp("swept")
    return folder, run(folder)


def bytes_of(folder):
    cells = {path.name: path.read_bytes() for path in (folder / "cells").glob("*.npz")}
    return cells | {name: (folder / name).read_bytes() for name in ("table.json", "runs.parquet")}


def test_a_row_for_each_algorithm_at_each_point(swept):
    folder, table = swept
    assert len(table.rows) == 8
    assert table.cells.computed == 16
    assert table.varied() == ["arms", "delta"]
    row = table.row("TTUCB", arms=3, delta=0.01)
    assert row["runs"] == 20
    assert row["lower_bound"] == pytest.approx(float(tt.theory.lower_bound([0.25, 0.0, 0.0], 0.01)))
    assert row["ratio_to_first"] is None
    assert table.row("uniform", arms=3, delta=0.01)["ratio_to_first"] > 0.0
    assert json.loads((folder / "table.json").read_text())["rows"] == [dict(row) for row in table.rows]
    for rows in (table.rows, ()):
        some = dataclasses.replace(table, rows=rows)
        assert some.to_json() == json_text({"rows": list(rows)})
    with pytest.raises(tt.InputError, match="2 rows"):
        table.row("TTUCB", arms=3)


def test_rows_have_the_difference_from_the_first_run_by_run(swept):
    import pandas

    folder, table = swept
    runs = pandas.read_parquet(folder / "runs.parquet")
    here = runs[(runs.arms == 3) & (runs.delta == 0.1)]
    first, other = (here[here.algorithm == name].samples.to_numpy() for name in ("TTUCB", "uniform"))
    row = table.row("uniform", arms=3, delta=0.1)
    assert row["difference_from_first"] == pytest.approx((other - first).mean())
    half = 1.959964 * (other - first).std(ddof=1) / np.sqrt(len(first))
    assert row["difference_from_first_high"] - row["difference_from_first"] == pytest.approx(half, rel=1e-6)
    assert row["difference_from_first"] - row["difference_from_first_low"] == pytest.approx(half, rel=1e-6)
    assert table.row("TTUCB", arms=3, delta=0.1)["difference_from_first"] is None


def test_every_run_is_on_disk(swept):
    folder, table = swept
    import pandas

    runs = pandas.read_parquet(folder / "runs.parquet")
    assert len(runs) == 160
    some = runs[(runs.algorithm == "uniform") & (runs.arms == 2) & (runs.delta == 0.1)]
    assert some.samples.mean() == table.row("uniform", arms=2, delta=0.1)["mean"]


def test_runs_are_the_same_written_a_few_at_a_time(swept, tmp_path, monkeypatch):
    import pandas

    from toptwo.sweeps import results

    monkeypatch.setattr(results, "GROUP", 2 * results.PIECE)
    run(tmp_path)
    few, whole = (pandas.read_parquet(folder / "runs.parquet") for folder in (tmp_path, swept[0]))
    assert few.equals(whole)


def test_where_pyarrow_is_missing_runs_are_an_archive(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    run(tmp_path, arms=2, delta=0.1)
    with np.load(tmp_path / "runs.npz") as found:
        assert len(found["samples"]) == 40
        rows = [(str(name), int(run)) for name, run in zip(found["algorithm"], found["run"], strict=True)]
    assert rows == [(name, run) for name in ("TTUCB", "uniform") for run in range(20)]


def test_the_same_again_computes_nothing(swept):
    folder, table = swept
    before = bytes_of(folder)
    again = run(folder)
    assert (again.cells.computed, again.cells.kept) == (0, 16)
    assert again.rows == table.rows
    assert bytes_of(folder) == before


def test_four_shards_together_are_the_whole(swept, tmp_path):
    whole = bytes_of(swept[0])
    computed = 0
    for number in (3, 1, 4):
        part = run(tmp_path, shard=f"{number}/4")
        computed += part.cells.computed
        assert part.cells.left_to_others > 0
        assert not (tmp_path / "table.json").exists(), "a table that lacks cells"
    merged = run(tmp_path)  # the second shard never ran: its cells are computed now
    assert merged.cells.kept == computed
    assert merged.cells.computed == 16 - computed
    assert bytes_of(tmp_path) == whole


def test_every_cell_is_of_one_shard(swept):
    names = [path.stem.partition("-")[0] for path in (swept[0] / "cells").glob("*.npz")]

    class Named:
        def __init__(self, question):
            self.question = question

    for name in names:
        assert sum(Shard(number, 4).has(Named(name)) for number in (1, 2, 3, 4)) == 1


def test_a_shard_of_other_code_is_never_merged(swept, tmp_path):
    """What another version has computed under the same question is set aside, and computed again."""
    run(tmp_path, shard="1/2")
    for path in (tmp_path / "cells").glob("*.npz"):
        question, _, code = path.stem.partition("-")
        other = path.with_name(f"{question}-{code[::-1]}.npz")
        path.with_suffix(".json").replace(other.with_suffix(".json"))
        write_whole(other, archive({"samples": np.ones(10)}, other.stem))
        path.unlink()
    merged = run(tmp_path)
    assert merged.cells.outdated > 0
    assert merged.cells.computed == 16
    assert bytes_of(tmp_path) == bytes_of(swept[0])


def test_families_margins_and_problems_are_axes(tmp_path):
    table = tt.sweep(
        {"ours": tt.TTUCB(beta=0.4)},
        ["one-sparse", lambda arms, seed: np.linspace(0.2, 0.8, arms)],
        arms=3,
        family=[None, tt.Bernoulli()],
        epsilon=[0.0, 0.1],
        runs=4,
        max_samples=60,
        out=tmp_path,
        workers=1,
        progress=False,
    )
    assert len(table.rows) == 8
    assert table.varied() == ["problem", "family", "epsilon"]
    assert {row["lower_bound"] is None for row in table.rows if row["epsilon"]} == {True}
    assert "ours" in str(table)
    assert table.plot(tmp_path / "grid.png", x="epsilon").read_bytes().startswith(b"\x89PNG")


FEW = {"threshold": "heuristic", "runs": 4, "max_samples": 60, "workers": 1, "progress": False}


@pytest.mark.parametrize("sigma", [[1.0, 2.0, 3.0], (1.0, 2.0, 3.0), np.array([1.0, 2.0, 3.0])])
def test_families_of_one_parameter_for_each_arm(tmp_path, sigma):
    table = tt.sweep(["TTUCB"], [0.3, 0.9, 0.5], family=tt.Gaussian(sigma=sigma), out=tmp_path, **FEW)
    given = tt.compare(["TTUCB"], [0.3, 0.9, 0.5], family=tt.Gaussian(sigma=(1.0, 2.0, 3.0)), **PLAIN)
    assert table.rows[0]["mean"] == given["TTUCB"].stopping_times.mean()


PLAIN = {"threshold": "heuristic", "runs": 4, "max_samples": 60}


def test_rows_of_numbers_are_axes(tmp_path):
    pandas = pytest.importorskip("pandas")
    deltas = np.geomspace(0.1, 0.001, 3)
    table = tt.sweep(
        ["uniform"],
        "one-sparse",
        arms=np.array([2, 3]),
        delta=deltas,
        epsilon=pandas.Series([0.0, 0.1]),
        out=tmp_path,
        **FEW,
    )
    assert table.varied() == ["arms", "delta", "epsilon"]
    assert len(table.rows) == 12
    assert table.row("uniform", arms=3, delta=deltas[1], epsilon=0.1)["runs"] == 4
    json.loads(table.to_json())
    one = tt.sweep(["uniform"], "one-sparse", arms=np.int64(2), delta=np.float64(0.1), out=tmp_path, **FEW)
    assert (one.cells.kept, one.cells.computed) == (1, 0)


def test_problems_that_look_alike_are_told_apart(tmp_path):
    near, far = np.array([0.3, 0.9, 0.5]), np.array([0.3, 1.9, 0.5])
    numbered = tt.sweep(["uniform"], [near, far], out=tmp_path, **FEW)
    assert [row["problem"] for row in numbered.rows] == ["given means", "given means (2)"]
    assert numbered.row("uniform", problem="given means (2)")["lower_bound"] < numbered.rows[0]["lower_bound"]
    named = tt.sweep(["uniform"], {"near": near, "far": far}, out=tmp_path, **FEW)
    assert named.row("uniform", problem="far")["lower_bound"] == numbered.rows[1]["lower_bound"]
    assert named.cells.kept == 2, "a name is no part of the question"
    functions = [lambda arms, seed: np.arange(arms) * 0.1, lambda arms, seed: np.arange(arms) * 0.3]
    drawn = tt.sweep(["uniform"], functions, arms=3, out=tmp_path, **FEW)
    assert [row["problem"] for row in drawn.rows] == ["<lambda>", "<lambda> (2)"]
    with pytest.raises(tt.InputError, match=r"2 rows .*problem is one of <lambda>, <lambda> \(2\)"):
        drawn.row("uniform")


def test_families_that_look_alike_are_told_apart(tmp_path):
    sigma = np.ones(1200)
    other = np.where(np.arange(1200) == 600, 9.0, 1.0)  # NumPy's own text leaves it out
    means = np.zeros(1200)
    means[600] = 5.0
    families = [tt.Gaussian(sigma=sigma), tt.Gaussian(sigma=other)]
    table = tt.sweep(["uniform"], means, family=families, out=tmp_path, **(FEW | {"max_samples": 2400}))
    assert table.cells.computed == 2
    assert len({row["family"] for row in table.rows}) == 2
    assert table.rows[0]["lower_bound"] < table.rows[1]["lower_bound"]
    named = tt.sweep(
        ["uniform"], [0.1, 0.9], family={"loud": tt.Gaussian(2.0), "law": tt.Bernoulli()}, out=tmp_path, **FEW
    )
    assert [row["family"] for row in named.rows] == ["loud", "law"]
    plain = tt.sweep(["uniform"], [0.1, 0.9], family=[tt.Gaussian(2.0), tt.Bernoulli()], out=tmp_path, **FEW)
    assert plain.row("uniform", family=tt.Bernoulli()) == plain.rows[1]


def test_an_engine_has_cells_of_its_own(swept, tmp_path):
    """Interpreted runs are those of compiled ones, and yet not taken for them."""
    first, again = run(tmp_path, arms=2), run(tmp_path, arms=2, engine="python")
    assert (again.cells.computed, again.cells.kept, again.cells.outdated) == (8, 0, 0)
    assert again.rows == first.rows
    assert run(tmp_path, arms=2).cells.kept == 8


def test_any_executor_will_do(swept, tmp_path):
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(2) as executor:
        run(tmp_path, workers=None, executor=executor)
        assert executor.submit(int, "1").result() == 1, "it is still its owner's"
    assert bytes_of(tmp_path) == bytes_of(swept[0])


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"shard": "0/4"}, "shard must be i/n"),
        ({"shard": "two"}, "shard must be i/n"),
        ({"engine": "gpu"}, "engine"),
        ({"arms": []}, "arms must have at least one value"),
        ({"delta": [0.1, 2.0]}, "delta"),
        ({"executor": 3, "workers": None}, "executor must be a concurrent.futures.Executor"),
        ({"dask": 3, "workers": None}, "dask must be the address of a scheduler"),
        ({"dask": "tcp://127.0.0.1:9"}, "give one of workers, executor and dask"),
    ],
)
def test_what_makes_no_sense_is_said(tmp_path, options, sentence):
    with pytest.raises(tt.InputError, match=sentence):
        run(tmp_path, **options)


def test_a_full_disk_is_a_sentence_and_loses_nothing(swept, tmp_path, monkeypatch):
    """The third cell finds no room; with room again, the same call computes what is missing and no more."""
    from toptwo.sweeps import store

    written = []

    def no_room(path, content):
        written.append(path)
        if len(written) == 6:  # each cell is two files
            raise OSError(28, "No space left on device", str(path))
        write_sealed(path, content)

    with monkeypatch.context() as full:
        full.setattr(store, "write_sealed", no_room)
        with pytest.raises(WorkError, match="No space left on device; cells that were done are kept"):
            run(tmp_path)
    again = run(tmp_path)
    assert (again.cells.kept, again.cells.computed) == (2, 14)
    assert bytes_of(tmp_path) == bytes_of(swept[0])
