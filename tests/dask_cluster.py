"""A Dask scheduler and workers as processes of their own, on loopback, for tests that end them."""

import json
import os
import subprocess
import sys
import time

MODULES = {"scheduler": "distributed.cli.dask_scheduler", "worker": "distributed.cli.dask_worker"}


class Cluster:
    """A scheduler and workers of one thread each; `paths` is where workers look for modules first."""

    def __init__(self, folder, workers=3, paths=None):
        self.file, self.folder = folder / "scheduler.json", folder
        self.settings = None if paths is None else {**os.environ, "PYTHONPATH": str(paths)}
        self.scheduler = self._start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
        self.address = self._address()
        self.workers = [self.hire() for _ in range(workers)]

    def _start(self, kind, *options, settings=None):
        command = [sys.executable, "-m", MODULES[kind], "--scheduler-file", str(self.file), *options]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        return subprocess.Popen(command, **quiet, cwd=self.folder, env=settings)

    def _address(self):
        end = time.monotonic() + 60
        while time.monotonic() < end:
            if self.file.exists() and (text := self.file.read_text()):
                return json.loads(text)["address"]
            time.sleep(0.05)
        raise AssertionError("the scheduler did not start")

    def hire(self):
        options = ("--host", "127.0.0.1", "--nthreads", "1", "--no-nanny", "--no-dashboard")
        return self._start("worker", *options, settings=self.settings)

    def wait_for(self, number):
        from distributed import Client

        with Client(self.address, set_as_default=False) as client:
            client.wait_for_workers(number, timeout=60)

    def close(self):
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()
