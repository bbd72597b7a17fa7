"""From cells to a table."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from toptwo import theory
from toptwo.engine.results import exact_interval
from toptwo.experiments.cells import cells_of
from toptwo.experiments.experiment import Experiment, Point
from toptwo.experiments.files import Arrays
from toptwo.experiments.store import Store
from toptwo.experiments.tables import QUANTILES, Table
from toptwo.problems import Means


def make_table(experiment: Experiment, size: str, seed: int, store: Store) -> tuple[Table, Arrays]:
    """Return the table of an experiment whose cells are all done, and its runs one by one."""
    points, runs = [], {}
    for point in experiment.points(size):
        found = _collect(point, seed, store)
        points.append(_point(point, seed, found))
        for label, arrays in found.items():
            for name in ("samples", "wrong", "seconds"):
                if name in arrays:
                    runs[f"{name}/{point.label}/{label}"] = arrays[name]
    content = {
        "experiment": experiment.name,
        "size": size,
        "seed": seed,
        "kind": "measurement" if experiment.measured(size) else "table",
        "points": points,
        "theory": experiment.theory(size, seed) if experiment.theory else {},
    }
    return Table(content), runs


def _collect(point: Point, seed: int, store: Store) -> dict[str, Arrays]:
    """Return the arrays of each algorithm, chunks joined."""
    parts: dict[str, list[Arrays]] = {}
    for cell in cells_of(point, seed):
        parts.setdefault(cell.entrant.label, []).append(store.read(cell))
    return {label: _join(chunks) for label, chunks in parts.items()}


def _join(chunks: list[Arrays]) -> Arrays:
    """Join runs end to end; counts at checkpoints add up."""
    joined = {}
    for name in chunks[0]:
        arrays = [chunk[name] for chunk in chunks]
        joined[name] = np.sum(arrays, axis=0) if name.endswith("_at") else np.concatenate(arrays)
    return joined


def _point(point: Point, seed: int, found: dict[str, Arrays]) -> dict[str, Any]:
    samples = np.array([arrays["samples"] for arrays in found.values()], float)
    return {
        "label": point.label,
        "value": point.value,
        "delta": point.delta,
        "runs": point.runs,
        "facts": facts(point.instances(point.runs, seed), point.delta),
        "rows": [_row(label, arrays, point) for label, arrays in found.items()],
        "covariance": _covariance(samples),
        "log_covariance": _covariance(np.log(samples)),
    }


def _covariance(values: NDArray[np.float64]) -> list[list[float]]:
    """Return the covariances over runs, from which the interval of any paired comparison follows."""
    spread = np.atleast_2d(np.cov(values)) if values.shape[1] > 1 else np.zeros((len(values),) * 2)
    return [[float(entry) for entry in row] for row in spread]


def _row(label: str, arrays: Arrays, point: Point) -> dict[str, Any]:
    samples: NDArray[Any] = arrays["samples"]
    runs, wrong = len(samples), int(arrays["wrong"].sum())
    row: dict[str, Any] = {
        "algorithm": label,
        "runs": runs,
        "mean": float(samples.mean()),
        "deviation": float(samples.std(ddof=1)) if runs > 1 else 0.0,
        "log_mean": float(np.log(samples).mean()),
        "quantiles": [float(value) for value in np.quantile(samples, QUANTILES)],
        "wrong": wrong,
        "undecided": int(arrays["undecided"].sum()),
        "error_interval": list(exact_interval(wrong, runs)),
    }
    if "pulls_of_best" in arrays:
        row["share_of_best"] = float((arrays["pulls_of_best"] / samples).mean())
    if point.checkpoints:
        row["errors"] = {
            "times": list(point.checkpoints),
            "running": arrays["running_at"].tolist(),
            "wrong": arrays["wrong_at"].tolist(),
        }
    if point.timed:
        seconds = arrays["seconds"]
        row["seconds"] = {"mean": float(seconds.mean()), "deviation": float(seconds.std(ddof=1))}
        row["seconds_per_sample"] = float(seconds.sum() / samples.sum())
    return row


def facts(means: Means, delta: float) -> dict[str, float]:
    """Return what theory says about instances, averaged over them.

    Examples
    --------
    >>> round(facts(np.array([0.25, 0.0, 0.0]), 0.1)["hardness"])
    96
    """
    rows = np.atleast_2d(means)
    fastest = np.asarray(theory.characteristic_time(rows))
    half = np.asarray(theory.characteristic_time(rows, 0.5))
    share = np.take_along_axis(theory.optimal_allocation(rows), rows.argmax(axis=1)[:, None], axis=1)[:, 0]
    return {
        "arms": rows.shape[1],
        "hardness": float(np.mean(theory.hardness(rows))),
        "hardness_one": float(np.mean(theory.hardness_one(rows))),
        "time": float(fastest.mean()),
        "time_half": float(half.mean()),
        "time_ratio": float((half / fastest).mean()),
        "share_of_best": float(share.mean()),
        "share_deviation": float(share.std()),
        "lower_bound": float(np.mean(theory.lower_bound(rows, delta))),
    }
