"""The driver of a device: memory, batches, launches, progress."""

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import cuda
from numpy.typing import NDArray

from toptwo.engine.cuda import device
from toptwo.engine.cuda.device import AT_ONCE
from toptwo.engine.cuda.kernel import FAILED, FINISHED, IDLE, NEXT, Launch, called, kernel, settling, turn_of
from toptwo.engine.cuda.lanes import CELL, Lanes, Layout
from toptwo.engine.rounds import Setup
from toptwo.engine.runs import Output, Share, Trace
from toptwo.engine.threads import on_threads
from toptwo.errors import InputError
from toptwo.records import rebuild

AIM = 0.05
"""Seconds that a launch should take: progress shows and Ctrl-C works between two of them."""

MOST_TURNS = 1 << 20


class CudaEngine:
    """Runs a setup on a CUDA device."""

    name = "cuda"

    def __init__(self, setup: Setup) -> None:
        if reason := device.why_none():
            raise InputError(reason)
        self._setup = setup

    def play(
        self,
        means: NDArray[np.float64],
        share: Share,
        output: Output,
        workers: int,
        show: Callable[[int], None],
    ) -> bool:
        """Play a share of the runs; return whether the user interrupted. The number of workers is the device's own."""
        over: list[bool] = []
        job = _Job(program_for(self._setup, means.shape[1]), means)
        return on_threads(
            [lambda: job.play(share, output, over)], lambda: show(job.finished), lambda: over.append(True)
        )


class DeviceProgram(NamedTuple):
    """A setup ready to run on the device with some number of arms."""

    setup: Setup
    layout: Layout
    launch: Callable[..., Any]

    def configuration(self, grid: device.Grid) -> tuple[int, int, int, int]:
        """Return what a launch on a grid is configured with: the stream is the usual one."""
        return grid.blocks, grid.block, 0, self.layout.near_memory()


def program_for(setup: Setup, arms: int) -> DeviceProgram:
    """Return the program of a setup; its kernel is compiled when it is first launched."""
    layout = Layout(setup, arms)
    lane_of, settle = layout.lane_of(), settling(setup)
    if device.simulated():
        return DeviceProgram(setup, layout, _simulated(kernel("", lane_of, settle)))
    from toptwo.engine.cuda.compiling import CudaCompiling

    compiling = CudaCompiling(setup, layout.near_memory() > 0)
    launch = compiling.entry(lambda code: kernel(code, lane_of, settle), *called(setup, lane_of))
    return DeviceProgram(compiling.setup, layout, launch)


def _simulated(run: Callable[..., None]) -> Callable[..., Any]:
    """Return a kernel that is interpreted."""
    made = cuda.jit(run)

    def launch(grid: Any, *arguments: Any) -> Any:
        return 1 if grid == AT_ONCE else made[grid](*arguments)

    return launch


class _Job:
    """One call: its runs are played in as many batches as memory wants."""

    def __init__(self, program: DeviceProgram, means: NDArray[np.float64]) -> None:
        self._program = program
        self._instances = means
        self.finished = 0
        self._turns = 1

    def play(self, share: Share, output: Output, over: list[bool]) -> None:
        """Play the runs, until told that it is over."""
        means, program = _to_device(self._instances), self._program
        alone = program.layout.allocated(1, _new)  # for a launch without runs: compiled, or loaded, before all else
        self._batch(share._replace(last=share.first), device.smallest(), means, alone, _rows(output, 0, 1), over)
        at_once = program.launch(AT_ONCE, program.layout.near_memory())
        grid = device.grid_for(share.last - share.first, at_once, program.layout.cells() * CELL)
        lanes = program.layout.allocated(grid.lanes, _new)
        room = device.SHARE_OF_MEMORY * device.free_memory()
        size = max(1, int(room / max(1, _bytes_of(output) / len(output.samples))))
        for first in range(share.first, share.last, size):
            part = share._replace(first=first, last=min(first + size, share.last), base=first)
            row = first - share.base
            self._batch(part, grid, means, lanes, _rows(output, row, row + part.last - first), over)
            if over:
                return

    def _batch(
        self, share: Share, grid: device.Grid, means: Any, lanes: Lanes, output: Output, over: list[bool]
    ) -> None:
        """Play the runs of a batch and bring the results back."""
        before, total = self.finished, share.last - share.first
        there: Output = rebuild(output, _to_device)
        lanes = lanes._replace(runs=_to_device(np.full(lanes.runs.shape, IDLE)))
        counters = np.zeros(3, np.int64)
        counters[NEXT] = share.first
        setup = self._program.setup
        launch = Launch(setup, means, share, there, _to_device(counters), turn_of(setup), self._turns)
        while True:
            started = time.perf_counter()
            self._program.launch(self._program.configuration(grid), launch._replace(turns=self._turns), lanes)
            counters = _to_host(launch.counters)
            seconds = time.perf_counter() - started
            self.finished = before + int(counters[FINISHED])
            # The first launch also compiles: a step up is at most fourfold, a step down as far as it takes.
            self._turns = int(min(max(1.0, self._turns * min(4.0, AIM / seconds)), MOST_TURNS))
            if over or counters[FINISHED] == total or counters[FAILED] > 0:
                break
        if counters[FAILED]:
            over.append(True)
        _bring_back(there, output)


def _bytes_of(output: Output) -> int:
    return sum(array.nbytes for array in (*output[:-1], *output.trace[1:]))


def _rows(output: Output, first: int, last: int) -> Output:
    """Return some rows of the output."""
    times, *tables = output.trace
    trace = Trace(times, *(table[first:last] for table in tables))
    return Output(*(array[first:last] for array in output[:-1]), trace)


def _bring_back(there: Output, output: Output) -> None:
    """Copy results from the device."""
    for source, target in zip((*there[:-1], *there.trace[1:]), (*output[:-1], *output.trace[1:]), strict=True):
        if target.size:
            target[...] = _to_host(source)


def _new(shape: tuple[int, ...], kind: str) -> Any:
    """Return an array on the device."""
    return np.zeros(shape, kind) if device.simulated() else cuda.device_array(shape, kind)


def _to_device(value: Any) -> Any:
    """Return a copy of an array on the device, anything else as it is."""
    if not isinstance(value, np.ndarray):
        return value
    return np.array(value) if device.simulated() else cuda.to_device(np.ascontiguousarray(value))


def _to_host(array: Any) -> Any:
    return array if device.simulated() else array.copy_to_host()
