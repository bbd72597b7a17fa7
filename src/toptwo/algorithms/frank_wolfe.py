"""FWS: Frank–Wolfe sampling (Wang, Tzeng and Proutiere, 2021).

The allocation x climbs F(x) = min_j f_j(x), f_j(x) = inf over u of x_b d(μ̂_b, u) + x_j d(μ̂_j, u), by steps of size 1/t
towards the corner of the simplex, or the face, on which the smallest of the nearly minimal f_j grows most.
"""

import math
from typing import NamedTuple

from toptwo.algorithms.track_and_stop import tied_with_best
from toptwo.memory import per_arm
from toptwo.rules.game import solve
from toptwo.rules.round import Round, highest
from toptwo.rules.schedules import Schedule
from toptwo.state import Row
from toptwo.streams import Random


class Climb(NamedTuple):
    """What Frank–Wolfe sampling keeps."""

    allocation: Row = per_arm()
    """Ktx: whole numbers as long as steps lead to corners or the centre, so that equal shares stay equal."""
    cost: Row = per_arm()
    """f_j(x); negative for an arm that is not at play."""
    slope_best: Row = per_arm()
    """The derivative of f_j in x_b."""
    slope_own: Row = per_arm()
    """The derivative of f_j in x_j."""


class Radius(NamedTuple):
    """t^{−0.9}: K r_t, how far above the minimum an f_j still counts as nearly minimal (their experiments)."""

    def at(self, n: int) -> float:
        """Return n^{−0.9}."""
        return math.exp(-0.9 * math.log(n))


class FrankWolfe(NamedTuple):
    """Follow an allocation that climbs the lower bound's objective; asymptotically optimal."""

    radius: Schedule = Radius()
    random_ties: bool = True

    def requires(self) -> tuple[str, ...]:
        """Return what it asks of the family."""
        return ("divergence",)

    def memory(self) -> Climb:
        """Return the allocation, the objective and its slopes."""
        return Climb()

    def next_pull(self, now: Round, random: Random) -> tuple[int, int]:
        """Move the allocation and return argmax x_i/N_i; nobody leads."""
        x = now.mine.allocation
        arms, pulls = len(x), now.number - 1
        if pulls == arms:
            for i in range(arms):
                x[i] = arms - 1.0
        if forced(pulls // arms) or tied_with_best(now) > 1:
            for i in range(arms):
                x[i] += 1.0
        else:
            self.climb(now)
        return -1, highest(self, -1, 0.0, now, random)

    def score(self, arm: int, other: int, level: float, now: Round) -> float:
        """Return how far an arm's count is behind its share."""
        return now.mine.allocation[arm] / now.state.counts[arm]

    def climb(self, now: Round) -> None:
        """Take a step towards the best reply to the nearly minimal f_j."""
        mine, best = now.mine, now.best
        x, cost = mine.allocation, mine.cost
        lowest = slopes(now)
        reach = lowest + self.radius.at(now.number - 1) / len(x)
        for i in range(len(x)):
            if i == best or not cost[i] < reach:
                cost[i] = -1.0
        share, value = solve(cost, mine.slope_best, mine.slope_own)
        for i in range(len(x)):
            step = share if i == best else 0.0
            if cost[i] >= 0.0:
                step = max(0.0, (value + cost[i] - share * mine.slope_best[i]) / mine.slope_own[i])
            x[i] += len(x) * step


def forced(turn: int) -> bool:
    """Return whether a round is for exploration: ⌊t/K⌋ is a perfect square."""
    root = int(math.sqrt(turn) + 0.5)
    return root * root == turn


def slopes(now: Round) -> float:
    """Write f_j(x) and its derivatives for every arm but the best; return the least f_j.

    The derivatives are d(μ̂_b, u) and d(μ̂_j, u) at the pooled mean u, and f_j is linear along rays: f_j = ⟨x, ∇f_j⟩.
    """
    mine, best, means = now.mine, now.best, now.state.means
    x, lowest, scale = mine.allocation, math.inf, len(means) * (now.number - 2.0)
    for i in range(len(x)):
        if i != best:
            pooled = (x[best] * means[best] + x[i] * means[i]) / (x[best] + x[i])
            mine.slope_best[i] = now.family.divergence(means[best], pooled)
            mine.slope_own[i] = now.family.divergence(means[i], pooled)
            mine.cost[i] = (x[best] * mine.slope_best[i] + x[i] * mine.slope_own[i]) / scale
            lowest = min(lowest, mine.cost[i])
    return lowest
