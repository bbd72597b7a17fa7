"""The CUDA engine where there is none: what is said, and that its lanes play as interpreted (more in tests/cuda)."""

import json
import os
import subprocess
import sys

import pytest

import toptwo as tt
from toptwo.engine import engines
from toptwo.engine.cuda import device
from toptwo.errors import WorkError

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


def test_a_sweep_says_it_too_and_loses_nothing(no_device, tmp_path):
    with pytest.raises(WorkError) as said:
        tt.sweep(["uniform"], [0.1, 0.5], runs=3, out=tmp_path, progress=False, engine="cuda")
    assert NEEDED in str(said.value)
    assert not list((tmp_path / "cells").iterdir())


IN_THE_SIMULATOR = """
import json, tempfile
import toptwo as tt
answers = {}
for name in ("TTUCB", "TaS", "LUCB"):
    result = tt.simulate(name, [0.3, 1.5, 0.0], runs=4, seed=2, threshold="heuristic", engine=ENGINE, max_samples=40)
    answers[name] = [result.stopping_times.tolist(), result.recommended.tolist(), result.counts.tolist()]
with tempfile.TemporaryDirectory() as folder:
    options = {"runs": 5, "chunk": 5, "max_samples": 40, "threshold": "heuristic", "progress": False, "workers": 1}
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
