"""The CUDA engine where there is none: what is said, and that its lanes play as interpreted (more in tests/cuda)."""

import json
import os
import subprocess
import sys

import pytest
from click.testing import CliRunner

import toptwo as tt
from toptwo.cli import main
from toptwo.engine import engines
from toptwo.engine.cuda import device
from toptwo.errors import WorkError
from toptwo.sweeps.executors import Here

NEEDED = "engine='cuda' needs numba-cuda: install toptwo with the extra cuda (pip install 'toptwo[cuda]')."


@pytest.fixture
def no_device(monkeypatch):
    monkeypatch.setattr(device, "find_spec", lambda name: None)
    monkeypatch.delenv("NUMBA_ENABLE_CUDASIM", raising=False)
    device.why_none.cache_clear()
    yield
    device.why_none.cache_clear()


def test_what_is_missing_is_said_in_a_sentence(no_device):
    with pytest.raises(tt.InputError) as said:
        tt.simulate("TTUCB", [0.1, 0.5], engine="cuda")
    assert str(said.value) == NEEDED


def test_auto_takes_the_processor_then(no_device, monkeypatch):
    monkeypatch.setattr(engines, "PAYS_FROM", 1)
    assert tt.simulate("uniform", [0.0, 3.0], runs=3, engine="auto").settings["engine"] == "cpu"


def test_a_sweep_says_it_before_anything_is_planned(no_device, tmp_path):
    with pytest.raises(tt.InputError) as said:
        tt.sweep(["uniform"], [0.1, 0.5], runs=3, out=tmp_path / "out", progress=False, engine="cuda")
    assert str(said.value) == NEEDED
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("command", [["sweep", "uniform", "--means", "0.1 0.5"], ["reproduce", "ratio"]])
def test_commands_say_it_in_a_sentence(no_device, in_folder, command):
    result = CliRunner().invoke(main, [*command, "--engine", "cuda", "--out", "here"])
    assert result.exit_code == 2
    assert NEEDED in " ".join(result.output.split())
    assert not (in_folder / "here").exists()


def test_on_workers_elsewhere_it_is_said_by_the_first_of_them(no_device, tmp_path):
    with pytest.raises(WorkError) as said:
        tt.sweep(["uniform"], [0.1, 0.5], runs=3, out=tmp_path, progress=False, engine="cuda", executor=Here())
    assert NEEDED in str(said.value)
    assert not list((tmp_path / "cells").iterdir())


@pytest.mark.parametrize("pays_from", [1, 100])
def test_auto_sweeps_the_same_cells_on_the_processor_then(no_device, in_folder, tmp_path, monkeypatch, pays_from):
    monkeypatch.setattr(engines, "PAYS_FROM", pays_from)
    options = {"runs": 3, "max_samples": 50, "out": tmp_path, "progress": False, "workers": 1}
    tt.sweep(["uniform"], [0.1, 0.5], engine="auto", **options)
    assert tt.sweep(["uniform"], [0.1, 0.5], **options).cells.kept == 1
    result = CliRunner().invoke(main, ["sweep", "uniform", "--means", "0.1 0.5", "--engine", "Auto", "--runs", "3"])
    assert result.exit_code == 0, result.output


IN_THE_SIMULATOR = """
import json, tempfile
import toptwo as tt
answers = {}
for name in ("TTUCB", "TaS", "LUCB"):
    result = tt.simulate(name, [0.3, 1.5, 0.0], runs=4, seed=2, threshold="heuristic", engine=ENGINE, max_samples=40)
    answers[name] = [result.stopping_times.tolist(), result.recommended.tolist(), result.counts.tolist()]
with tempfile.TemporaryDirectory() as folder:
    options = {"runs": 5, "chunk": 2, "max_samples": 40, "threshold": "heuristic", "progress": False, "workers": 1}
    table = tt.sweep(["TTUCB", "uniform"], [0.3, 1.5, 0.0], out=folder, engine=ENGINE, **options)
answers["a sweep"] = [(row["mean"], row["longest"], row["wrong"]) for row in table.rows]
print(json.dumps(answers))
"""


def answers(engine):
    """Return what a process of its own finds, in which Numba's simulator stands in for a device."""
    done = subprocess.run(
        [sys.executable, "-c", IN_THE_SIMULATOR.replace("ENGINE", repr(engine))],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "NUMBA_ENABLE_CUDASIM": "1"},
    )
    return json.loads(done.stdout)


def test_lanes_play_as_interpreted():
    assert answers("cuda") == answers("python")
