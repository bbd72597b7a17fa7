"""Cells on disk: written whole or not at all, named after what was asked and the code that answered."""

import io
import json
import os
import platform
import re
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from toptwo import __version__
from toptwo.errors import InputError
from toptwo.experiments.cells import Arrays, Cell

EPOCH = (1980, 1, 1, 0, 0, 0)
"""The date written into archives: the same results make the same bytes."""


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that it is either there with all its bytes or not there, whatever happens meanwhile."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    with part.open("wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())
    part.replace(path)
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """Make a renaming in a folder last, where the system can."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def archive(arrays: Arrays) -> bytes:
    """Return arrays as an .npz archive without the time of writing.

    Examples
    --------
    >>> archive({"a": np.arange(3)}) == archive({"a": np.arange(3)})
    True
    >>> np.load(io.BytesIO(archive({"a": np.arange(3)})))["a"].tolist()
    [0, 1, 2]
    """
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as file:
        for name, array in arrays.items():
            entry = io.BytesIO()
            np.lib.format.write_array(entry, np.ascontiguousarray(array), allow_pickle=False)
            info = zipfile.ZipInfo(f"{name}.npy", EPOCH)
            info.compress_type = zipfile.ZIP_DEFLATED
            file.writestr(info, entry.getvalue())
    return stream.getvalue()


def machine() -> dict[str, Any]:
    """Return what a measurement depends on."""
    return {
        "system": platform.platform(),
        "processor": _processor(),
        "processors": os.cpu_count(),
        "python": platform.python_version(),
        "numpy": np.__version__,
    }


def _processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text("utf-8")
    except OSError:
        return platform.processor()
    found = re.search(r"model name\s*:\s*(.+)", text)
    return found.group(1).strip() if found else platform.processor()


class Store:
    """The cells in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, cell: Cell) -> Path:
        """Return where a cell is kept."""
        return self.folder / f"{cell.question}-{cell.code}.npz"

    def has(self, cell: Cell) -> bool:
        """Return whether a cell is done."""
        return self.path(cell).is_file()

    def write(self, cell: Cell, arrays: Arrays, seconds: dict[str, float]) -> None:
        """Keep a cell: first how it came about, then, as the sign that it is done, what it found."""
        path = self.path(cell)
        origin = {
            "algorithm": cell.entrant.label,
            "point": cell.point.label,
            "setup": repr(cell.setup),
            "runs": [cell.first, cell.last],
            "seed": cell.seed,
            "version": __version__,
            "code": cell.code,
            "seconds": seconds,
            "finished": datetime.now(UTC).isoformat(timespec="seconds"),
            "machine": machine(),
        }
        write_whole(path.with_suffix(".json"), json.dumps(origin, ensure_ascii=False, indent=1).encode())
        write_whole(path, archive(arrays))

    def read(self, cell: Cell) -> Arrays:
        """Return what a cell found."""
        path = self.path(cell)
        try:
            with np.load(path) as file:
                return {name: file[name] for name in file.files}
        except (OSError, ValueError, zipfile.BadZipFile):
            raise InputError(f"{path} cannot be read: delete it and run again.") from None

    def origin(self, cell: Cell) -> dict[str, Any]:
        """Return how a cell came about."""
        found: dict[str, Any] = json.loads(self.path(cell).with_suffix(".json").read_text("utf-8"))
        return found

    def set_aside(self, cells: list[Cell]) -> int:
        """Move answers of other code to the same questions out of the way; return how many there were."""
        present: dict[str, list[Path]] = {}
        for path in self.folder.glob("*.npz"):
            present.setdefault(path.stem.partition("-")[0], []).append(path)
        moved = 0
        for cell in {cell.question: cell for cell in cells}.values():
            for path in present.get(cell.question, []):
                if not path.stem.endswith(cell.code):
                    aside = self.folder / "set-aside"
                    aside.mkdir(exist_ok=True)
                    for file in (path, path.with_suffix(".json")):
                        if file.is_file():
                            file.replace(aside / file.name)
                    moved += 1
        return moved

    def sweep(self) -> None:
        """Remove what processes that were killed had half written."""
        for part in self.folder.glob(".*.part"):
            if not _alive(int(part.name.rsplit(".", 2)[1])):
                part.unlink(missing_ok=True)


def _alive(process: int) -> bool:
    if os.name != "posix":  # signal 0 means something else there
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
