"""Cells on a Dask cluster: scheduler and workers are processes of their own, on loopback, started and ended here."""

import subprocess
import sys
import time

import pytest
from dask_cluster import Cluster
from small_run import SCRIPT
from test_resume import bytes_of, undisturbed

__all__ = ["undisturbed"]


@pytest.fixture
def cluster(tmp_path):
    folder = tmp_path / "cluster"
    folder.mkdir()
    made = Cluster(folder)
    made.wait_for(3)
    yield made
    made.close()


def start(folder, place):
    command = [sys.executable, str(SCRIPT), str(folder), place]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def after_some_cells(folder, number):
    end = time.monotonic() + 90
    while len(list((folder / "cells").glob("*.npz"))) < number and time.monotonic() < end:
        time.sleep(0.01)


def test_the_same_bytes_whoever_is_killed(cluster, tmp_path, undisturbed):
    """A worker dies, then this side dies, then the scheduler; the same command again, with a new cluster, ends it."""
    folder = tmp_path / "job"
    run = start(folder, cluster.address)
    after_some_cells(folder, 2)
    cluster.workers[0].kill()
    after_some_cells(folder, 6)
    run.kill()
    run.communicate()
    run = start(folder, cluster.address)
    after_some_cells(folder, 12)
    cluster.scheduler.kill()
    _, errors = run.communicate(timeout=120)
    assert run.returncode != 0
    assert "WorkError" in errors.splitlines()[-1], errors
    assert "run the same again" in errors.splitlines()[-1]
    done = len(list((folder / "cells").glob("*.npz")))
    assert done < 32, "it was over before the scheduler died"
    output, errors = start(folder, "1").communicate(timeout=120)
    assert output.endswith("finished\n"), errors
    assert bytes_of(folder) == undisturbed


def test_undisturbed_on_three_workers(cluster, tmp_path, undisturbed):
    output, errors = start(tmp_path / "job", cluster.address).communicate(timeout=120)
    assert output.endswith("finished\n"), errors
    assert bytes_of(tmp_path / "job") == undisturbed
