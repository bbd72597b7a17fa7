"""The device: whether there is one, and how much of it a call takes."""

import os
from functools import cache
from importlib.util import find_spec
from typing import Any, NamedTuple

BLOCK = 128
"""Lanes of a block."""

AT_ONCE = "at once"
"""In place of the grid of a launch: asks how many blocks of the kernel run at the same time."""

FEWEST = 128
"""Blocks at least: numba-cuda warns of fewer, and lanes without a run leave at once."""

SHARE_OF_MEMORY = 0.4
"""Of the free memory, how much the lanes may take, and how much the results of one batch of runs."""


class Grid(NamedTuple):
    """How a kernel is laid out."""

    blocks: int = FEWEST
    block: int = BLOCK

    @property
    def lanes(self) -> int:
        """Return the number of lanes."""
        return self.blocks * self.block


def simulated() -> bool:
    """Return whether Numba's simulator stands in for a device (NUMBA_ENABLE_CUDASIM=1)."""
    return os.environ.get("NUMBA_ENABLE_CUDASIM", "0") not in ("", "0")


@cache
def why_none() -> str:
    """Return in a sentence why there is no device to run on, or nothing if there is one."""
    if simulated():
        return ""
    if find_spec("numba_cuda") is None:
        return "engine='cuda' needs numba-cuda: install toptwo with the extra cuda (pip install 'toptwo[cuda]')."
    from numba import cuda

    try:
        cuda.cudadrv.driver.driver.ensure_initialized()
        count = len(cuda.gpus)
    except Exception as problem:
        cause = " ".join(str(problem).split())[:200]
        return f"engine='cuda' finds no working NVIDIA driver ({cause}): install one, or use engine='cpu'."
    return "" if count else "engine='cuda' finds no GPU on this machine: use engine='cpu'."


def grid_for(runs: int, at_once: int, bytes_of_lane: int) -> Grid:
    """Return the grid for so many runs, if so many blocks run at once: others would wait for all of those."""
    if simulated():
        return Grid(1, min(runs, 4))
    room = int(SHARE_OF_MEMORY * free_memory()) // (bytes_of_lane * BLOCK)
    return Grid(max(1, min(max(FEWEST, min(at_once, -(-runs // BLOCK))), room)))


def smallest() -> Grid:
    """Return the grid of a launch that has nothing to do."""
    return Grid(1, 1) if simulated() else Grid()


def free_memory() -> int:
    """Return how many bytes of the device are free."""
    if simulated():
        return 1 << 20
    from numba import cuda

    return int(cuda.current_context().get_memory_info().free)


def name() -> str:
    """Return what the device is called."""
    if simulated():
        return "Numba's simulator"
    from numba import cuda

    found: Any = cuda.get_current_device().name
    return found.decode() if isinstance(found, bytes) else str(found)
