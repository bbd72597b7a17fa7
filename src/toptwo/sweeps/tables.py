"""Tables: what an experiment found, in numbers that figures, claims and reports are made from."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toptwo.errors import InputError
from toptwo.json_text import json_text
from toptwo.sweeps.statistics import NORMAL_95, Estimate, exponential, of_mean, ratio_of_means

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)

NAMES = ("table.json", "measurement.json")
"""A table comes out the same, byte for byte, whenever it is made; a measurement of time does not."""


@dataclass(frozen=True)
class TablePoint:
    """The rows of one point, by algorithm."""

    content: dict[str, Any]

    @property
    def label(self) -> str:
        """Return the name of the point."""
        return str(self.content["label"])

    @property
    def rows(self) -> list[dict[str, Any]]:
        """Return one dictionary per algorithm."""
        return list(self.content["rows"])

    @property
    def facts(self) -> dict[str, float]:
        """Return what theory says about the instances: means over them."""
        return dict(self.content["facts"])

    def row(self, algorithm: str) -> dict[str, Any]:
        """Return the row of an algorithm."""
        return self.rows[self._place(algorithm)]

    def has(self, algorithm: str) -> bool:
        """Return whether an algorithm was run here."""
        return any(row["algorithm"] == algorithm for row in self.rows)

    def _place(self, algorithm: str) -> int:
        for place, row in enumerate(self.rows):
            if row["algorithm"] == algorithm:
                return place
        raise InputError(f"algorithm {algorithm!r} is not in this table.")

    def mean(self, algorithm: str, width: float = NORMAL_95) -> Estimate:
        """Return the mean number of samples."""
        row = self.row(algorithm)
        return of_mean(row["mean"], row["deviation"] ** 2, row["runs"], width)

    def difference(self, one: str, other: str, width: float = NORMAL_95) -> Estimate:
        """Return the mean difference in samples, run by run on the same rewards."""
        i, j, first, second = self._pair(one, other)
        spread = self.content["covariance"]
        variance = spread[i][i] + spread[j][j] - 2.0 * spread[i][j]
        return of_mean(first["mean"] - second["mean"], variance, first["runs"], width)

    def ratio(self, one: str, other: str, width: float = NORMAL_95) -> Estimate:
        """Return the ratio of mean samples, from the same runs."""
        i, j, first, second = self._pair(one, other)
        spread = self.content["covariance"]
        means = (first["mean"], second["mean"])
        return ratio_of_means(means, (spread[i][i], spread[j][j]), spread[i][j], first["runs"], width)

    def typical(self, algorithm: str, width: float = NORMAL_95) -> Estimate:
        """Return the geometric mean of the samples."""
        place = self._place(algorithm)
        row, variance = self.rows[place], self.content["log_covariance"][place][place]
        return exponential(of_mean(row["log_mean"], variance, row["runs"], width))

    def typical_ratio(self, one: str, other: str, width: float = NORMAL_95) -> Estimate:
        """Return the geometric mean of the ratio of samples, run by run: rare endless runs do not decide it."""
        i, j, first, second = self._pair(one, other)
        spread = self.content["log_covariance"]
        variance = spread[i][i] + spread[j][j] - 2.0 * spread[i][j]
        return exponential(of_mean(first["log_mean"] - second["log_mean"], variance, first["runs"], width))

    def _pair(self, one: str, other: str) -> tuple[int, int, dict[str, Any], dict[str, Any]]:
        i, j = self._place(one), self._place(other)
        return i, j, self.rows[i], self.rows[j]


@dataclass(frozen=True)
class Table:
    """All that an experiment found."""

    content: dict[str, Any]

    @property
    def points(self) -> list[TablePoint]:
        """Return the points in order."""
        return [TablePoint(point) for point in self.content["points"]]

    @property
    def theory(self) -> dict[str, Any]:
        """Return the numbers that needed no simulation."""
        return dict(self.content["theory"])

    def point(self, label: str = "") -> TablePoint:
        """Return the point of that name, or the first."""
        for point in self.points:
            if label in ("", point.label):
                return point
        raise InputError(f"there is no point {label!r} in the table of {self.content['experiment']}.")

    def text(self) -> str:
        """Return the table as it is written: JSON in which only finite numbers occur."""
        return json_text(self.content) + "\n"

    @property
    def file_name(self) -> str:
        """Return the name of the file it is kept in."""
        return NAMES[self.content["kind"] == "measurement"]


def read_table(folder: Path) -> Table | None:
    """Return the table kept in a folder, if there is one."""
    for name in NAMES:
        path = folder / name
        if path.is_file():
            try:
                return Table(json.loads(path.read_text("utf-8")))
            except ValueError:
                raise InputError(f"{path} is not a table: delete it and run again.") from None
    return None
