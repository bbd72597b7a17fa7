"""The instances of the paper's experiments (section 4 and last appendix)."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from toptwo import checks
from toptwo.errors import InputError

Means = NDArray[np.float64]


def random_gaussian(runs: int, arms: int = 10, seed: int = 0) -> Means:
    """Return random instances: μ₁ = 0.6, the others uniform on [0.2, 0.5], one row per run.

    Examples
    --------
    >>> random_gaussian(3).shape
    (3, 10)
    """
    runs, arms = checks.whole("runs", runs, 1), _arms(arms)
    checks.room("runs", runs, runs * arms)
    others = np.random.default_rng(checks.whole("seed", seed, 0)).uniform(0.2, 0.5, (runs, arms - 1))
    return np.column_stack([np.full(runs, 0.6), others])


def one_sparse(arms: int, gap: float = 0.25) -> Means:
    """Return the 1-sparse instance: μ₁ = gap, the others 0 (Jamieson and Nowak, 2014).

    Examples
    --------
    >>> one_sparse(3).tolist()
    [0.25, 0.0, 0.0]
    """
    means = np.zeros(_arms(arms))
    means[0] = checks.at_least("gap", gap, 0.0, strict=True)
    return means


def alpha(arms: int, exponent: float) -> Means:
    """Return the α instance: μ_i = 1 − ((i−1)/(K−1))^α; the paper uses α = 0.3 and 0.6.

    Examples
    --------
    >>> alpha(3, 1.0).tolist()
    [1.0, 0.5, 0.0]
    """
    arms = _arms(arms)
    fraction = np.arange(arms) / (arms - 1)
    return np.asarray(1.0 - fraction ** checks.at_least("exponent", exponent, 0.0, strict=True))


def equal_means(arms: int = 35, gap: float = 0.5, best: float = 0.0) -> Means:
    """Return the equal-means instance: μ₁ = best, the others `gap` below, where T*_½/T* = r_K is largest.

    Examples
    --------
    >>> equal_means(3).tolist()
    [0.0, -0.5, -0.5]
    """
    means = np.full(_arms(arms), best - checks.at_least("gap", gap, 0.0, strict=True))
    means[0] = best
    return means


def close_competitors(runs: int, seed: int = 0) -> Means:
    """Return instances of K = 10 arms with five competitors about 1/20 and four about 1/10 below μ₁ = 0.6.

    Examples
    --------
    >>> gaps = 0.6 - close_competitors(2)[:, 1:]
    >>> bool((abs(gaps[:, :5] - 0.05) < 0.0003).all()), bool((abs(gaps[:, 5:] - 0.1) < 0.0006).all())
    (True, True)
    """
    runs = checks.whole("runs", runs, 1)
    checks.room("runs", runs, 10 * runs)
    noise = np.random.default_rng(checks.whole("seed", seed, 0)).uniform(size=(runs, 9))
    gaps = (0.995 + noise / 100.0) * np.repeat([1 / 20, 1 / 10], [5, 4])
    return np.column_stack([np.full(runs, 0.6), 0.6 - gaps])


def _arms(number: int) -> int:
    return checks.room("arms", checks.whole("arms", number, 2), number)


PROBLEMS = ("random", "one-sparse", "alpha-0.3", "alpha-0.6", "equal-means", "close-competitors")
"""Names that `by_name` and the command line know."""


def by_name(name: str, runs: int, arms: int | None = None, seed: int = 0) -> Means:
    """Return an instance of the paper by name, with the paper's number of arms unless told otherwise.

    Examples
    --------
    >>> by_name("one-sparse", 1, arms=3).tolist()
    [0.25, 0.0, 0.0]
    """
    usual = 10 if arms is None else arms
    makers: dict[str, Callable[[], Means]] = {
        "random": lambda: random_gaussian(runs, usual, seed),
        "one-sparse": lambda: one_sparse(usual),
        "alpha-0.3": lambda: alpha(usual, 0.3),
        "alpha-0.6": lambda: alpha(usual, 0.6),
        "equal-means": lambda: equal_means(35 if arms is None else arms),
        "close-competitors": lambda: close_competitors(runs, seed),
    }
    maker = checks.one_of("problem", name, makers)
    if checks.fold(name) == "closecompetitors" and arms not in (None, 10):
        raise InputError("problem 'close-competitors' has 10 arms; leave arms out.")
    return maker()
