"""Cells on disk: whole or absent, and never those of other code."""

import errno
import io
import json
import os
import select
import subprocess
import sys
import zipfile
from dataclasses import replace

import numpy as np
import pytest
import small_run

from toptwo.errors import InputError, WorkError
from toptwo.experiments.experiment import Entrant
from toptwo.sweeps import files
from toptwo.sweeps.cells import Cell, cells_of
from toptwo.sweeps.executors import hire
from toptwo.sweeps.files import archive, host, write_whole
from toptwo.sweeps.locks import alone
from toptwo.sweeps.running import Done, computed, results
from toptwo.sweeps.store import Store

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
    assert store.set_aside([cell, cell]) == (1, 0)
    assert sorted(path.name for path in (tmp_path / "set-aside").iterdir()) == [
        old.with_suffix(".json").name,
        old.name,
    ]
    assert store.set_aside([cell]) == (0, 0)


def test_answers_of_this_code_and_to_other_questions_stay(tmp_path, cell):
    store, other = Store(tmp_path), replace(cell, seed=6)
    store.write(cell, ARRAYS, {})
    store.write(other, ARRAYS, {})
    assert store.set_aside([cell]) == (0, 0)
    assert store.has(cell)
    assert store.has(other)


def test_half_written_files_of_the_dead_are_swept(tmp_path):
    dead = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True)
    gone, ours = (tmp_path / f".x.npz.{host()}.{pid}.part" for pid in (int(dead.stdout), os.getpid()))
    elsewhere = tmp_path / f".x.npz.another-node.{int(dead.stdout)}.part"
    earlier = tmp_path / f".x.npz.{int(dead.stdout)}.part"
    for path in (gone, ours, elsewhere, earlier):
        path.write_text("half")
    Store(tmp_path).sweep()
    assert not gone.exists()
    assert ours.exists()
    assert elsewhere.exists(), "who is alive on another machine is not known here"
    assert earlier.exists(), "nor of whom nothing says where they are"


def test_a_run_that_starts_on_another_machine_takes_no_file_away(tmp_path, cell, monkeypatch):
    """Between writing a file and giving it its name: there, this process is not among those alive."""
    store, write, written = Store(tmp_path), type(tmp_path).write_bytes, []

    def meanwhile(path, content):
        written.append(write(path, content))
        with monkeypatch.context() as there:
            there.setattr(files, "host", lambda: "another-node")
            there.setattr(files, "alive", lambda process: False)
            store.sweep()

    with monkeypatch.context() as here:
        here.setattr(type(tmp_path), "write_bytes", meanwhile)
        store.write(cell, ARRAYS, {})
    assert len(written) == 2
    assert store.has(cell)


@pytest.mark.parametrize("number", [errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP])
def test_where_a_file_system_has_no_locks_runs_go_on(tmp_path, cell, monkeypatch, number):
    import fcntl

    def none(*_):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(fcntl, "flock", none)
    store = Store(tmp_path)
    [found] = done([cell], store)
    assert found.ours
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".json", ".npz"]
    with alone("ab12"):
        pass


def test_other_trouble_with_a_lock_is_told(tmp_path, cell, monkeypatch):
    import fcntl

    def broken(*_):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(fcntl, "flock", broken)
    with pytest.raises(OSError, match="Input/output"):
        Store(tmp_path).claim(cell)


ENTER = "import sys, time; from toptwo.sweeps.locks import alone\n"
ENTER += "with alone(sys.argv[1]): print('inside', flush=True); sys.stdin.read()"


def test_those_who_share_a_cache_compile_one_after_the_other(tmp_path):
    """Beside the cache, wherever that is: with another cache, or another thing to compile, nobody waits."""

    def enter(cache, name):
        settings = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / cache)}
        command = [sys.executable, "-c", ENTER, name]
        return subprocess.Popen(command, env=settings, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    first = enter("shared", "ab12")
    assert first.stdout.readline() == "inside\n"
    others = [enter("shared", "ab13"), enter("own", "ab12")]
    assert [process.stdout.readline() for process in others] == ["inside\n"] * 2
    second = enter("shared", "ab12")
    ready, _, _ = select.select([second.stdout], [], [], 3.0)
    assert not ready, "two are inside"
    first.communicate("")
    assert second.stdout.readline() == "inside\n"
    for process in (second, *others):
        process.communicate("")


def other_cell(store, cell, suffix):
    """The file of another cell, written correctly."""
    other = replace(cell, seed=6)
    store.write(other, ARRAYS, {"processor": 1.0})
    return store.path(other).with_suffix(suffix).read_bytes()


def altered(content):
    """The same file with other contents: numbers of an archive, or seconds in JSON, all of it well formed."""
    if content.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(content)) as file:
            comment = file.comment
        changed = bytearray(archive(ARRAYS | {"samples": np.arange(5)[::-1]}))
        with zipfile.ZipFile(stream := io.BytesIO(bytes(changed)), "a") as file:
            file.comment = comment
        return stream.getvalue()
    return content.replace(b'"processor": 1.0', b'"processor": 9.0')


SPOILT = {
    "empty": lambda content, *_: b"",
    "truncated": lambda content, *_: content[:-30],
    "another format": lambda content, *_: b"[]",
    "altered": lambda content, *_: altered(content),
    "another cell's": lambda content, *rest: other_cell(*rest),
}


@pytest.mark.parametrize("suffix", [".npz", ".json"])
@pytest.mark.parametrize("way", SPOILT)
def test_a_spoilt_cell_is_set_aside_and_computed_again(tmp_path, cell, way, suffix):
    store = Store(tmp_path)
    store.write(cell, ARRAYS, {"processor": 1.0})
    path = store.path(cell).with_suffix(suffix)
    good = path.read_bytes()
    spoilt = SPOILT[way](good, store, cell, suffix)
    assert spoilt != good
    path.write_bytes(spoilt)
    with pytest.raises(InputError, match="run again"):
        store.read(cell) if suffix == ".npz" else store.origin(cell)
    assert store.set_aside([cell, replace(cell, seed=6)]) == (0, 1)
    assert (tmp_path / "set-aside" / path.name).read_bytes() == spoilt
    assert not store.has(cell)
    store.write(cell, ARRAYS, {"processor": 1.0})
    assert store.set_aside([cell]) == (0, 0)
    assert (store.read(cell)["samples"] == ARRAYS["samples"]).all()


def test_a_cell_without_its_notes_is_computed_again(tmp_path, cell):
    store = Store(tmp_path)
    store.write(cell, ARRAYS, {})
    store.path(cell).with_suffix(".json").unlink()
    assert store.set_aside([cell]) == (0, 1)


HOLD = "import sys, time; from pathlib import Path; from toptwo.sweeps.locks import claimed\n"
HOLD += "with claimed(Path(sys.argv[1])) as ours: print(ours, flush=True); time.sleep(60)"


def test_a_cell_that_another_process_holds_is_left_to_it(tmp_path, cell):
    store = Store(tmp_path)
    holder = subprocess.Popen([sys.executable, "-c", HOLD, str(store.path(cell))], stdout=subprocess.PIPE, text=True)
    assert holder.stdout.readline() == "True\n"
    assert store.claim(cell) is None
    assert not store.has(cell)
    store.path(cell).write_bytes(b"half written")
    assert store.set_aside([cell]) == (0, 0), "what another run is at is not touched"
    store.path(cell).unlink()
    holder.kill()  # without a chance to give it back
    holder.communicate()
    [first] = done([cell], store)
    assert first.ours
    assert done([cell], store) == [Done(cell, first.seconds, False)]
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".json", ".npz"]


def test_a_failed_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "table.json"
    write_whole(path, b"old")
    with pytest.raises(TypeError):
        write_whole(path, {"not": "bytes"})
    assert path.read_bytes() == b"old"
    with pytest.raises(OSError, match=r"table\.json/below"):  # by the name that the user knows
        write_whole(path / "below", b"new")


def test_provenance_stays_out_of_the_bytes_compared(tmp_path, cell):
    first, second = Store(tmp_path / "a"), Store(tmp_path / "b")
    first.write(cell, ARRAYS, {"processor": 1.0})
    second.write(cell, ARRAYS, {"processor": 2.0})
    assert first.path(cell).read_bytes() == second.path(cell).read_bytes()
    assert json.loads(first.path(cell).with_suffix(".json").read_text())["seconds"] == {"processor": 1.0}


@pytest.mark.parametrize("workers", [1, 2])
def test_what_goes_wrong_in_a_worker_is_told(tmp_path, cell, workers):
    bad = cell.work._replace(algorithm="no such algorithm", code="other")
    with hire(workers) as place:
        future = place.executor.submit(computed, bad)
        assert "no such algorithm" in str(future.exception())
    with hire(workers) as place, pytest.raises(WorkError, match="no such algorithm"):
        list(results([Spoilt(cell.point, cell.entrant, cell.seed, 0, 150)], Store(tmp_path), place))
    assert not list(tmp_path.iterdir()), "a claim is left"


class Spoilt(Cell):
    """A cell that is sent to workers with a name that they do not know."""

    @property
    def work(self):
        return super().work._replace(algorithm="no such algorithm", code="other")


def done(cells, store):
    with hire(1) as place:
        return [found for found in results(cells, store, place) if found is not None]
