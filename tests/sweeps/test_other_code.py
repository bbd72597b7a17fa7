"""A worker with other code is refused, whatever its answers look like."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import small_run
from dask_cluster import Cluster

import toptwo
import toptwo as tt
from toptwo.errors import WorkError
from toptwo.sweeps.cells import answer, cells_of
from toptwo.sweeps.executors import Here

QUESTION = {"runs": 20, "threshold": "heuristic", "max_samples": 2000, "progress": False}


@pytest.fixture
def patched(tmp_path):
    """A copy of the package in which runs stop at half the evidence."""
    folder = tmp_path / "elsewhere" / "toptwo"
    shutil.copytree(Path(toptwo.__file__).parent, folder, ignore=shutil.ignore_patterns("__pycache__"))
    rule = folder / "rules" / "stopping.py"
    text = rule.read_text()
    changed = text.replace("now.cost >= self.level.at(", "now.cost >= 0.5 * self.level.at(")
    assert changed != text, "there is nothing to patch"
    rule.write_text(changed)
    return folder.parent


def test_a_worker_of_another_version_is_refused(tmp_path, patched):
    folder = tmp_path / "cluster"
    folder.mkdir()
    cluster = Cluster(folder, 1, patched)
    try:
        cluster.wait_for(1)
        with pytest.raises(
            WorkError, match=r"the worker at tcp://127\.0\.0\.1:\d+ runs other code .* install the same"
        ):
            tt.sweep(["TTUCB"], [0.3, 0.9, 0.5], out=tmp_path / "out", dask=cluster.address, **QUESTION)
    finally:
        cluster.close()
    assert not list((tmp_path / "out" / "cells").iterdir()), "something of other code was kept"


class Deceived(Here):
    """Workers that do not look at the code they run, as those of earlier versions."""

    def submit(self, function, /, work):
        future = super().submit(function, work)
        found = future.result()
        return super().submit(lambda: found._replace(answer=found.answer._replace(code="0" * 12)))


def test_the_writer_refuses_what_other_code_has_answered(tmp_path):
    with pytest.raises(WorkError, match=r"TTUCB \(given means.*\) was computed by other code than this"):
        tt.sweep(["TTUCB"], [0.3, 0.9, 0.5], out=tmp_path, executor=Deceived(), **QUESTION)
    assert not list((tmp_path / "cells").iterdir())


def test_a_cell_of_this_code_is_answered():
    """A negative control, and the sentence where there is no cluster."""
    work = cells_of(small_run.points("smoke")[0], seed=5)[0].work
    assert answer(work).code == work.code
    with pytest.raises(WorkError, match=r"the worker on .* \(process \d+\) runs other code"):
        answer(work._replace(code="0" * 12))


SCRIPT = """
import sys
from typing import NamedTuple
import numpy as np
import toptwo as tt

means = [9.0]  # a name that rules use too, of something else

class Second(NamedTuple):
    def lead(self, now, random):
        means = now.state.means
        return 1 if means[1] > means[0] else 0

if __name__ == "__main__":
    place = {"workers": 2} if sys.argv[2] == "2" else {"dask": sys.argv[2]}
    table = tt.sweep({"mine": tt.TopTwo(leader=Second())}, [0.3, 0.9], runs=60, max_samples=300, chunk=30,
                     threshold="heuristic", out=sys.argv[1], progress=False, **place)
    print(table.rows[0]["mean"])
"""


def test_rules_of_a_script_run_on_any_worker(tmp_path):
    """Their code travels, or is read there from the script, so that it has another module's name there."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    (tmp_path / "cluster").mkdir()
    cluster = Cluster(tmp_path / "cluster", 1)
    try:
        cluster.wait_for(1)
        outputs = [
            subprocess.run([sys.executable, script, tmp_path / f"out{k}", place], capture_output=True, text=True)
            for k, place in enumerate(("2", cluster.address))
        ]
    finally:
        cluster.close()
    assert outputs[0].returncode == outputs[1].returncode == 0, outputs
    assert outputs[0].stdout == outputs[1].stdout
    names = [sorted(path.name for path in (tmp_path / f"out{k}" / "cells").glob("*.npz")) for k in (0, 1)]
    assert names[0] == names[1]


def test_digests_of_gpu_cells_hang_on_the_sources_of_the_kernel(monkeypatch):
    from dataclasses import replace

    from toptwo.sweeps import code

    cell = cells_of(small_run.points("smoke")[0], seed=5)[0]
    on_gpu = replace(cell, point=replace(cell.point, engine="cuda"))
    assert cell.code != on_gpu.code
    before = on_gpu.code
    monkeypatch.setattr(code, "_digests", {})
    monkeypatch.setattr(code, "device_sources", lambda: "a mended kernel")
    assert replace(on_gpu).code != before
    assert replace(cell).code == cell.code


def test_the_sources_of_the_kernel_are_read(tmp_path, monkeypatch):
    from toptwo import engine
    from toptwo.sweeps import code

    here = Path(engine.__file__).parent
    shutil.copytree(here, tmp_path / "engine", ignore=shutil.ignore_patterns("__pycache__"))
    digests = set()
    for name in ("cuda/kernel.py", "cuda/lanes.py", "cuda/strips.py", "cuda/nvvm_choices.py", "options.py"):
        source = tmp_path / "engine" / name
        source.write_text(source.read_text() + "\n# mended\n")
        monkeypatch.setattr(engine, "__file__", str(tmp_path / "engine" / "__init__.py"))
        digests.add(code.device_sources.__wrapped__())
    monkeypatch.undo()
    assert len(digests | {code.device_sources.__wrapped__()}) == 6
