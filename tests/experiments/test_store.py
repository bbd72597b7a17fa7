"""Cells on disk: whole or absent, and never those of other code."""

import json
import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
import small_run

from toptwo.errors import InputError
from toptwo.experiments.cells import cells_of
from toptwo.experiments.crew import Crew, WorkError
from toptwo.experiments.experiment import Entrant
from toptwo.experiments.store import Store, write_whole

ARRAYS = {"samples": np.arange(5), "wrong": np.zeros(5, bool)}


@pytest.fixture
def cell():
    return cells_of(small_run.points("smoke")[0], seed=5)[0]


def test_a_cell_is_read_as_it_was_written(tmp_path, cell):
    store = Store(tmp_path)
    assert not store.has(cell)
    store.write(cell, ARRAYS, {"processor": 1.0})
    assert store.has(cell)
    found = store.read(cell)
    assert all((found[name] == array).all() and found[name].dtype == array.dtype for name, array in ARRAYS.items())
    assert store.origin(cell)["seconds"] == {"processor": 1.0}


def test_every_setting_makes_another_question(cell):
    point = cell.point
    others = [
        replace(cell, seed=6),
        replace(cell, first=1),
        replace(cell, entrant=Entrant("uniform")),
        replace(cell, entrant=Entrant("TTUCB", threshold="proven")),
        replace(cell, point=replace(point, delta=0.2)),
        replace(cell, point=replace(point, checkpoints=(20,))),
        replace(cell, point=replace(point, max_samples=1000)),
        replace(cell, point=replace(point, timed=True)),
        replace(cell, point=replace(point, instances=lambda runs, seed: small_run.MEANS + 1.0)),
    ]
    questions = {other.question for other in others}
    assert len(questions) == len(others)
    assert cell.question not in questions
    assert replace(cell, entrant=Entrant("T-TTUCB")).question == cell.question, "the same rules by another name"


def test_answers_of_other_code_are_set_aside(tmp_path, cell):
    store = Store(tmp_path)
    store.write(cell, ARRAYS, {})
    old = tmp_path / f"{cell.question}-000000000000.npz"
    store.path(cell).rename(old)
    store.path(cell).with_suffix(".json").rename(old.with_suffix(".json"))
    assert not store.has(cell)
    assert store.set_aside([cell, cell]) == 1
    assert sorted(path.name for path in (tmp_path / "set-aside").iterdir()) == [
        old.with_suffix(".json").name,
        old.name,
    ]
    assert store.set_aside([cell]) == 0


def test_answers_of_this_code_and_to_other_questions_stay(tmp_path, cell):
    store, other = Store(tmp_path), replace(cell, seed=6)
    store.write(cell, ARRAYS, {})
    store.write(other, ARRAYS, {})
    assert store.set_aside([cell]) == 0
    assert store.has(cell)
    assert store.has(other)


def test_half_written_files_of_the_dead_are_swept(tmp_path):
    dead = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True)
    gone, ours = (tmp_path / f".x.npz.{pid}.part" for pid in (int(dead.stdout), os.getpid()))
    gone.write_text("half")
    ours.write_text("half")
    Store(tmp_path).sweep()
    assert not gone.exists()
    assert ours.exists()


def test_a_spoilt_cell_is_named(tmp_path, cell):
    store = Store(tmp_path)
    store.path(cell).write_bytes(b"PK spoilt")
    with pytest.raises(InputError, match="delete it"):
        store.read(cell)


def test_a_failed_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "table.json"
    write_whole(path, b"old")
    with pytest.raises(TypeError):
        write_whole(path, {"not": "bytes"})
    assert path.read_bytes() == b"old"


def test_provenance_stays_out_of_the_bytes_compared(tmp_path, cell):
    first, second = Store(tmp_path / "a"), Store(tmp_path / "b")
    first.write(cell, ARRAYS, {"processor": 1.0})
    second.write(cell, ARRAYS, {"processor": 2.0})
    assert first.path(cell).read_bytes() == second.path(cell).read_bytes()
    assert json.loads(first.path(cell).with_suffix(".json").read_text())["seconds"] == {"processor": 1.0}


@pytest.mark.parametrize("workers", [2])
def test_what_goes_wrong_in_a_worker_is_told(tmp_path, cell, workers):
    bad = replace(cell, entrant=Entrant("no such algorithm"))
    with Crew(workers, tmp_path) as crew, pytest.raises(WorkError, match="no such algorithm"):
        list(crew.results([bad, bad]))
