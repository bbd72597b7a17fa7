"""What a sweep found: a row for each algorithm at each point, and every run on disk."""

import math
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from toptwo.errors import InputError
from toptwo.json_text import json_text
from toptwo.sweeps.files import Arrays, dated, whole
from toptwo.sweeps.tables import TablePoint

AXES = ("problem", "arms", "family", "delta", "epsilon", "threshold")
"""What tells points apart."""

MENTIONED = 5
"""Values of an axis that an error names."""


def rows_of(described: dict[str, Any], content: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of a point: where it stands in the grid, and what each algorithm did there."""
    point = TablePoint(content)
    bound = content["facts"]["lower_bound"] or None
    first = content["rows"][0]["algorithm"]
    rows = []
    for row in content["rows"]:
        low, high = row["error_interval"]
        found = {
            **{name: described[name] for name in AXES if name != "arms"},
            "arms": int(content["facts"]["arms"]),
            "algorithm": row["algorithm"],
            "runs": row["runs"],
            "mean": row["mean"],
            "standard_error": row["deviation"] / math.sqrt(row["runs"]),
            "median": row["quantiles"][2],
            "quantile_95": row["quantiles"][4],
            "quantile_99": row["tail"],
            "longest": row["longest"],
            "wrong": row["wrong"],
            "error_low": low,
            "error_high": high,
            "undecided": row["undecided"],
            "lower_bound": bound,
            "multiple_of_lower_bound": row["mean"] / bound if bound else None,
        }
        paired = row["algorithm"] != first and row["runs"] > 1
        for name, compared in (("difference_from", point.difference), ("ratio_to", point.typical_ratio)):
            against = compared(row["algorithm"], first) if paired else (None, None, None)
            ends = zip(("", "_low", "_high"), against, strict=True)
            found |= {f"{name}_first{end}": value for end, value in ends}
        rows.append(found)
    return rows


def _is(entry: Any, value: Any) -> bool:
    """Return whether an entry of a row is a value: the same number, or its text."""
    if isinstance(entry, str) and not isinstance(value, str):
        return entry == repr(value)
    return bool(entry == value)


class Counts(NamedTuple):
    """How many cells were computed now, were there, were set aside for their code or as spoilt, are left to shards."""

    computed: int
    kept: int
    outdated: int
    spoilt: int
    left_to_others: int


@dataclass(frozen=True)
class SweepTable:
    """A row for each algorithm at each point of a grid.

    Attributes
    ----------
    rows
        Dictionaries: `problem`, `arms`, `family`, `delta`, `epsilon`, `threshold`, `algorithm`; `runs`, `mean`,
        `standard_error`, `median`, `quantile_95`, `quantile_99`, `longest`; `wrong` with the exact 95 % interval of the
        error rate, `undecided`; `lower_bound` and its multiple; and, run by run on the same rewards, the mean
        difference in samples from the first algorithm (`difference_from_first`, `_low`, `_high`) and the geometric mean
        of the ratio to it (`ratio_to_first`), each with its 95 % interval.
    folder
        Where the runs are, one by one.
    cells
        How many cells were computed and kept; while some are left to other shards, points that lack them have no rows.
    """

    rows: tuple[dict[str, Any], ...]
    folder: Path
    cells: Counts

    def row(self, algorithm: str, **axes: Any) -> dict[str, Any]:
        """Return the one row of an algorithm at a point, told by as many axes as it takes: `problem="random"`.

        A family or threshold is named as in the table, or given as the object that it was.
        """
        found = [
            row
            for row in self.rows
            if row["algorithm"] == algorithm and all(_is(row.get(name), value) for name, value in axes.items())
        ]
        if len(found) != 1:
            among = found or self.rows
            values = {name: list(dict.fromkeys(row[name] for row in among)) for name in AXES}
            choice = "; ".join(
                f"{name} is one of {', '.join(map(str, some[:MENTIONED]))}{', …' * (len(some) > MENTIONED)}"
                for name, some in values.items()
                if len(some) > 1
            )
            told = f" ({choice})" if choice else ""
            raise InputError(f"{len(found)} rows are of {algorithm} at {axes}: name axes so that there is one{told}.")
        return found[0]

    def to_json(self) -> str:
        """Return the rows as JSON."""
        return "".join(self.json_pieces())

    def json_pieces(self) -> Iterator[str]:
        """Yield the rows as JSON, piece by piece: of many rows the whole takes much more memory than they do."""
        yield '{\n "rows": ['
        for number, row in enumerate(self.rows):
            yield f"{',' if number else ''}\n{json_text(row)}".replace("\n", "\n  ")
        yield "\n ]\n}" if self.rows else "]\n}"

    def to_pandas(self) -> Any:
        """Return the rows as a data frame."""
        from toptwo.sweeps.comparison import pandas_or_raise

        return pandas_or_raise().DataFrame(list(self.rows))

    def varied(self) -> list[str]:
        """Return the axes along which points differ."""
        return [name for name in AXES if len({row[name] for row in self.rows}) > 1]

    def plot(self, path: str | Path, x: str | None = None, y: str = "mean") -> Path:
        """Draw a column of the rows over an axis, one line per algorithm and per value of the other axes, to a PNG."""
        from toptwo.report.grids import draw_grid

        return draw_grid(self, Path(path), x, y)

    def __str__(self) -> str:
        from toptwo.report.grids import sweep_text

        return sweep_text(self)


Columns = dict[str, NDArray[Any]]

GROUP = 1 << 18
"""Runs that are held in memory until they are written."""

PIECE = 64
"""Runs that cost as much as holding an array."""


@contextmanager
def runs_file(folder: Path) -> Iterator[Callable[[dict[str, Any], dict[str, Arrays]], None]]:
    """Yield what takes the runs of each algorithm at one point after the other, and write every run to one file.

    It is parquet, written as runs come, where pyarrow is installed, else an .npz archive.
    """
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        with _archive_file(folder / "runs.npz") as write:
            yield write
    else:
        with _parquet_file(folder / "runs.parquet") as write:
            yield write


def _columns(described: dict[str, Any], label: str, arrays: Arrays) -> Columns:
    """Return the columns of the runs of an algorithm at a point."""
    runs = len(arrays["samples"])
    columns: Columns = {name: np.repeat([described[name]], runs) for name in AXES}
    columns |= {"algorithm": np.repeat([label], runs), "run": np.arange(runs)}
    return columns | {"samples": arrays["samples"], "wrong": arrays["wrong"]}


def _joined(parts: list[Columns]) -> Columns:
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


@contextmanager
def _parquet_file(path: Path) -> Iterator[Callable[[dict[str, Any], dict[str, Arrays]], None]]:
    import pyarrow
    from pyarrow import parquet

    waiting: list[Columns] = []
    held = 0
    writer: Any = None

    def let_go() -> None:
        nonlocal held, writer
        held = 0
        table = pyarrow.table(_joined(waiting))
        writer = writer or parquet.ParquetWriter(stream, table.schema)
        writer.write_table(table)
        waiting.clear()

    def write(described: dict[str, Any], found: dict[str, Arrays]) -> None:
        nonlocal held
        for label, arrays in found.items():
            waiting.append(_columns(described, label, arrays))
            held += max(PIECE, len(arrays["samples"]))
        if held >= GROUP:
            let_go()

    with whole(path) as stream:
        yield write
        if waiting:
            let_go()
        writer.close()


@contextmanager
def _archive_file(path: Path) -> Iterator[Callable[[dict[str, Any], dict[str, Arrays]], None]]:
    """Hold samples and errors until the end: an archive has its columns one after the other."""
    parts: list[tuple[dict[str, Any], str, Arrays]] = []

    def write(described: dict[str, Any], found: dict[str, Arrays]) -> None:
        kept = {label: {name: arrays[name] for name in ("samples", "wrong")} for label, arrays in found.items()}
        parts.extend((described, label, arrays) for label, arrays in kept.items())

    yield write
    first = [
        _columns(described, label, {name: array[:1] for name, array in arrays.items()})
        for described, label, arrays in parts
    ]
    types = {name: column.dtype for name, column in _joined(first).items()}
    total = sum(len(arrays["samples"]) for _, _, arrays in parts)
    with whole(path) as stream, zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as file:
        for name, kind in types.items():
            with file.open(dated(f"{name}.npy"), "w", force_zip64=True) as entry:
                header = {"descr": np.lib.format.dtype_to_descr(kind), "fortran_order": False, "shape": (total,)}
                np.lib.format.write_array_header_1_0(entry, header)
                for part in parts:
                    entry.write(_columns(*part)[name].astype(kind).tobytes())
