"""Laws whose times no formula gives: unknown variances and bounded rewards, taken as their simulated rewards are.

What the family keeps of rewards is worked out as it is expected to be; what it answers then, separation and evidence,
is what a study would see if its arms showed just what they are. Separations per sample give T and the allocation.
"""

import statistics
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from toptwo import checks
from toptwo.errors import InputError
from toptwo.families import Bounded, Gaussian, GaussianUnknownVariance, make_family
from toptwo.families.base import check_means, for_arms, with_counts
from toptwo.state import Row, State, recounted, state_of
from toptwo.theory.arguments import Floats
from toptwo.theory.complexity import times_and_allocations
from toptwo.theory.laws import law_of

PARTS = 25
"""Quantiles that stand for a law on an interval: fewer than the family keeps apart."""

MANY = 1e15
"""Pulls of the best arm in whose units those of others are looked for."""

HALVINGS, FINE = 36, 32
"""Steps of a search for a share, and of one for the best level: T is flat there."""

REACH = 15.0
"""Logarithm of the quotient of the largest and the least level looked at."""

GOLDEN = 0.5 * (5.0**0.5 - 1.0)


def planned_law(family: Any, sigma: Any, means: Floats) -> Any:
    """Return the family meant by a name or an object, and by `sigma` if it is not given there.

    Examples
    --------
    >>> planned_law("unknown-variance", 0.5, np.array([0.0, 1.0]))
    GaussianUnknownVariance(sigma=0.5)
    """
    law = make_family(family)
    if not is_expected(law):
        return law_of(family, sigma)
    check_means(law, means)
    if sigma is None:
        return law
    if isinstance(law, Bounded):
        raise InputError(f"sigma belongs to Gaussian families: leave it out for {law!r}.")
    given = checks.at_least("sigma", sigma, 0.0, strict=True)
    if law.sigma not in (1.0, given):
        raise InputError(f"sigma is given twice: leave it out beside family={law!r}.")
    return law._replace(sigma=given)


def is_expected(law: Any) -> bool:
    """Return whether a law is one of those that this module is about."""
    return isinstance(law, GaussianUnknownVariance | Bounded)


def note(law: Any) -> str:
    """Return what a reader of a plan has to know of such a law; nothing for the others."""
    if isinstance(law, GaussianUnknownVariance):
        sigma = ", ".join(f"{one:g}" for one in (law.sigma if isinstance(law.sigma, Iterable) else (law.sigma,)))
        return f"Planned for sigma = {sigma}, which the study does not know: give the one that you expect."
    if isinstance(law, Bounded):
        return f"Planned for the rewards that {law!r} simulates: with less spread it takes fewer."
    return ""


def typical(law: Any, arm: int, mean: float) -> list[float]:
    """Return a few rewards of an arm with the mean of all and their spread.

    Examples
    --------
    >>> typical(GaussianUnknownVariance(2.0), 0, 1.0)
    [-1.0, 3.0]
    >>> round(statistics.fmean(typical(Bounded(), 0, 0.3)), 12)
    0.3
    """
    if isinstance(law, Bounded):
        values = [law.reward(arm, mean, (2 * part + 1) * 2**63 // PARTS) for part in range(PARTS)]
        average = statistics.fmean(values)
        end = law.low if average > mean else law.high  # towards which they are moved a little
        shrunk = (mean - end) / (average - end) if average != end else 1.0
        return [end + (value - end) * shrunk for value in values]
    sigma = law.sigma[arm] if isinstance(law.sigma, Sequence) else law.sigma
    return [mean - sigma, mean + sigma]


class Expected:
    """The statistics of arms that show just what their law makes one expect."""

    def __init__(self, law: Any, means: Floats, epsilon: float = 0.0) -> None:
        self.arms, self.best, self.epsilon = means.size, int(np.argmax(means)), epsilon
        self.others = [arm for arm in range(self.arms) if arm != self.best]
        self.family = for_arms(law, self.arms)
        self._seen = state_of(self.family, self.arms)
        for arm, mean in enumerate(means.tolist()):
            for value in typical(self.family, arm, mean) if is_expected(law) else [mean]:
                self.family.observe(arm, value, self._seen)

    def state(self, counts: Sequence[float]) -> State:
        """Return the statistics after so many pulls of each arm."""
        if not isinstance(self.family, Bounded):
            return with_counts(self.family, list(counts), self._seen)
        growth = [count / seen for count, seen in zip(counts, self._seen.counts, strict=True)]

        def grow(row: Row) -> list[float]:
            return [number * factor for number, factor in zip(row, growth, strict=True)]

        kept = self._seen.kept
        masses = [grow(row) for row in kept.masses]
        grown = kept._replace(total=grow(kept.total), sum=grow(kept.sum), squares=grow(kept.squares), masses=masses)
        return recounted(list(counts), grown, self._seen)

    def only_best(self, state: State) -> State:
        """Return the statistics as if no other arm had been pulled."""
        return state._replace(counts=[count * (arm == self.best) for arm, count in enumerate(state.counts)])

    def against(self, ask: Callable[[int, int, float, State], float], counts: Sequence[float]) -> Floats:
        """Return what the family answers about the best arm and each of the others."""
        state = self.state(counts)
        return np.array([ask(self.best, arm, self.epsilon, state) for arm in self.others])

    # --- times ------------------------------------------------------------------------------------------------------
    def rates(self, allocation: Floats) -> Floats:
        """Return by how much the separations of all pairs grow with a sample."""
        return self.against(self.family.separation, (MANY * allocation).tolist()) / MANY

    def allocation(self, beta: float | None) -> Floats:
        """Return the allocation of least T, or of the least with this share for the best arm.

        With x_a pulls of arm a for one of the best arm, all separations are some y at the optimum. x is convex in y, so
        that T = (1 + Σ x_a)/y falls and then rises, and the share 1/(1 + Σ x_a) falls.
        """
        high = float(np.log(self._costs(np.full(self.arms - 1, 35.0)).min()))
        low = high - REACH
        if beta is not None:
            for _ in range(HALVINGS):
                middle = 0.5 * (low + high)
                low, high = (middle, high) if self._pulls(middle).sum() < (1.0 - beta) / beta else (low, middle)
            return self._shares(0.5 * (low + high))
        left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
        at_left, at_right = self._log_time(left), self._log_time(right)
        for _ in range(FINE):
            if at_left < at_right:
                high, right, at_right = right, left, at_left
                left = high - GOLDEN * (high - low)
                at_left = self._log_time(left)
            else:
                low, left, at_left = left, right, at_right
                right = low + GOLDEN * (high - low)
                at_right = self._log_time(right)
        return self._shares(0.5 * (low + high))

    def _log_time(self, level: float) -> float:
        return float(np.log1p(self._pulls(level).sum())) - level

    def _shares(self, level: float) -> Floats:
        weights = np.insert(self._pulls(level), self.best, 1.0)
        shares: Floats = weights / weights.sum()
        return shares

    def _pulls(self, level: float) -> Floats:
        """Return x_a of each arm but the best at ln y = level."""
        low, high = np.full(self.arms - 1, -30.0), np.full(self.arms - 1, 35.0)
        for _ in range(HALVINGS):
            middle = 0.5 * (low + high)
            enough = np.log(np.maximum(self._costs(middle), 1e-300)) >= level
            low, high = np.where(enough, low, middle), np.where(enough, middle, high)
        pulls: Floats = np.exp(high)
        return pulls

    def _costs(self, levels: Floats) -> Floats:
        """Return the separations for one pull of the best arm, at ln x of the others."""
        return self.against(self.family.separation, np.insert(MANY * np.exp(levels), self.best, MANY).tolist()) / MANY


def allocations_of(law: Any, means: Floats, beta: float, epsilon: float) -> tuple[Floats, Floats]:
    """Return the best allocation and the best one with a share β for the best arm.

    Examples
    --------
    >>> best, fixed = allocations_of(Gaussian(), np.array([0.0, 1.0, 0.2]), 0.5, 0.0)
    >>> best.round(3), float(fixed[1])
    (array([0.186, 0.428, 0.386]), 0.5)
    """
    if not is_expected(law):
        both = (times_and_allocations(means, share, law, epsilon)[1] for share in (None, beta))
        return next(both), next(both)
    times_and_allocations(means, None, Gaussian(), epsilon)  # refuses what no number of samples decides
    expected = Expected(law, means, epsilon)
    return expected.allocation(None), expected.allocation(beta)
