"""A run that is killed goes on where it stopped and ends with the same bytes."""

import random
import signal
import subprocess
import sys
import time

import pytest
import small_run
from small_run import SCRIPT

from toptwo.experiments.runner import JobUnderWay
from toptwo.sweeps.executors import hire
from toptwo.sweeps.files import alive

TABLES = [f"{name}/{file}" for name in ("small", "same") for file in ("table.json", "runs.npz")]


def bytes_of(folder):
    cells = {path.name: path.read_bytes() for path in (folder / "cells").glob("*.npz")}
    return cells | {name: (folder / name).read_bytes() for name in TABLES}


def start(folder, workers=2):
    command = [sys.executable, str(SCRIPT), str(folder), str(workers)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """The same job on one worker, which is this process."""
    folder = tmp_path_factory.mktemp("undisturbed")
    JobUnderWay(small_run.job(folder)).finish(hire(1), lambda *_: None, lambda _: None)
    return bytes_of(folder)


def test_killed_at_random_moments_the_tables_are_the_same(tmp_path, undisturbed, seed):
    moments = random.Random(seed)
    cells = tmp_path / "cells"
    kept = [0]
    for _ in range(4):
        process = start(tmp_path)
        # Wait for some progress, so that each life does something, then strike at any moment of a write.
        goal, patience = kept[-1] + moments.randint(1, 6), time.monotonic() + 60
        while process.poll() is None and time.monotonic() < patience and len(list(cells.glob("*.npz"))) < goal:
            time.sleep(0.001)
        time.sleep(moments.uniform(0.0, 0.05))
        process.kill()
        process.communicate()
        kept.append(len(list(cells.glob("*.npz"))))
    assert kept == sorted(kept)
    assert 0 < kept[1] < 32
    times = {path.name: path.stat().st_mtime_ns for path in cells.glob("*.npz")}
    output, errors = start(tmp_path).communicate(timeout=120)
    assert output.endswith("finished\n"), errors
    assert bytes_of(tmp_path) == undisturbed
    assert all((cells / name).stat().st_mtime_ns == written for name, written in times.items()), "a cell was redone"
    assert not list(cells.glob(".*.part"))


def test_nothing_is_done_twice(tmp_path, undisturbed):
    assert "kept 0 missing 32" in start(tmp_path).communicate(timeout=120)[0]
    output, _ = start(tmp_path, workers=1).communicate(timeout=120)
    assert "kept 32 missing 0" in output
    assert bytes_of(tmp_path) == undisturbed


def test_two_runs_on_one_folder_share_the_work(tmp_path, undisturbed):
    processes = [start(tmp_path, workers) for workers in (1, 2)]
    outputs = [process.communicate(timeout=120) for process in processes]
    assert all(output.endswith("finished\n") for output, _ in outputs), outputs
    computed = [int(output.splitlines()[-2].removeprefix("computed ")) for output, _ in outputs]
    missing = [int(output.split()[3]) for output, _ in outputs]
    assert max(missing) == 32
    assert sum(computed) == 32, (computed, missing)
    assert bytes_of(tmp_path) == undisturbed
    assert {path.suffix for path in (tmp_path / "cells").iterdir()} == {".json", ".npz"}


HIRE = """
import os, time
from toptwo.sweeps.executors import hire
from toptwo.sweeps.files import alive
if __name__ == "__main__":
    with hire(2) as place:
        print(*{place.executor.submit(os.getpid).result() for _ in range(9)}, flush=True)
        time.sleep(100)
"""


def test_workers_end_with_the_process_that_started_them(tmp_path):
    (tmp_path / "hire.py").write_text(HIRE)
    boss = subprocess.Popen([sys.executable, tmp_path / "hire.py"], stdout=subprocess.PIPE, text=True)
    workers = [int(number) for number in boss.stdout.readline().split()]
    assert workers
    assert all(alive(worker) for worker in workers)
    boss.kill()
    boss.communicate()
    end = time.monotonic() + 30
    while any(alive(worker) for worker in workers) and time.monotonic() < end:
        time.sleep(0.05)
    assert not any(alive(worker) for worker in workers)


def test_an_interrupt_ends_the_workers(tmp_path):
    process = start(tmp_path)
    process.stdout.readline()
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert "KeyboardInterrupt" in errors
    assert process.returncode != 0
