"""Cells on disk: written whole or not at all, named after what was asked and the code that answered, and sealed."""

import os
import platform
import re
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from toptwo import __version__
from toptwo.sweeps.cells import Cell
from toptwo.sweeps.files import (
    Arrays,
    archive,
    arrays_in,
    notes,
    notes_in,
    sound,
    sweep_parts,
    write_sealed,
)
from toptwo.sweeps.locks import CellLock, claimed


@cache
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
    """The cells in a folder, which several runs may share: each cell is computed by the one that has claimed it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.aside = folder, folder / "set-aside"

    def path(self, cell: Cell) -> Path:
        """Return where a cell is kept."""
        return self.folder / f"{cell.question}-{cell.code}.npz"

    def has(self, cell: Cell) -> bool:
        """Return whether a cell is done."""
        return self.path(cell).is_file()

    def claim(self, cell: Cell) -> CellLock | None:
        """Return the right to compute a cell, to be given back; None if another run has it."""
        claim = CellLock(self.path(cell))
        return claim if claim.ours else None

    def write(
        self,
        cell: Cell,
        arrays: Arrays,
        seconds: dict[str, float],
        where: dict[str, Any] | None = None,
        setup: str = "",
    ) -> None:
        """Keep a cell: first how it came about, then, as the sign that it is done, what it found."""
        path = self.path(cell)
        origin = {
            "algorithm": cell.entrant.label,
            "point": cell.point.label,
            "setup": setup,
            "runs": [cell.first, cell.last],
            "seed": cell.seed,
            "engine": cell.point.engine,
            "version": __version__,
            "code": cell.code,
            "seconds": seconds,
            "finished": datetime.now(UTC).isoformat(timespec="seconds"),
            "machine": where or machine(),
        }
        write_sealed(path.with_suffix(".json"), notes(path.stem, origin))
        write_sealed(path, archive(arrays, path.stem))

    def read(self, cell: Cell) -> Arrays:
        """Return what a cell found."""
        return arrays_in(self.path(cell))

    def origin(self, cell: Cell) -> dict[str, Any]:
        """Return how a cell came about."""
        return notes_in(self.path(cell).with_suffix(".json"))

    def set_aside(self, cells: Sequence[Cell]) -> tuple[int, int]:
        """Move out of the way what cannot be used; return how many answers of other code and how many spoilt ones."""
        present: dict[str, list[Path]] = {}
        for path in self.folder.glob("*.npz"):
            present.setdefault(path.stem.partition("-")[0], []).append(path)
        other = spoilt = 0
        for cell in {cell.question: cell for cell in cells}.values():
            for path in present.get(cell.question, []):
                if path != self.path(cell):
                    other += self._move(path)
                elif not sound(path):
                    with claimed(path) as ours:  # another run may have seen it too, and be computing it
                        spoilt += ours and not sound(path) and self._move(path)
        return other, spoilt

    def _move(self, path: Path) -> bool:
        """Move the files of a cell out of the way; return whether they were still there."""
        self.aside.mkdir(exist_ok=True)
        with suppress(FileNotFoundError):
            path.with_suffix(".json").replace(self.aside / path.with_suffix(".json").name)
        try:
            path.replace(self.aside / path.name)
        except FileNotFoundError:
            return False
        return True

    def sweep(self) -> None:
        """Remove what processes that were killed had claimed or half written."""
        sweep_parts(self.folder)
        for claim in self.folder.glob("*.claim"):
            with claimed(claim):
                pass  # given back, a claim is removed
