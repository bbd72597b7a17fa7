"""How many samples will this take? The table to read before starting."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from toptwo import checks
from toptwo.errors import InputError
from toptwo.families import Gaussian, family_name
from toptwo.families.base import for_arms, with_counts
from toptwo.memory import laid_out, memory_of, zeros
from toptwo.records import prepared
from toptwo.rules.betting import Betting, Marked, least_wealth
from toptwo.rules.round import Round
from toptwo.rules.stopping import LikelihoodRatio, MixtureEvidence
from toptwo.rules.thresholds import DEFAULT_THRESHOLD, THRESHOLDS, stopping_rule
from toptwo.state import State, state_of
from toptwo.theory.arguments import FloatOrArray, Floats
from toptwo.theory.complexity import pair_rates, times_and_allocations
from toptwo.theory.implicit import from_log, log_crossing
from toptwo.theory.laws import law_of
from toptwo.theory.stopping_levels import threshold_mixture

Excess = Callable[[float, Floats], Floats]
"""ln(statistic/level) of every pair as a function of n and of the counts."""

TINY, HUGE = 1e-300, 1e300

BY_NOISE = 0.5
"""What noise adds to a likelihood ratio, and to ln wealth, on average: half the square of a standard normal."""

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
    means, delta, family, epsilon, beta, threshold
        The question as it was understood: the family as an object, the threshold by name if it has one.
    rows
        One `PlanRow` per line, the lower bound first.
    """

    means: tuple[float, ...]
    delta: float
    family: Any
    epsilon: float
    beta: float
    threshold: str
    rows: tuple[PlanRow, ...]

    @property
    def expected_samples(self) -> Mapping[str, float]:
        """Return the expected samples by name of the row."""
        return MappingProxyType({row.name: row.expected_samples for row in self.rows})

    def __str__(self) -> str:
        title = f"{len(self.means)} {family_name(self.family)} arms, delta = {self.delta:g}, threshold {self.threshold}"
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
        'A-TTUCB'
        """
        return {
            "means": list(self.means),
            "delta": self.delta,
            "family": family_name(self.family),
            "parameters": parameters(self.family),
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
    threshold: Any = DEFAULT_THRESHOLD,
    family: Any = None,
    sigma: float | None = None,
    epsilon: float = 0.0,
    precisions: ArrayLike | None = None,
    weights: ArrayLike | None = None,
) -> Plan:
    """Return how many samples A-TTUCB, TTUCB, T3C and uniform sampling need on average, and what none can beat.

    The samples n solve n = T·c(n, δ): the stopping statistic at the true means and at the algorithm's limiting
    allocation grows by 1/T a sample and has to reach the threshold c. T is T* for A-TTUCB, by which studies choose
    what to measure unless told otherwise, T*_β for the two β-optimal algorithms (Theorem "asymptotic upper bound"),
    4Kσ²/Δ_min² for uniform Gaussian sampling. It is a first-order forecast: what
    finding that allocation costs comes on top, stopping early by luck comes off. Of `betting` it takes the pulls of the
    best arm as marked and no others (former leaders cost a little more), and adds the ½ that noise adds to evidence on
    average, which its low level feels. The lower bound is T* ln(1/(2.4δ));
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
        What the study will stop by, the study's default unless given: a name or your own level c(n, δ).
    family, sigma, epsilon
        As in `characteristic_time`.
    precisions, weights
        Grid of the Gaussian mixture threshold, as in `threshold_mixture`.

    Examples
    --------
    >>> print(plan([0.6, 0.5, 0.45, 0.4, 0.3], 0.1, threshold="heuristic"))
    5 gaussian arms, delta = 0.1, threshold heuristic
                      samples        time T  share of best
    lower bound         1,419           994          0.413
    A-TTUCB             4,520           994          0.413
    TTUCB               4,673         1,027          0.500
    T3C                 4,673         1,027          0.500
    uniform             9,236         2,000          0.200
    The heuristic threshold comes without a proof that the error probability stays below delta.
    """
    values = checks.means(means, axes=(1,))
    risk, share = checks.probability("delta", delta), checks.probability("beta", beta)
    law = law_of(family, sigma)
    best_time, best_shares = times_and_allocations(values, None, law, epsilon)
    _, fixed_shares = times_and_allocations(values, share, law, epsilon)
    asked = PlannedQuestion(values, law, float(epsilon), risk, precisions, weights)
    rule = prepared(stopping_rule(threshold, risk, values.size, for_arms(law, values.size)))

    def row(name: str, allocation: Floats) -> PlanRow:
        rates = pair_rates(values, allocation, law, epsilon)
        samples = _samples(_excess(rule, rates, asked), allocation)
        return PlanRow(name, float(1.0 / rates.min()), samples, tuple(allocation.tolist()))

    floor = float(best_time) * max(0.0, -math.log(2.4 * risk))
    rows = (
        PlanRow("lower bound", float(best_time), floor, tuple(best_shares.tolist())),
        row("A-TTUCB", best_shares),
        row("TTUCB", fixed_shares),
        row("T3C", fixed_shares),
        row("uniform", np.full(values.size, 1.0 / values.size)),
    )
    return Plan(tuple(values.tolist()), risk, law, float(epsilon), share, threshold_name(threshold), rows)


class PlannedQuestion(NamedTuple):
    """What a plan is about."""

    means: Floats
    law: Any
    epsilon: float
    delta: float
    precisions: ArrayLike | None
    weights: ArrayLike | None

    @property
    def best(self) -> int:
        """Return the best arm."""
        return int(np.argmax(self.means))


def _excess(rule: Any, rates: Floats, asked: PlannedQuestion) -> Excess:
    """Return how far the statistics of all pairs are above what the rule asks for."""
    if isinstance(rule, LikelihoodRatio):
        level: Any = rule.level
        return lambda n, counts: np.log(rates) + math.log(n) - math.log(level.at(n))
    if asked.precisions is not None or asked.weights is not None:
        _check_mixture(rule, asked.law)
    if isinstance(rule, Betting):
        return _excess_of_bets(rule, asked)
    if not isinstance(rule, MixtureEvidence):
        raise InputError(
            f"threshold {type(rule).__name__} decides by what it has seen on the way, which no plan knows: plan with "
            "'betting', 'mixture', 'proven', 'heuristic' or a level of your own with a method at(n)."
        )
    if isinstance(asked.law, Gaussian) and not isinstance(asked.law.sigma, Iterable):
        return lambda n, counts: np.log(rates) + math.log(n) - np.log(_gaussian_level(counts, asked))
    return _excess_of_evidence(rule.level, asked)


def _check_mixture(rule: Any, law: Any) -> None:
    """Refuse a grid for anything but the mixture it belongs to."""
    if not isinstance(rule, MixtureEvidence) or not isinstance(law, Gaussian) or isinstance(law.sigma, Iterable):
        raise InputError("precisions and weights are those of the Gaussian mixture with one sigma: leave them out.")


def _gaussian_level(counts: Floats, asked: PlannedQuestion) -> FloatOrArray:
    grid = {"precisions": asked.precisions, "weights": asked.weights}
    return threshold_mixture(counts[asked.best], counts, asked.delta, counts.size, **grid)


def _excess_of_evidence(level: float, asked: PlannedQuestion) -> Excess:
    """Return the same for the evidence that the family has at the true means."""
    arms, best = asked.means.size, asked.best
    family, seen = _seen_once(asked)

    def excess(n: float, counts: Floats) -> Floats:
        state = with_counts(family, counts.tolist(), seen)
        evidence = [family.evidence(best, arm, asked.epsilon, state) for arm in range(arms) if arm != best]
        return np.asarray(np.log(np.clip(evidence, TINY, HUGE)) - math.log(level))

    return excess


def _excess_of_bets(rule: Betting, asked: PlannedQuestion) -> Excess:
    """Return the same for the wealth of the betting rule, every pull of the best arm marked and no other."""
    arms, best = asked.means.size, asked.best
    family, seen = _seen_once(asked)

    def excess(n: float, counts: Floats) -> Floats:
        state = with_counts(family, counts.tolist(), seen)
        kept: Marked = laid_out(memory_of(rule), arms, zeros)
        kept.marked[best] = kept.held[best] = float(counts[best])
        kept.anchor[best] = float(asked.means[best])
        kept.entry[best] = 1.0
        now = Round(2, best, best, 0.0, 1, asked.epsilon, state, family, kept)
        evidence = [least_wealth(arm, math.inf, now).lower + BY_NOISE for arm in range(arms) if arm != best]
        return np.asarray(np.log(np.clip(evidence, TINY, HUGE)) - math.log(rule.level))

    return excess


def _seen_once(asked: PlannedQuestion) -> tuple[Any, State]:
    """Return the family, and a state of one reward an arm, equal to its mean: what it sums up grows with the counts."""
    family = for_arms(asked.law, asked.means.size)
    seen = state_of(family, asked.means.size)
    for arm in range(asked.means.size):
        family.observe(arm, float(asked.means[arm]), seen)
    return family, seen


def _samples(excess: Excess, allocation: Floats) -> float:
    """Return the n at which the worst pair has reached its level; each arm is sampled at least once."""

    def balance(logarithm: float) -> float:
        # Thresholds grow like ln n: what they are beyond 1e304 samples does not matter, but they must stay finite.
        n = from_log(min(logarithm, 700.0))
        return float(excess(n, np.maximum(1.0, n * allocation)).min()) + logarithm - math.log(n)

    start = math.log(allocation.size)
    level_reached = log_crossing(balance, start)
    return float(allocation.size) if level_reached == start else from_log(level_reached)


def threshold_name(threshold: Any) -> str:
    """Return how a threshold is called.

    Examples
    --------
    >>> threshold_name("Heuristic")
    'heuristic'
    """
    if isinstance(threshold, str):
        return checks.one_of("threshold", threshold, {name: name for name in THRESHOLDS})
    return str(getattr(threshold, "__name__", type(threshold).__name__))


def parameters(law: Any) -> dict[str, Any]:
    """Return the parameters of a family as plain data.

    Examples
    --------
    >>> parameters(Gaussian([1.0, 2.0]))
    {'sigma': [1.0, 2.0]}
    """
    return {
        name: np.asarray(value, dtype=np.float64).tolist()
        for name, value in law._asdict().items()
        if checks.is_number(value) or isinstance(value, Iterable)
    }
