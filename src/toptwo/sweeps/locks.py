"""Who does what: cells claimed by one run among several, and compiling done by one process at a time."""

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import IO

from toptwo import engine

NO_LOCKS = (errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOTSUP, errno.EINVAL)
"""What a file system answers that has no locks: a network's, say, mounted without them."""

DOORS = 256
"""Files that are locked while something is compiled: two things at one door wait for each other, which is rare."""


class CellLock:
    """The right to compute the cell at a path, which one process has at a time.

    The system lets go of what a process held when that ends, however it ends, so that no claim outlives its owner.
    Where there are no such locks, runs do not share their work; what they write is whole and the same all the same.
    """

    def __init__(self, path: Path) -> None:
        self._path = path.with_suffix(".claim")
        self._file: IO[bytes] | None = None
        self.ours = True
        """Whether it could be had."""
        if os.name != "posix":
            return
        import fcntl

        self._file = self._path.open("ab")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Whoever held it may have removed it after it was opened here: then this is no claim that others see.
            self.ours = os.path.samestat(os.fstat(self._file.fileno()), self._path.stat())
        except (BlockingIOError, FileNotFoundError):
            self.ours = False
        except OSError as problem:
            if problem.errno not in NO_LOCKS:
                self._file.close()
                raise
        if not self.ours:
            self._file.close()

    def release(self) -> None:
        """Give it back."""
        if self.ours and self._file is not None:
            self._path.unlink(missing_ok=True)
            self._file.close()
        self.ours = False


@contextmanager
def claimed(path: Path) -> Iterator[bool]:
    """Hold the file at a path, and yield whether it could be had: another process may hold it."""
    claim = CellLock(path)
    try:
        yield claim.ours
    finally:
        claim.release()


@contextmanager
def alone(name: str) -> Iterator[None]:
    """Wait until no other process that shares the cache of compiled code is inside under the same name, if it can.

    The lock lies beside that cache: machines that share it wait for each other if their file system has locks between
    them, and compile side by side if it has not, which takes longer and changes nothing else.
    """
    with ExitStack() as held:
        if os.name == "posix" and (folder := lock_folder()) is not None:
            import fcntl

            with suppress(OSError):
                file = held.enter_context((folder / f"toptwo-{int(name, 16) % DOORS:02x}.lock").open("ab"))
                fcntl.flock(file, fcntl.LOCK_EX)
        yield  # closing the file lets go; it stays, empty, since removing it would let two in


@cache
def lock_folder() -> Path | None:
    """Return where Numba keeps what it compiles, or a folder of this machine if that is nowhere to be found."""
    for folder in _folders():
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                return folder
    return None


def _folders() -> Iterator[Path]:
    """Yield the places in the order in which Numba looks for one that can be written to."""
    if given := os.environ.get("NUMBA_CACHE_DIR"):
        yield Path(given)
    else:
        yield Path(engine.__file__).parent / "__pycache__"
        yield Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "numba"
    yield Path(tempfile.gettempdir()) / f"toptwo-{os.getuid()}"
