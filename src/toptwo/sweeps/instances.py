"""Instances by name, by array, or by a function of (K, seed)."""

from collections.abc import Callable
from typing import Any

import numpy as np

from toptwo import checks, problems
from toptwo.errors import InputError
from toptwo.problems import Means

Problem = Any
"""A name of `problems.PROBLEMS`, means of shape (K,) or (runs, K), or a function of (K, seed) that returns means."""


def make_instances(problem: Problem, arms: int | None, runs: int, seed: int) -> Means:
    """Return means of shape (K,) for one instance of all runs, or (runs, K).

    A function is called once for each run, with a seed of that run.

    Examples
    --------
    >>> make_instances("one-sparse", 3, 10, 0).tolist()
    [0.25, 0.0, 0.0]
    >>> make_instances(lambda arms, seed: np.random.default_rng(seed).normal(size=arms), 3, 10, 0).shape
    (10, 3)
    """
    if isinstance(problem, str):
        return problems.by_name(problem, runs, arms, seed)
    if callable(problem):
        return _called(problem, 10 if arms is None else arms, runs, seed)
    means = checks.means(problem)
    if arms is not None and means.shape[-1] != arms:
        raise InputError(
            f"arms={arms} does not fit the means given, which are of {means.shape[-1]} arms: leave it out."
        )
    if means.ndim == 2 and len(means) != runs:
        raise InputError(f"means of {len(means)} instances do for as many runs, not for {runs}: one row per run.")
    return means


def _called(problem: Callable[[int, int], Any], arms: int, runs: int, seed: int) -> Means:
    seeds = np.random.SeedSequence(seed).generate_state(runs, np.uint64)
    rows = [checks.means(problem(arms, int(own)), axes=(1,)) for own in seeds]
    if len({len(row) for row in rows}) > 1:
        raise InputError("the function that makes instances must return as many means each time.")
    return np.array(rows)


def runs_for(problem: Problem, runs: int | None, usual: int = 1000) -> int:
    """Return the number of runs: as told, or one for each instance given."""
    if runs is not None:
        return checks.whole("runs", runs, 1)
    if not isinstance(problem, str) and not callable(problem):
        means = checks.means(problem)
        return len(means) if means.ndim == 2 else usual
    return usual


def name_of(problem: Problem) -> str:
    """Return a problem in a word."""
    if isinstance(problem, str):
        return problem
    return str(getattr(problem, "__name__", "function")) if callable(problem) else "given means"
