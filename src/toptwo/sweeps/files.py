"""Files of a long run: written whole or not at all, and sealed."""

import hashlib
import io
import json
import os
import re
import socket
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
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
    part = _part(path)
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
    part = _part(path)
    with _named(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(content)
        part.replace(path)


def _part(path: Path) -> Path:
    """Return where a file is written before it has its name: no other process writes there, on any machine."""
    return path.with_name(f".{path.name}.{host()}.{os.getpid()}.part")


def sweep_parts(folder: Path) -> None:
    """Remove what processes of this machine that have ended had half written; of others nobody here can tell."""
    for part in folder.glob(f".*.{host()}.*.part"):
        process = part.name.rsplit(".", 2)[1]
        if process.isdigit() and not alive(int(process)):
            part.unlink(missing_ok=True)


@cache
def host() -> str:
    """Return a name of this machine that has no dots."""
    return re.sub(r"[^A-Za-z0-9_-]", "-", socket.gethostname()) or "unnamed"


def alive(process: int) -> bool:
    """Return whether a process of this machine is still there, as far as can be told."""
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
