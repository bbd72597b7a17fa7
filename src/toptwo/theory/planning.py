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
from toptwo.families.base import for_arms
from toptwo.memory import laid_out, memory_of, zeros
from toptwo.records import prepared
from toptwo.rules.betting import Betting
from toptwo.rules.betting_arm_by_arm import BettingArmByArm
from toptwo.rules.betting_on_values import BettingOnValues
from toptwo.rules.looks import Least
from toptwo.rules.round import Round
from toptwo.rules.stopping import LikelihoodRatio, MixtureEvidence
from toptwo.rules.thresholds import DEFAULT_THRESHOLD, THRESHOLDS, stopping_rule
from toptwo.state import State, state_of
from toptwo.theory.arguments import FloatOrArray, Floats
from toptwo.theory.complexity import pair_rates
from toptwo.theory.expectations import Expected, allocations_of, is_expected, note, planned_law
from toptwo.theory.implicit import from_log, log_crossing
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
        lines += [sentence for sentence in (self.note, HEURISTIC_NOTE * (self.threshold == "heuristic")) if sentence]
        return "\n".join(lines)

    @property
    def note(self) -> str:
        """Return what the plan takes for granted of the rewards beyond their means; nothing where it needs nothing."""
        return note(self.family)

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
            **({"note": self.note} if self.note else {}),
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
    4Kσ²/Δ_min² for uniform Gaussian sampling. It is a first-order forecast: what finding that allocation costs comes on
    top, stopping early by luck comes off. Of `betting` it takes the pulls of the best arm as marked and no others
    (former leaders cost a little more), and adds the ½ that noise adds to evidence on average, which its low level
    feels. The lower bound is T* ln(1/(2.4δ)); with a margin it holds as δ → 0.

    Under unknown variances and for bounded rewards, T, the allocation and the evidence are worked out for rewards as
    the family simulates them: with the `sigma`, or the `spread`, that you expect.

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
        As in `characteristic_time`; bounded rewards and unknown variances are planned for as well.
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
    law = planned_law(family, sigma, values)
    best_shares, fixed_shares = allocations_of(law, values, share, epsilon)
    asked = PlannedQuestion(values, law, float(epsilon), risk, precisions, weights)
    rule = prepared(stopping_rule(threshold, risk, values.size, for_arms(law, values.size)))

    def row(name: str, allocation: Floats) -> PlanRow:
        rates = asked.rates(allocation)
        samples = _samples(_excess(rule, rates, asked), allocation)
        return PlanRow(name, float(1.0 / rates.min()), samples, tuple(allocation.tolist()))

    first = row("A-TTUCB", best_shares)
    floor = first.characteristic_time * max(0.0, -math.log(2.4 * risk))
    rows = (
        first._replace(name="lower bound", expected_samples=floor),
        first,
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

    def expected(self) -> Expected:
        """Return the statistics of arms that show just what they are."""
        return Expected(self.law, self.means, self.epsilon)

    def rates(self, allocation: Floats) -> Floats:
        """Return by how much the likelihood ratio of each pair grows with a sample."""
        if is_expected(self.law):
            return self.expected().rates(allocation)
        return pair_rates(self.means, allocation, self.law, self.epsilon)


def _excess(rule: Any, rates: Floats, asked: PlannedQuestion) -> Excess:
    """Return how far the statistics of all pairs are above what the rule asks for."""
    if isinstance(rule, LikelihoodRatio):
        level: Any = rule.level
        return lambda n, counts: np.log(rates) + math.log(n) - math.log(level.at(n))
    if asked.precisions is not None or asked.weights is not None:
        _check_mixture(rule, asked.law)
    if isinstance(rule, Betting | BettingArmByArm):
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
    """Return the same for the evidence that the family has at the statistics to be expected."""
    expected = asked.expected()

    def excess(n: float, counts: Floats) -> Floats:
        evidence = expected.against(expected.family.evidence, counts.tolist())
        return np.asarray(np.log(np.clip(evidence, TINY, HUGE)) - math.log(level))

    return excess


def _excess_of_bets(rule: Any, asked: PlannedQuestion) -> Excess:
    """Return the same for the wealth of a betting rule, every pull of the best arm bet on and no other."""
    expected, best = asked.expected(), asked.best

    def excess(n: float, counts: Floats) -> Floats:
        state = expected.state(counts.tolist())
        now = Round(2, best, best, 0.0, 1, asked.epsilon, state, expected.family, _bet_on(rule, state, expected))
        evidence = [_forecast_of(rule.least_wealth(arm, math.inf, now)) for arm in expected.others]
        return np.asarray(np.log(np.clip(evidence, TINY, HUGE)) - math.log(rule.level))

    return excess


def _forecast_of(least: Least) -> float:
    """Return ln wealth as it is on average: where no bound is proven, what the search found."""
    return (least.lower if least.lower > -math.inf else least.upper) + BY_NOISE


def _bet_on(rule: Any, state: State, expected: Expected) -> Any:
    """Return what a betting rule keeps if all pulls of the best arm were bet on."""
    best, empty = expected.best, lambda: state_of(expected.family, expected.arms)
    kept: Any = laid_out(memory_of(rule), expected.arms, zeros, family=empty)
    kept.entry[best] = 1.0
    if isinstance(rule, BettingArmByArm):
        return kept._replace(since=state)
    kept.marked[best] = kept.held[best] = float(state.counts[best])
    kept.anchor[best] = float(state.means[best])
    if isinstance(rule, BettingOnValues):
        return kept._replace(seen=expected.only_best(state), since=expected.only_best(state))
    return kept


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
