"""The yardstick: ttucb.c, compiled by the machine's C compiler and called through ctypes."""

import ctypes
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np

from benchmarks.players import DELTA, SEED, Player

SOURCE = Path(__file__).with_name("ttucb.c")
LIBRARY = Path(__file__).parent / "build" / "ttucb.so"
FLAGS = ["-O3", "-march=native", "-ffp-contract=off"]


def compiler() -> str | None:
    """Return the C compiler: the environment's CC, or cc."""
    return shutil.which(os.environ.get("CC", "cc"))


def load() -> ctypes.CDLL:
    """Compile the C program and return it, with its tables prepared."""
    LIBRARY.parent.mkdir(exist_ok=True)
    command = [str(compiler()), *FLAGS, "-shared", "-fPIC", "-o", str(LIBRARY), str(SOURCE), "-lm"]
    subprocess.run(command, check=True)
    library = ctypes.CDLL(str(LIBRARY))
    library.prepare.argtypes = [ctypes.c_double]
    whole, word, rows = ctypes.c_int64, ctypes.c_uint64, ctypes.c_void_p
    library.play_runs.argtypes = [rows, whole, whole, whole, word, word, rows, rows]
    library.prepare(DELTA)
    return library


class NativePlayer:
    """Plays in C the runs that a Player plays."""

    def __init__(self, library: ctypes.CDLL, twin: Player) -> None:
        self.library, self.twin = library, twin
        self.samples, self.recommended = np.zeros((2, twin.runs), np.int64)

    def play(self) -> None:
        """Play all runs."""
        twin = self.twin
        self.library.play_runs(
            twin.means.ctypes.data,
            twin.runs,
            twin.arms,
            twin.max_samples,
            SEED,
            twin.label,
            self.samples.ctypes.data,
            self.recommended.ctypes.data,
        )

    def agrees(self) -> bool:
        """Return whether both found the same stopping times and recommendations."""
        output = self.twin.output
        return bool((self.samples == output.samples).all() and (self.recommended == output.recommended).all())
