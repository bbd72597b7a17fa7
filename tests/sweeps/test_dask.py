"""Cells on a Dask cluster: scheduler and workers are processes of their own, on loopback, started and ended here."""

import json
import subprocess
import sys
import time

import pytest
from small_run import SCRIPT
from test_resume import bytes_of, undisturbed

__all__ = ["undisturbed"]

MODULES = {"scheduler": "distributed.cli.dask_scheduler", "worker": "distributed.cli.dask_worker"}


class Cluster:
    """A scheduler and workers of one thread each."""

    def __init__(self, folder):
        self.file, self.folder = folder / "scheduler.json", folder
        self.scheduler = self._start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
        self.address = self._address()
        self.workers = [self.hire() for _ in range(3)]

    def _start(self, kind, *options):
        command = [sys.executable, "-m", MODULES[kind], "--scheduler-file", str(self.file), *options]
        return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.folder)

    def _address(self):
        end = time.monotonic() + 60
        while time.monotonic() < end:
            if self.file.exists() and (text := self.file.read_text()):
                return json.loads(text)["address"]
            time.sleep(0.05)
        raise AssertionError("the scheduler did not start")

    def hire(self):
        return self._start("worker", "--host", "127.0.0.1", "--nthreads", "1", "--no-nanny", "--no-dashboard")

    def wait_for(self, number):
        from distributed import Client

        with Client(self.address, set_as_default=False) as client:
            client.wait_for_workers(number, timeout=60)

    def close(self):
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()


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
