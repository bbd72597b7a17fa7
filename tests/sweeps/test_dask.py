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
    assert errors.splitlines()[-1].startswith("toptwo.errors.WorkError: the Dask scheduler at "), errors
    assert errors.count("Traceback") == 1, errors  # that of this script
    assert "distributed" not in errors
    done = len(list((folder / "cells").glob("*.npz")))
    assert done < 32, "it was over before the scheduler died"
    output, errors = start(folder, "1").communicate(timeout=120)
    assert output.endswith("finished\n"), errors
    assert bytes_of(folder) == undisturbed


def test_undisturbed_on_three_workers(cluster, tmp_path, undisturbed):
    output, errors = start(tmp_path / "job", cluster.address).communicate(timeout=120)
    assert output.endswith("finished\n"), errors
    assert bytes_of(tmp_path / "job") == undisturbed


PLAY = """
import signal, sys
from toptwo.cli import main
from toptwo.sweeps import clusters, progress
clusters.NOTICED_AFTER, clusters.GIVEN_UP_AFTER, clusters.LOOK_EVERY = 1.0, 6.0, 0.5
main(["sweep", "T3C", "FWS", "--problem", "random", "--runs", "200000", "--threshold", "heuristic", "--max-samples",
      "20000", "--out", sys.argv[1], "--dask", sys.argv[2]])
"""


def begun(folder, cluster):
    """A long sweep on the command line, a few cells of which are there."""
    command = [sys.executable, "-c", PLAY, str(folder), cluster.address]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    after_some_cells(folder, 3)
    return process


def lines_of(errors):
    """What is on the error stream but for lines on the progress."""
    return [line for line in errors.splitlines() if " so far, " not in line]


def test_a_scheduler_that_is_gone_is_one_sentence(cluster, tmp_path):
    run = begun(tmp_path / "out", cluster)
    cluster.scheduler.kill()
    _, errors = run.communicate(timeout=60)
    sentence = f"the Dask scheduler at {cluster.address} is gone; cells that were done are kept: run the same again."
    assert lines_of(errors) == [f"Error: {sentence}"]
    assert run.returncode == 1


def test_without_workers_it_says_so_and_goes_on_with_new_ones(cluster, tmp_path):
    run = begun(tmp_path / "out", cluster)
    for worker in cluster.workers:
        worker.kill()
    line = run.stderr.readline()
    while " so far, " in line:
        line = run.stderr.readline()
    assert line.endswith(": the Dask cluster has no workers: start some within 6 seconds\n")
    before = len(list((tmp_path / "out" / "cells").glob("*.npz")))
    cluster.workers.append(cluster.hire())
    after_some_cells(tmp_path / "out", before + 2)
    cluster.workers[-1].kill()
    _, errors = run.communicate(timeout=60)
    *notices, last = lines_of(errors)
    assert all("has no workers" in notice for notice in notices), errors
    assert last == (
        f"Error: the Dask scheduler at {cluster.address} has had no workers for 6 s; cells that were done are kept: "
        "start workers, then run the same again."
    )
    assert run.returncode == 1


DEADLY = """
import os, sys
import toptwo as tt
from toptwo.sweeps import running

def deadly(work):
    os._exit(1)

running.computed = deadly
tt.sweep(["TTUCB"], "random", runs=10, threshold="heuristic", out=sys.argv[1], dask=sys.argv[2])
"""


def test_what_kills_its_workers_is_given_up_in_a_sentence(cluster, tmp_path):
    cluster.workers += [cluster.hire() for _ in range(3)]
    cluster.wait_for(6)
    command = [sys.executable, "-c", DEADLY, str(tmp_path), cluster.address]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    told = done.stderr.splitlines()[-1]
    assert told.startswith("toptwo.errors.WorkError: TTUCB (random, "), done.stderr
    assert "was given up by the cluster after several workers that computed it ended" in told
    assert "cells that were done are kept" in told
    assert "distributed." not in done.stderr.split("Traceback")[0]
