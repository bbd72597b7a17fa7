"""What a sweep found: a row for each algorithm at each point, and every run on disk."""

import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from toptwo.engine.results import exact_interval
from toptwo.errors import InputError
from toptwo.json_text import json_text
from toptwo.sweeps.files import Arrays, archive, write_whole
from toptwo.sweeps.tables import TablePoint

AXES = ("problem", "arms", "family", "delta", "epsilon", "threshold")
"""What tells points apart."""


def rows_of(described: dict[str, Any], content: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of a point: where it stands in the grid, and what each algorithm did there."""
    point = TablePoint(content)
    bound = content["facts"]["lower_bound"] or None
    first = content["rows"][0]["algorithm"]
    rows = []
    for row in content["rows"]:
        low, high = exact_interval(row["wrong"], row["runs"])
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
        against = point.typical_ratio(row["algorithm"], first)
        ratio = against if row["algorithm"] != first and row["runs"] > 1 else None
        found |= {
            f"ratio_to_first{end}": None if ratio is None else value
            for end, value in zip(("", "_low", "_high"), ratio or (1.0, 1.0, 1.0), strict=True)
        }
        rows.append(found)
    return rows


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
        error rate, `undecided`; `lower_bound` and its multiple; and the geometric mean of the ratio to the first
        algorithm, run by run, with its interval.
    folder
        Where the runs are, one by one.
    cells
        How many cells were computed and kept; while some are left to other shards, points that lack them have no rows.
    """

    rows: tuple[dict[str, Any], ...]
    folder: Path
    cells: Counts

    def row(self, algorithm: str, **axes: Any) -> dict[str, Any]:
        """Return the one row of an algorithm at a point, told by as many axes as it takes."""
        found = [
            row
            for row in self.rows
            if row["algorithm"] == algorithm and all(row.get(name) == value for name, value in axes.items())
        ]
        if len(found) != 1:
            raise InputError(f"{len(found)} rows are of {algorithm} at {axes}: name axes so that there is one.")
        return found[0]

    def to_json(self) -> str:
        """Return the rows as JSON."""
        return json_text({"rows": list(self.rows)})

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


def write_runs(folder: Path, points: Sequence[tuple[dict[str, Any], Arrays]]) -> Path:
    """Write every run of every point: as parquet where pyarrow is installed, else as an .npz archive."""
    columns: dict[str, list[Any]] = {}
    for described, arrays in points:
        for key, samples in arrays.items():
            kind, _, rest = key.partition("/")
            if kind != "samples":
                continue
            runs = len(samples)
            row: dict[str, Any] = {name: np.repeat([described[name]], runs) for name in AXES}
            row |= {"algorithm": np.repeat([rest.rpartition("/")[2]], runs), "run": np.arange(runs)}
            row |= {"samples": samples, "wrong": arrays[f"wrong/{rest}"]}
            for name, values in row.items():
                columns.setdefault(name, []).append(values)
    joined = {name: np.concatenate(values) for name, values in columns.items()}
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        path = folder / "runs.npz"
        write_whole(path, archive(joined))
        return path
    stream, path = io.BytesIO(), folder / "runs.parquet"
    parquet.write_table(pyarrow.table(joined), stream)
    write_whole(path, stream.getvalue())
    return path
