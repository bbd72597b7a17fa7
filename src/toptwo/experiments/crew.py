"""A crew of workers that computes cells side by side."""

import pickle
import queue
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

from toptwo.errors import WorkError
from toptwo.experiments.cells import Cell
from toptwo.experiments.store import Store

TICK = 0.5
"""Seconds between two looks at the clock while cells are computed."""


PAUSE = 0.05
"""Seconds between two looks at cells that another run is computing."""


class Done(NamedTuple):
    """A finished cell and the time it took."""

    cell: Cell
    seconds: dict[str, float]
    ours: bool
    """Whether it was computed here, and not by another run on the same folder."""


class Crew:
    """Workers that write cells to a store; leaving the context ends them.

    With one worker everything is done in this process.
    """

    def __init__(self, workers: int, folder: Path) -> None:
        self._workers, self._folder = workers, folder
        self._processes: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> "Crew":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in self._processes:
            process.kill()
        for process in self._processes:
            process.wait()
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    stream.close()

    def results(self, cells: Sequence[Cell]) -> Iterator[Done | None]:
        """Yield cells as they are finished, and None now and then when nothing has happened."""
        if self._workers == 1 or len(cells) <= 1:
            yield from self._alone(cells)
            return
        waiting = deque(cells)  # shared: taking the next one is atomic
        reports: queue.SimpleQueue[Any] = queue.SimpleQueue()
        for _ in range(min(self._workers, len(cells))):
            process = self._hire()
            threading.Thread(target=self._supervise, args=(process, waiting, reports), daemon=True).start()
        left = len(cells)
        while left:
            try:
                report = reports.get(timeout=TICK)
            except queue.Empty:
                yield None
                continue
            if isinstance(report, str):
                raise WorkError(report)
            left -= 1
            yield report

    def _alone(self, cells: Sequence[Cell]) -> Iterator[Done | None]:
        store, waiting = Store(self._folder), deque(cells)
        while waiting:
            yield None
            cell = waiting.popleft()
            done = store.complete(cell)
            if done is None:
                put_back(cell, waiting)
            else:
                yield Done(cell, *done)

    def _hire(self) -> "subprocess.Popen[bytes]":
        # A session of its own: an interrupt from the keyboard reaches this process alone, which then ends the worker.
        process = subprocess.Popen(
            [sys.executable, "-m", "toptwo.experiments.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        self._processes.append(process)
        return process

    def _supervise(
        self, process: "subprocess.Popen[bytes]", waiting: deque[Cell], reports: "queue.SimpleQueue[Any]"
    ) -> None:
        """Hand one worker a cell after the other."""
        assert process.stdin is not None
        assert process.stdout is not None
        while waiting:
            try:
                cell = waiting.popleft()
            except IndexError:
                return
            try:
                pickle.dump((self._folder, cell), process.stdin)
                process.stdin.flush()
                report = pickle.load(process.stdout)
            except (EOFError, OSError, ValueError, pickle.UnpicklingError):
                reports.put(f"a worker ended while it computed {cell.entrant.label} ({cell.point.label}).")
                return
            if "problem" in report:
                reports.put(f"{cell.entrant.label} ({cell.point.label}): {report['problem']}\n{report['trace']}")
                return
            if report["done"] is None:
                put_back(cell, waiting)
            else:
                reports.put(Done(cell, *report["done"]))


def put_back(cell: Cell, waiting: deque[Cell]) -> None:
    """Leave a cell to the other run that is computing it, and look again when all else is done."""
    waiting.append(cell)
    time.sleep(PAUSE)
