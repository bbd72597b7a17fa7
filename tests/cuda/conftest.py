"""Tests of the CUDA engine: `make check-cuda` runs those that need no GPU, `make test-cuda` those that do.

Each file is collected where what it needs is there: numba-cuda, its simulator (NUMBA_ENABLE_CUDASIM=1), or a GPU.
"""

from importlib.util import find_spec

from toptwo.engine.cuda.device import simulated, why_none

collect_ignore = []
if not simulated():
    collect_ignore.append("test_simulator.py")
if simulated() or find_spec("numba_cuda") is None:
    collect_ignore.append("test_ptx.py")
if simulated() or why_none():
    collect_ignore.append("test_device.py")
