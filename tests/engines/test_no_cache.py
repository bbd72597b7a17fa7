"""Where nothing can be kept on disk, results still come, and one warning says what to do.

The tests may run as root, whom permissions do not stop. What stops everybody: a file where a folder should be, and the
kernel's limit on the size of files, which fails a write half-way as a full disk does.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import toptwo as tt

NOWHERE = {"HOME": os.devnull, "XDG_CACHE_HOME": os.devnull, "NUMBA_CACHE_DIR": os.devnull}
"""Folders that cannot be made: the null device holds none."""

SIMULATE = """
import toptwo as tt
for name in ("uniform", "LUCB"):
    print(tt.simulate(name, [0.2, 0.9, 0.5], runs=20, seed=1, max_samples=2000).counts.tolist())
"""

SMALL = """
def double(x, into):
    into[0] = 2.0 * x

def triple(x, into):
    into[0] = 3.0 * x
"""

CALL = """
from functools import partial
import numpy as np
import small
from numba import njit
from toptwo.engine.cache import Compiled
into = np.zeros(1)
for function in (small.double, small.triple):
    compiled = Compiled(partial(njit, nogil=True), function, True)
    for x in (4, 4, 1.5):
        compiled(x, into)
        print(into[0])
"""

PRODUCTS = [8.0, 8.0, 3.0, 12.0, 12.0, 4.5]

LIMITED = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size}))
"""


def python(code, folder, **environment):
    """The lines that code prints, and its warnings."""
    inherited = {name: value for name, value in os.environ.items() if name not in NOWHERE}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env=inherited | environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines(), [line for line in done.stderr.splitlines() if "Warning" in line]


def assert_said_once(warnings, reason):
    [warning] = warnings
    assert f"RuntimeWarning: Compiled code cannot be kept on disk ({reason}" in warning
    assert "NUMBA_CACHE_DIR" in warning


def test_no_place_for_a_cache(tmp_path):
    """A package beside which nothing can be written, without a home: as in a container."""
    package = tmp_path / "toptwo"
    shutil.copytree(Path(tt.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    (package / "engine" / "__pycache__").write_text("a file: no folder can be made here\n")
    counts, warnings = python(SIMULATE, tmp_path, PYTHONPATH=str(tmp_path), **NOWHERE)
    assert_said_once(warnings, "no folder can be written to")
    means, options = [0.2, 0.9, 0.5], {"runs": 20, "seed": 1, "max_samples": 2000, "engine": "python"}
    assert counts == [str(tt.simulate(name, means, **options).counts.tolist()) for name in ("uniform", "LUCB")]


@pytest.fixture
def small(tmp_path):
    """A folder with a module of two functions to compile, and a folder to keep them in."""
    (tmp_path / "small.py").write_text(SMALL)
    (tmp_path / "kept").mkdir()
    return tmp_path


def call(folder, prelude=""):
    lines, warnings = python(prelude + CALL, folder, NUMBA_CACHE_DIR=str(folder / "kept"))
    assert [float(line) for line in lines] == PRODUCTS
    return warnings


def files(folder, kind):
    return sorted((folder / "kept").rglob(f"*.{kind}"))


def times(folder):
    """When each file of the cache was written."""
    return {path: path.stat().st_mtime_ns for kind in ("nbi", "nbc") for path in files(folder, kind)}


def test_where_it_can_be_kept_nothing_is_said(small):
    """Control: the functions of these tests are kept and read again, without a warning."""
    assert call(small) == []
    before = times(small)
    assert len(before) == 2 + 4  # an index per function, and code per function and type of argument
    assert call(small) == []
    assert times(small) == before


@pytest.mark.parametrize(("size", "indexes"), [(0, 0), (2000, 2)])
def test_full_disk(size, indexes, small):
    """No room for the index, or for the index but not for the code; with room again, the next process keeps it all."""
    assert_said_once(call(small, LIMITED.format(size=size)), "[Errno 27]")
    assert (len(files(small, "nbi")), len(files(small, "nbc"))) == (indexes, 0)
    assert call(small) == []
    assert len(files(small, "nbc")) == 4


@pytest.mark.parametrize(("kind", "size"), [("nbi", 0), ("nbi", 100), ("nbc", 100)])
def test_cut_short_by_a_crash(kind, size, small):
    """An index or code of which only the beginning reached the disk is made anew, once."""
    call(small)
    for path in files(small, kind):
        os.truncate(path, size)
    assert call(small) == []
    before = times(small)
    assert call(small) == []
    assert times(small) == before


def test_a_place_that_cannot_be_read(small):
    """An index that is there and cannot be opened: here a folder of that name, as elsewhere one of another user's."""
    call(small)
    for path in files(small, "nbi"):
        path.unlink()
        path.mkdir()
    assert_said_once(call(small), "[Errno 21]")
