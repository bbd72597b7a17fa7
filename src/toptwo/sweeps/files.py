"""Files of a long run: written whole or not at all, sealed, and claimed by the one run that is working on them."""

import hashlib
import io
import json
import os
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from toptwo.errors import InputError
from toptwo.json_text import json_text

Arrays = dict[str, NDArray[Any]]

EPOCH = (1980, 1, 1, 0, 0, 0)
"""The date written into archives: the same results make the same bytes."""


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that it is either there with all its bytes or not there, whatever happens meanwhile."""
    with whole(path) as stream:
        stream.write(content)


@contextmanager
def whole(path: Path) -> Iterator[IO[bytes]]:
    """Yield a file to write to, which is there with all its bytes, even if the power fails, or not there."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    with _named(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with part.open("wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        part.replace(path)
        _sync_folder(path.parent)


def write_sealed(path: Path, content: bytes) -> None:
    """Write a sealed file so that it is there whole or not at all, whoever is killed meanwhile.

    Nobody waits for the disk, which takes longer than many cells do: of a file that a failing power cuts short, the
    seal says so.
    """
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    with _named(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(content)
        part.replace(path)


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Name in errors the file that the user knows."""
    try:
        yield
    except OSError as problem:
        raise OSError(problem.errno, problem.strerror, str(path)) from None


def _sync_folder(folder: Path) -> None:
    """Make a renaming in a folder last, where the system can."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def archive(arrays: Arrays, name: str = "") -> bytes:
    """Return arrays as an .npz archive without the time of writing, sealed if it has a name.

    Examples
    --------
    >>> archive({"a": np.arange(3)}) == archive({"a": np.arange(3)})
    True
    >>> np.load(io.BytesIO(archive({"a": np.arange(3)})))["a"].tolist()
    [0, 1, 2]
    """
    stream, parts = io.BytesIO(), {}
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as file:
        for label, array in arrays.items():
            entry = io.BytesIO()
            np.lib.format.write_array(entry, np.ascontiguousarray(array), allow_pickle=False)
            info = dated(f"{label}.npy")
            parts[info.filename] = entry.getvalue()
            file.writestr(info, parts[info.filename])
        file.comment = _seal(name, parts) if name else b""
    return stream.getvalue()


def dated(name: str) -> zipfile.ZipInfo:
    """Return an entry of an archive without the time of writing."""
    info = zipfile.ZipInfo(name, EPOCH)
    info.compress_type = zipfile.ZIP_DEFLATED
    return info


def _seal(name: str, parts: dict[str, bytes]) -> bytes:
    """Return a digest of named contents, and of whose they are."""
    found = hashlib.sha256(name.encode())
    for label, content in parts.items():
        found.update(f"/{label}/{len(content)}/".encode() + content)
    return found.hexdigest().encode()


class SpoiltError(InputError):
    """A file of a cell is not what was written."""


@contextmanager
def _read_from(path: Path) -> Iterator[None]:
    """Say of whatever is wrong with a file what to do about it."""
    try:
        yield
    except Exception as problem:
        raise SpoiltError(
            f"{path} is damaged, or belongs to another cell: run again, and it is computed anew."
        ) from problem


def arrays_in(path: Path) -> Arrays:
    """Return what an archive of a cell holds."""
    with _read_from(path), zipfile.ZipFile(path) as file:
        parts = {label: file.read(label) for label in file.namelist()}
        if file.comment != _seal(path.stem, parts):
            raise ValueError("not what was sealed")
        read = np.lib.format.read_array
        return {label.removesuffix(".npy"): read(io.BytesIO(part), allow_pickle=False) for label, part in parts.items()}


def notes_in(path: Path) -> dict[str, Any]:
    """Return what the file beside an archive says of how it came about."""
    with _read_from(path):
        found: dict[str, Any] = json.loads(path.read_text("utf-8"))
        if found.pop("seal") != _notes_seal(path.stem, found):
            raise ValueError("not what was sealed")
    return found


def notes(name: str, content: dict[str, Any]) -> bytes:
    """Return plain data as JSON, sealed under a name."""
    return json_text(content | {"seal": _notes_seal(name, content)}).encode()


def _notes_seal(name: str, content: dict[str, Any]) -> str:
    return _seal(name, {"notes": json_text(content).encode()}).decode()


def sound(path: Path) -> bool:
    """Return whether an archive and the notes beside it are what was written."""
    try:
        arrays_in(path)
        notes_in(path.with_suffix(".json"))
    except SpoiltError:
        return False
    return True


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


def alive(process: int) -> bool:
    """Return whether a process is still there, as far as can be told."""
    if os.name != "posix":  # signal 0 means something else there
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


@contextmanager
def alone(name: str) -> Iterator[None]:
    """Wait until no other process of this machine is inside under the same name; where there are no locks, do not."""
    if os.name != "posix":
        yield
        return
    import fcntl

    with (Path(tempfile.gettempdir()) / f"toptwo-{os.getuid()}-{name}.lock").open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield  # closing the file lets go; it stays, empty, since removing it would let two in
