"""How long the theory takes: the limits that the project promises, and what lies around them."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np

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


def main() -> bool:
    """Print the table and return whether every promise was kept."""
    kept = True
    print(f"{'theory':<48}  {'ms':>9}  {'limit':>7}")
    for what, seconds, limit in measure():
        late = limit is not None and seconds > limit
        kept = kept and not late
        shown = "" if limit is None else f"{1000.0 * limit:.0f}"
        print(f"{what:<48}  {1000.0 * seconds:>9.2f}  {shown:>7}{'  TOO SLOW' if late else ''}")
    return kept


if __name__ == "__main__":
    raise SystemExit(0 if main() else 1)
