"""How many samples will this take? The table to read before starting."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from toptwo import checks
from toptwo.errors import InputError
from toptwo.theory.arguments import FloatOrArray, Floats, gaps_of
from toptwo.theory.complexity import pair_rates, times_and_allocations
from toptwo.theory.divergences import FAMILIES
from toptwo.theory.implicit import from_log, log_crossing
from toptwo.theory.stopping_levels import (
    threshold_exponential,
    threshold_heuristic,
    threshold_mixture,
    threshold_proven,
)

Level = Callable[[float, Floats], FloatOrArray]

HEURISTIC_NOTE = "The heuristic threshold comes without a proof that the error probability stays below delta."


class PlanRow(NamedTuple):
    """One line of a plan: an algorithm, the time constant T of its allocation, and the samples it needs."""

    name: str
    characteristic_time: float
    expected_samples: float
    allocation: tuple[float, ...]


def amount(value: float) -> str:
    """Return a number of samples for a reader: whole and grouped, or in powers of ten beyond a million million.

    Examples
    --------
    >>> amount(15801.6), amount(2.4e13)
    ('15,802', '2.4e+13')
    """
    return f"{value:,.0f}" if value < 1e12 else f"{value:.3g}"


@dataclass(frozen=True, repr=False)
class Plan:
    """Expected numbers of samples for one instance; prints as a table.

    Parameters
    ----------
    means, delta, family, sigma, epsilon, beta, threshold
        The question, as given to `plan`.
    rows
        One `PlanRow` per line, the lower bound first.
    """

    means: tuple[float, ...]
    delta: float
    family: str
    sigma: float
    epsilon: float
    beta: float
    threshold: str
    rows: tuple[PlanRow, ...]

    @property
    def expected_samples(self) -> Mapping[str, float]:
        """Return the expected samples by name of the row."""
        return MappingProxyType({row.name: row.expected_samples for row in self.rows})

    def __str__(self) -> str:
        title = f"{len(self.means)} {self.family} arms, delta = {self.delta:g}, threshold {self.threshold}"
        if self.epsilon:
            title += f", any arm within {self.epsilon:g} of the best"
        width = max(len(row.name) for row in self.rows)
        lines = [title, f"{'':<{width}}  {'samples':>12}  {'time T':>12}  {'share of best':>13}"]
        best = int(np.argmax(self.means))
        for row in self.rows:
            samples, time = amount(row.expected_samples), amount(row.characteristic_time)
            lines.append(f"{row.name:<{width}}  {samples:>12}  {time:>12}  {row.allocation[best]:>13.3f}")
        if self.threshold == "heuristic":
            lines.append(HEURISTIC_NOTE)
        return "\n".join(lines)

    def __repr__(self) -> str:
        return str(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as plain lists and numbers, for JSON.

        Examples
        --------
        >>> plan([0.5, 0.2], 0.1).to_dict()["rows"][1]["name"]
        'TTUCB'
        """
        return {
            "means": list(self.means),
            "delta": self.delta,
            "family": self.family,
            "sigma": self.sigma,
            "epsilon": self.epsilon,
            "beta": self.beta,
            "threshold": self.threshold,
            "rows": [{**row._asdict(), "allocation": list(row.allocation)} for row in self.rows],
        }


def plan(
    means: ArrayLike,
    delta: float,
    *,
    beta: float = 0.5,
    threshold: str | None = None,
    family: str = "gaussian",
    sigma: float = 1.0,
    epsilon: float = 0.0,
    precisions: ArrayLike | None = None,
    weights: ArrayLike | None = None,
) -> Plan:
    """Return how many samples TTUCB, T3C and uniform sampling need on average, beside what no algorithm can beat.

    The samples n solve n = T·c(n, δ): the stopping statistic at the true means and at the algorithm's limiting
    allocation grows by 1/T a sample and has to reach the threshold c. T is T*_β for the two β-optimal algorithms
    (Theorem "asymptotic upper bound"), 4Kσ²/Δ_min² for uniform Gaussian sampling. It is a first-order forecast: what
    finding that allocation costs comes on top, stopping early by luck comes off. The lower bound is T* ln(1/(2.4δ));
    with a margin it holds as δ → 0.

    Parameters
    ----------
    means
        Guessed means of shape (K,), with one best arm unless `epsilon` is positive.
    delta
        Error probability.
    beta
        Share of the leader in TTUCB and T3C.
    threshold
        "mixture" (the default for Gaussian arms), "proven" (the default otherwise) or "heuristic" (no proof).
    family, sigma, epsilon
        As in `characteristic_time`.
    precisions, weights
        Grid of the mixture threshold, as in `threshold_mixture`.

    Examples
    --------
    >>> print(plan([0.6, 0.5, 0.45, 0.4, 0.3], 0.1, threshold="heuristic"))
    5 gaussian arms, delta = 0.1, threshold heuristic
                      samples        time T  share of best
    lower bound         1,419           994          0.413
    TTUCB               4,673         1,027          0.500
    T3C                 4,673         1,027          0.500
    uniform             9,236         2,000          0.200
    The heuristic threshold comes without a proof that the error probability stays below delta.
    """
    values = checks.means(means, axes=(1,))
    risk, share = checks.probability("delta", delta), checks.probability("beta", beta)
    kind = checks.one_of("family", family, {name: name for name in FAMILIES})
    usual = "mixture" if kind == "gaussian" else "proven"
    chosen = checks.one_of("threshold", threshold or usual, {name: name for name in ("proven", "mixture", "heuristic")})
    question: dict[str, Any] = {"family": kind, "sigma": sigma, "epsilon": epsilon}
    best_time, best_shares = times_and_allocations(values, None, **question)
    _, fixed_shares = times_and_allocations(values, share, **question)
    level = _level(chosen, kind, risk, values.size, int(gaps_of(values, epsilon).best), precisions, weights)

    def row(name: str, allocation: Floats) -> PlanRow:
        rates = pair_rates(values, allocation, **question)
        samples = _samples(rates, allocation, level)
        return PlanRow(name, float(1.0 / rates.min()), samples, tuple(allocation.tolist()))

    floor = float(best_time) * max(0.0, -math.log(2.4 * risk))
    rows = (
        PlanRow("lower bound", float(best_time), floor, tuple(best_shares.tolist())),
        row("TTUCB", fixed_shares),
        row("T3C", fixed_shares),
        row("uniform", np.full(values.size, 1.0 / values.size)),
    )
    return Plan(tuple(values.tolist()), risk, kind, float(sigma), float(epsilon), share, chosen, rows)


def _level(
    threshold: str,
    family: str,
    delta: float,
    arms: int,
    best: int,
    precisions: ArrayLike | None,
    weights: ArrayLike | None,
) -> Level:
    """Return the threshold as a function of n and of the counts, one level per pair or one for all."""
    if threshold == "heuristic":
        return lambda n, _: threshold_heuristic(n, delta)
    if threshold == "proven":
        proven = threshold_proven if family == "gaussian" else threshold_exponential
        return lambda n, _: proven(n, delta, arms)
    if family != "gaussian":
        raise InputError(f"threshold 'mixture' is planned for gaussian arms; for {family} arms take 'proven'.")
    return lambda _, counts: threshold_mixture(
        counts[best], counts, delta, arms, precisions=precisions, weights=weights
    )


def _samples(rates: Floats, allocation: Floats, level: Level) -> float:
    """Return the n at which every pair's statistic has reached its level; each arm is sampled at least once."""

    def balance(logarithm: float) -> float:
        # Thresholds grow like ln n: what they are beyond 1e304 samples does not matter, but they must stay finite.
        n = from_log(min(logarithm, 700.0))
        levels = np.asarray(level(n, np.maximum(1.0, n * allocation)))
        return float((np.log(rates) + logarithm - np.log(levels)).min())

    start = math.log(rates.size)
    level_reached = log_crossing(balance, start)
    return float(rates.size) if level_reached == start else from_log(level_reached)
