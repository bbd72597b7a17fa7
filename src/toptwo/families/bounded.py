"""Rewards in a known interval, of any law: no model at all (docs/families/bounded.md)."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from toptwo import checks
from toptwo.errors import InputError
from toptwo.families.base import MeanRange, part_of_cost
from toptwo.families.numerics.betting import bound_of_mean, cost_of_mean, pair_costs
from toptwo.families.numerics.draws import gamma_draw
from toptwo.families.numerics.proven_levels import log_odds
from toptwo.families.numerics.value_wealth import (
    ACCOUNT,
    CANDIDATE,
    OTHERS,
    OWN,
    add_gains,
    prepare_window,
    value_wealth,
)
from toptwo.families.numerics.wealth import Wager, betting_level
from toptwo.families.numerics.weighted_values import (
    Atoms,
    add_average,
    add_value,
    mean_of,
    room_for_atoms,
    variance_of_atoms,
)
from toptwo.families.numerics.without_model import redrawn_challenger, refusals
from toptwo.state import Row, State, add_batch, add_reward, recounted
from toptwo.streams import Random, unit

ATOMS = 32
"""Different values of an arm that are kept apart (docs/families/bounded.md says what more would gain)."""

CLEARLY = 1.0 + 1e-9
"""Factor that what the iterations leave open cannot make up for."""

FAR = 1024.0
"""An interval so many times its length from 0 is far away: means are then worked out from its parts."""

ROUNDING = 1e-15
"""More than the rounding error of a gap between means in [0, 1]."""

LESS = 1.0 - 1e-13
"""Factor that makes up for the rounding errors of a separation."""


class Universal(NamedTuple):
    """c(n, δ) = constant + 2 ln(1 + n/2): what a universal bettor on two arms may fall short of the best one.

    Examples
    --------
    >>> round(Universal(4.5).at(1000), 2)
    16.93
    """

    constant: float

    def at(self, n: int) -> float:
        """Return c(n, δ)."""
        return self.constant + 2.0 * math.log(1.0 + 0.5 * n)


def proven_level(delta: float, arms: int) -> Universal:
    """Return c(n, δ) = ln((K−1)/δ) + 2 ln(1 + n/2) (docs/families/bounded.md, theorem 1).

    Examples
    --------
    >>> round(proven_level(0.1, 10).at(1000), 2)
    16.93
    """
    return Universal(log_odds(delta, arms))


def regret(count: float) -> float:
    """Return ½ ln(1 + πN): what betting by the arcsine mixture may fall short of the best stake (lemma 2).

    Examples
    --------
    >>> round(regret(100), 3)
    2.877
    """
    return 0.5 * math.log1p(math.pi * count)


class Bounded(NamedTuple):
    """Rewards in [low, high], of any law; `spread`, from 0 to 1, scales the noise of simulated ones only.

    Up to 30 different values of an arm, and the two ends, are kept as they are. Beyond, values are shared between
    neighbours, which costs a little evidence and never the guarantee.

    Examples
    --------
    >>> import toptwo as tt
    >>> result = tt.simulate("TTUCB", [0.3, 0.8], family=tt.Bounded(), runs=100, seed=1)
    >>> bool(result.correct.mean() > 0.9)
    True
    """

    low: float = 0.0
    high: float = 1.0
    spread: float = 1.0

    def __repr__(self) -> str:
        noise = "" if self.spread == 1.0 else f", spread={self.spread}"
        return f"{type(self).__name__}(low={self.low}, high={self.high}{noise})"

    def validate(self) -> None:
        """Refuse an empty interval, and noise that would leave it."""
        for name, end in (("low", self.low), ("high", self.high)):
            if not checks.is_number(end) or not math.isfinite(end):
                raise InputError(f"{name} must be a finite number, not {end!r}: rewards of any law need known ends.")
        if not self.low < self.high:
            raise InputError(f"low must be below high, not {self.low:g} and {self.high:g}.")
        if not 0.0 <= checks.at_least("spread", self.spread, 0.0) <= 1.0:
            raise InputError(f"spread must be at most 1, not {self.spread:g}: rewards have to stay in the interval.")

    def assumption(self) -> str:
        """Return what the guarantee rests on, in words."""
        return f"independent measurements between {self.low:g} and {self.high:g}, of any law"

    def levels(self) -> dict[str, Callable[[float, int], Any]]:
        """Return the levels of the two universal bettors, and of bets on the leader (docs/families/bounded.md)."""
        return {"proven": proven_level, "mixture": log_odds, "betting": betting_level}

    def refuses(self) -> dict[str, str]:
        """Return what has no answer here."""
        return refusals("Dirichlet")

    def mirrored(self) -> "Bounded":
        """Return the law of the negated rewards."""
        return MirroredBounded(-self.high, -self.low, self.spread)

    def accepts(self, value: float) -> bool:
        """Return whether a value lies in the interval."""
        return self.low <= value <= self.high

    def support(self) -> str:
        """Return which values can occur."""
        return f"between {self.low:g} and {self.high:g}"

    def mean_range(self) -> MeanRange:
        """Return the interval."""
        return MeanRange(self.low, self.high)

    def memory(self) -> Atoms:
        """Return room for the atoms."""
        return room_for_atoms(ATOMS)

    def with_counts(self, counts: list[float], state: State) -> State:
        """Return the state with other counts; the atoms stay, since costs are averages over them times a count."""
        return recounted(counts, state.kept, state)

    def reward(self, arm: int, mean: float, bits: int) -> float:
        """Return μ + spread · (Y − μ), where Y is Beta(1, ·) or Beta(·, 1) of mean μ on the interval: most at one end.

        In units of the interval, Y = 1 − U^{p/(1−p)} for a mean of p up to ½, and U^{(1−p)/p} above.
        """
        place, log = (mean - self.low) / (self.high - self.low), math.log(unit(bits))
        if place <= 0.5:
            value = -math.expm1(log * place / (1.0 - place))
        else:
            value = math.exp(log * (1.0 - place) / place)
        return self.low + (self.high - self.low) * (place + self.spread * (value - place))

    def observe(self, arm: int, reward: float, state: State) -> None:
        """Update count, mean and atoms."""
        add_reward(arm, reward, state)
        add_value(arm, (reward - self.low) / (self.high - self.low), ATOMS, state)
        if abs(self.low) > FAR * (self.high - self.low):  # an average of such rewards would lose digits
            state.means[arm] = self.low + (self.high - self.low) * mean_of(arm, state)

    def deviation(self, arm: int, value: float, state: State) -> float:
        """Return N K_inf(F, value)."""
        place = min(max((value - self.low) / (self.high - self.low), 0.0), 1.0)
        return state.counts[arm] * cost_of_mean(arm, place, state)

    def separation(self, a: int, b: int, epsilon: float, state: State) -> float:
        """Return min over u of N_a K_inf(F_a, u) + N_b K_inf(F_b, u + ε)."""
        cost_a, cost_b = self._costs(a, b, epsilon, state)
        return cost_a + cost_b

    def _costs(self, a: int, b: int, epsilon: float, state: State) -> tuple[float, float]:
        """Return what each of the two arms contributes to their separation."""
        shift = epsilon / (self.high - self.low)
        gap = mean_of(a, state) + shift - mean_of(b, state)
        if gap == 0.0:
            return 0.0, 0.0
        ahead = gap > 0.0
        upper, lower = pair_costs(a if ahead else b, b if ahead else a, shift if ahead else -shift, state)
        return (upper, lower) if ahead else (lower, upper)

    def separation_surely_above(self, a: int, b: int, epsilon: float, level: float, state: State) -> bool:
        """Return whether the separation is above the level, by two bounds of K_inf(F, u) from below.

        With D the gap and Δ = |μ̂ − u| ≤ D: 2Δ² (Pinsker), and Δ²/(2(V + D² + D·r)) with r = μ̂_a, or 1 − μ̂_b
        (docs/families/bounded.md, lemma 4).
        """
        if min(state.counts[a], state.counts[b]) < 1.0:
            return False
        mean_a, mean_b = mean_of(a, state), mean_of(b, state)
        gap = mean_a - mean_b + epsilon / (self.high - self.low) - ROUNDING
        if gap <= 0.0:
            return False
        common = gap * gap
        noise_a = min(0.25, variance_of_atoms(a, state) + common + gap * mean_a)
        noise_b = min(0.25, variance_of_atoms(b, state) + common + gap * (1.0 - mean_b))
        return common > 2.0 * level * (noise_a * state.inverse[a] + noise_b * state.inverse[b]) * CLEARLY

    def evidence(self, a: int, b: int, epsilon: float, state: State) -> float:
        """Return the separation less what the mixtures over stakes may fall short of it, or 0 if negative."""
        if min(state.counts[a], state.counts[b]) < 1.0:
            return 0.0
        if mean_of(a, state) + epsilon / (self.high - self.low) <= mean_of(b, state):
            return 0.0
        price = regret(state.counts[a]) + regret(state.counts[b])
        return max(0.0, self.separation(a, b, epsilon, state) * LESS - price)

    def bets_rest_on(self) -> str:
        """Return "values": bets need all of them."""
        return "values"

    def observe_average(self, arm: int, average: float, size: int, state: State) -> None:
        """Take in several rewards of which only the average is known, as if they were as far apart as can be."""
        add_batch(arm, average, size, state)
        add_average(arm, (average - self.low) / (self.high - self.low), size, state)

    def bet_range(self, margin: float, side: float) -> tuple[float, float]:
        """Return the u in units of the interval for which u less the margin is in it as well."""
        shift = margin / (self.high - self.low)
        return max(0.0, shift), min(1.0, 1.0 + shift)

    def bet_start(self, low: float, top: float, side: float) -> tuple[float, float]:
        """Return the middle and half of the distance, in units of the interval."""
        width = self.high - self.low
        return (0.5 * (low + top) - self.low) / width, 0.5 * abs(top - low) / width

    def prepare_bets(self, arm: int, best: int, marked: State, held: State, state: State, room: Row) -> None:
        """Write down what the values give each side at each tilt, before the search for the least wealth.

        The largest tilt is about twice the gap over the smaller variance, where a bettor who knew the laws would bet.
        """
        prepare_window(self._farthest(arm, best, marked, state), room)
        for i in range(len(state.means)):
            if i != arm and marked.counts[i] > 0.0:
                add_gains(OWN if i == best else OTHERS, 1.0, i, marked, room)
        if held.counts[best] > 0.0:
            add_gains(ACCOUNT, 1.0, best, held, room)
        add_gains(CANDIDATE, -1.0, arm, state, room)

    def _farthest(self, arm: int, best: int, marked: State, state: State) -> float:
        """Return about the tilt of the best bet; any answer is valid."""
        spread = variance_of_atoms(arm, state)
        if marked.counts[best] > 0.0:
            spread = min(spread, variance_of_atoms(best, marked))
        return abs(state.means[best] - state.means[arm]) / (self.high - self.low) / spread

    def log_wealth(self, place: float, side: float, wager: Wager, room: Row) -> tuple[float, float]:
        """Return ln wealth and its derivative, once bets are prepared (docs/families/bounded.md, section 4)."""
        return value_wealth(place, wager.margin / (self.high - self.low), wager, room)

    def evidence_against_mean(self, arm: int, value: float, state: State) -> float:
        """Return N K_inf(F, value) less what a bettor on one side may fall short of it, and ln 2 for two sides."""
        return self.deviation(arm, value, state) * LESS - regret(state.counts[arm]) - math.log(2.0)

    def upper_bound(self, arm: int, width: float, state: State) -> float:
        """Return the largest u with N K_inf(F, u) ≤ width²/2 (Cappé et al., 2013)."""
        return self._bound(arm, 1.0, width, state)

    def bound_surely_below(self, arm: int, width: float, value: float, state: State) -> bool:
        """Return whether the upper bound of an arm is below a value, by the bounds of `separation_surely_above`."""
        place, mean = (value - self.low) / (self.high - self.low), mean_of(arm, state)
        gap = place - mean
        noise = min(0.25, variance_of_atoms(arm, state) + gap * gap + gap * (1.0 - place))
        return gap > 0.0 and gap * gap * state.counts[arm] > width * width * noise * CLEARLY

    def lower_bound(self, arm: int, width: float, state: State) -> float:
        """Return the least u with N K_inf(F, u) ≤ width²/2."""
        return self._bound(arm, -1.0, width, state)

    def _bound(self, arm: int, side: float, width: float, state: State) -> float:
        """Return the bound on one side, in the units of the rewards."""
        cost = 0.5 * width * width * state.inverse[arm]
        return self.low + (self.high - self.low) * bound_of_mean(arm, side, cost, state)

    def leader_share(self, leader: int, challenger: int, state: State) -> float:
        """Return the leader's part of the cost of bringing the two level."""
        own, other = self._costs(leader, challenger, 0.0, state)
        return part_of_cost(own, other, leader, challenger, state)

    def posterior_draw(self, arm: int, state: State, random: Random) -> float:
        """Return the mean of the arm's rewards and the two ends under Dirichlet weights (Riou and Honda, 2020).

        One reward at either end is added, as Jourdan et al. (2022) do for best-arm identification.
        """
        kept, last = state.kept, int(state.kept.number[arm]) - 1
        total, place = 0.0, 0.0
        for atom in range(last + 1):
            mass = kept.masses[atom][arm] + (1.0 if atom in (0, last) else 0.0)
            weight = gamma_draw(mass, random)
            total += weight
            place += weight * kept.values[atom][arm]
        return self.low + (self.high - self.low) * (place / total)

    def resample(self, leader: int, state: State, random: Random) -> int:
        """Return a challenger by bounded redraws (families/numerics/without_model.py)."""
        return redrawn_challenger(self, leader, state, random)


class MirroredBounded(Bounded):
    """Negated rewards in [low, high], for those who look for the lowest mean; speaks of rewards as they are measured.

    Examples
    --------
    >>> Bounded(0.0, 10.0).mirrored().support()
    'between 0 and 10'
    """

    def mirrored(self) -> Bounded:
        """Return the law of the rewards themselves."""
        return Bounded(-self.high, -self.low, self.spread)

    def assumption(self) -> str:
        """Return what the guarantee rests on, in words."""
        return self.mirrored().assumption()

    def support(self) -> str:
        """Return which values can occur, before they are negated."""
        return self.mirrored().support()
