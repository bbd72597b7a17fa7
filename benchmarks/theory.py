"""How long the theory takes: the limits that the project promises, and what lies around them."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.measure import Table, verdict
from toptwo import theory


def fastest(call: Callable[[], Any], repeats: int = 7) -> float:
    """Return the shortest of some timings in seconds, after one call to warm up."""
    call()
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def measure() -> list[tuple[str, float, float | None]]:
    """Return (what, seconds, promised limit in seconds or None)."""
    rng = np.random.default_rng(0)
    many, large = rng.normal(size=(5000, 10)), rng.normal(size=1_000_000)
    single, inside = many[0], rng.uniform(0.05, 0.95, size=(500, 10))

    def both(means: Any, beta: float | None = None) -> None:
        theory.characteristic_time(means, beta)
        theory.optimal_allocation(means, beta)

    return [
        ("T* and w*, 5000 instances of K = 10", fastest(lambda: both(many)), 0.05),
        ("T*_½ and w*_½, 5000 instances of K = 10", fastest(lambda: both(many, 0.5)), 0.05),
        ("T* and w*, one instance of K = 1 000 000", fastest(lambda: both(large), 3), 1.0),
        ("T*_½ and w*_½, one instance of K = 1 000 000", fastest(lambda: both(large, 0.5), 3), 1.0),
        ("T* and w*, one instance of K = 10", fastest(lambda: both(single)), None),
        ("T* Bernoulli, 500 instances of K = 10", fastest(bernoulli_call(inside), 3), None),
        ("general upper bound, one instance of K = 10", fastest(lambda: theory.upper_bound(single, 0.05)), None),
        ("plan, one instance of K = 10", fastest(lambda: theory.plan(single, 0.05)), None),
    ]


def bernoulli_call(means: Any) -> Callable[[], Any]:
    """Return the call to time for another family."""
    return lambda: theory.characteristic_time(means, family="bernoulli")


def tables(quick: bool) -> list[Table]:
    """Return the timings beside their limits."""
    table = Table("Theory", ("what", "ms", "bar", ""), note="Best of several calls, one thread.")
    for what, seconds, limit in measure():
        judged = ("", "") if limit is None else (f"< {1000.0 * limit:.0f}", verdict(seconds, limit))
        table.rows.append((what, f"{1000.0 * seconds:.2f}", *judged))
    return [table]
