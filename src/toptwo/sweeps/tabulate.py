"""From cells to a table."""

import hashlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toptwo import theory
from toptwo.engine.results import exact_interval
from toptwo.families import make_family
from toptwo.problems import Means
from toptwo.sweeps.arrays import joined
from toptwo.sweeps.cells import Cell
from toptwo.sweeps.exact import exact
from toptwo.sweeps.files import Arrays
from toptwo.sweeps.points import Point, instances_of
from toptwo.sweeps.store import Store
from toptwo.sweeps.tables import QUANTILES
from toptwo.theory.complexity import lower_bound_of
from toptwo.theory.laws import why_unknown

Facts = Callable[[Means, float, Any, float], dict[str, float]]


def collected(point: Point, cells: Sequence[Cell], store: Store) -> dict[str, Arrays]:
    """Return the arrays of each algorithm at a point whose cells are all done, chunks joined."""
    parts: dict[str, list[Arrays]] = {entrant.label: [] for entrant in point.entrants}
    for cell in sorted(cells, key=lambda cell: cell.first):
        parts[cell.entrant.label].append(store.read(cell))
    return {label: joined(chunks) for label, chunks in parts.items()}


def bound(means: Means, delta: float, family: Any = None, epsilon: float = 0.0) -> dict[str, float]:
    """Return the number of arms and the lower bound, which is all that a sweep asks theory for."""
    rows = np.atleast_2d(means)
    return {"arms": rows.shape[1], "lower_bound": lower_bound(rows, delta, family, epsilon)}


def content_of(point: Point, seed: int, found: dict[str, Arrays], known: Facts) -> dict[str, Any]:
    """Return what a table says of a point, given the runs of each algorithm and what to ask theory for."""
    samples = np.array([arrays["samples"] for arrays in found.values()], float)
    return {
        "label": point.label,
        "value": point.value,
        "delta": point.delta,
        "runs": point.runs,
        "facts": known(instances_of(point, seed), point.delta, point.family, point.epsilon),
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
        "tail": float(np.quantile(samples, 0.99)),
        "longest": float(samples.max()),
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


def facts(means: Means, delta: float, family: Any = None, epsilon: float = 0.0) -> dict[str, float]:
    """Return what theory says about instances, averaged over them: as much as is known under the family.

    Examples
    --------
    >>> round(facts(np.array([0.25, 0.0, 0.0]), 0.1)["hardness"])
    96
    """
    rows, found = np.atleast_2d(means), bound(means, delta, family, epsilon)
    if not found["lower_bound"]:
        return found
    law = make_family(family)
    fastest = characteristic_times(rows, law)
    half = np.asarray(theory.characteristic_time(rows, 0.5, family=law))
    allocation = theory.optimal_allocation(rows, family=law)
    share = np.take_along_axis(allocation, rows.argmax(axis=1)[:, None], axis=1)[:, 0]
    if family is None:
        found["hardness"] = float(np.mean(theory.hardness(rows)))
        found["hardness_one"] = float(np.mean(theory.hardness_one(rows)))
    return found | {
        "time": float(fastest.mean()),
        "time_half": float(half.mean()),
        "time_ratio": float((half / fastest).mean()),
        "share_of_best": float(share.mean()),
        "share_deviation": float(share.std()),
    }


def lower_bound(means: Means, delta: float, family: Any = None, epsilon: float = 0.0) -> float:
    """Return the lower bound T* ln(1/(2.4 δ)) on the expected samples, averaged over instances; 0 where it is unknown.

    Examples
    --------
    >>> lower_bound(np.array([0.5, 0.5]), 0.1)
    0.0
    """
    law = make_family(family)
    ranked = np.sort(np.atleast_2d(means))
    tied = (ranked[:, -1] == ranked[:, -2]).any()  # the bound is infinite: no number of samples is enough
    if tied or epsilon > 0.0 or delta >= 1 / 2.4 or why_unknown(law):
        return 0.0
    return float(np.mean(lower_bound_of(characteristic_times(np.atleast_2d(means), law), delta)))


_times: dict[tuple[Any, ...], NDArray[np.float64]] = {}
"""Characteristic times of the instances asked for last: points of a grid share them."""

REMEMBERED = 4


def characteristic_times(rows: Means, law: Any) -> NDArray[np.float64]:
    """Return the characteristic time of each instance."""
    key = (hashlib.sha256(rows.tobytes()).digest(), rows.shape, type(law), exact(law))
    if key not in _times:
        if len(_times) == REMEMBERED:
            del _times[next(iter(_times))]
        _times[key] = np.asarray(theory.characteristic_time(rows, family=law))
    return _times[key]


def expected_samples(point: Point, seed: int) -> float:
    """Return a guess of the samples of a run, up to a factor: the lower bound over some instances."""
    few = instances_of(point, seed)[:200]
    return lower_bound(few, point.delta, point.family) or float(min(point.max_samples, 100_000))
