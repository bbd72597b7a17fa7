"""Grids: values of each axis under names that tell them apart, and the points that they span."""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from toptwo import checks
from toptwo.errors import InputError
from toptwo.families import make_family
from toptwo.problems import Means
from toptwo.sweeps.instances import Problem, make_instances, name_of, runs_for
from toptwo.sweeps.points import Entrant, Point, distinct


@dataclass(frozen=True, eq=False)
class Instances:
    """Means made when they are asked for, from a problem and a number of arms."""

    problem: Problem
    arms: int | None

    def __call__(self, runs: int, seed: int) -> Means:
        """Return the means of so many runs."""
        return make_instances(self.problem, self.arms, runs, seed)


class Named(NamedTuple):
    """A value of an axis, and what it is called in tables: text for what is no number."""

    value: Any
    name: Any


class Axes(NamedTuple):
    """The values of one point of a grid."""

    problem: Named
    arms: Named
    family: Named
    delta: Named
    epsilon: Named
    threshold: Named

    def described(self) -> dict[str, Any]:
        """Return what is written into tables, by axis; the number of arms is known when there are instances."""
        return {axis: named.name for axis, named in zip(self._fields, self, strict=True) if axis != "arms"}

    def label(self) -> str:
        """Return a name of the point."""
        parts = [
            self.problem.name,
            *([f"K = {self.arms.value}"] if self.arms.value is not None else []),
            f"δ = {self.delta.value:g}",
            *([f"ε = {self.epsilon.value:g}"] if self.epsilon.value else []),
            self.family.name,
            self.threshold.name,
        ]
        return ", ".join(parts)


def grid(problem: Any, arms: Any, family: Any, delta: Any, epsilon: Any, threshold: Any) -> Iterator[Axes]:
    """Yield the points that axes span: of each one value, a list or row of them, or a dictionary by name.

    Examples
    --------
    >>> points = list(grid([[0.0, 1.0]], None, None, np.array([0.1, 0.01]), 0.0, "betting"))
    >>> [point.delta.name for point in points], points[0].problem.name
    ([0.1, 0.01], 'given means')
    """
    several = isinstance(problem, Mapping) or (isinstance(problem, list) and not _is_means(problem))
    axes = (
        _axis("problem", problem if several else [problem], name_of),
        _axis("arms", arms, None),
        _axis("family", family, lambda value: repr(make_family(value))),
        _axis("delta", delta, None),
        _axis("epsilon", epsilon, None),
        _axis("threshold", threshold, lambda value: value if isinstance(value, str) else repr(value)),
    )
    for chosen in itertools.product(*axes):
        yield Axes(*chosen)


def _axis(axis: str, given: Any, text: Callable[[Any], str] | None) -> list[Named]:
    """Return the values of an axis with their names: themselves, or a text each once."""
    if text is not None and isinstance(given, Mapping):
        values, names = list(given.values()), [str(name) for name in given]
    else:
        values = list(_several(given))
        names = values if text is None else distinct([text(value) for value in values])
    if not values:
        raise InputError(f"{axis} must have at least one value.")
    return [Named(*pair) for pair in zip(values, names, strict=True)]


def _several(given: Any) -> Sequence[Any]:
    """Return a list, tuple, range or row of values as it is, one value as a list."""
    if hasattr(given, "tolist") and np.ndim(given) <= 1:  # a row of NumPy or pandas, or a number of theirs
        given = given.tolist()
    several = isinstance(given, list | range) or type(given) is tuple  # rules are tuples of another kind
    return given if several else [given]


def _is_means(problem: list[Any]) -> bool:
    """Return whether a list is one of numbers, or of rows of numbers, and not one of problems."""
    return all(checks.is_number(entry) for entry in problem) or all(
        isinstance(entry, list | tuple) and all(checks.is_number(value) for value in entry) for entry in problem
    )


def point_of(
    axes: Axes, labels: Sequence[str], algorithms: Sequence[Any], *, runs: int | None, max_samples: int, chunk: int
) -> Point:
    """Return a point of a grid with its algorithms, checked."""
    problem, threshold = axes.problem.value, axes.threshold.value
    return Point(
        axes.label(),
        Instances(problem, axes.arms.value),
        tuple(Entrant(label, algorithm, threshold) for label, algorithm in zip(labels, algorithms, strict=True)),
        runs=runs_for(problem, runs),
        delta=checks.probability("delta", axes.delta.value),
        epsilon=checks.margin("epsilon", axes.epsilon.value),
        family=axes.family.value,
        chunk=chunk,
        max_samples=checks.whole("max_samples", max_samples, 1),
    )
