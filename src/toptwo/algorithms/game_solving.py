"""DKM (Degenne, Koolen and Ménard, 2019): a learner plays allocations against nature, who replies best.

One AdaHedge learner per candidate answer (de Rooij et al., 2014) proposes w; nature replies with the closest means λ
under which the answer is wrong; the learner gains, for each arm, the divergence to λ from the most favourable mean
within the arm's confidence interval. No forced exploration: optimism does it.
"""

import math
from typing import Any, NamedTuple

from toptwo.memory import memory_of, per_arm, per_pair
from toptwo.rules.round import Round, highest
from toptwo.rules.schedules import Schedule
from toptwo.rules.tracking import FurthestBehind
from toptwo.state import Row, Table
from toptwo.streams import Random


class Game(NamedTuple):
    """What DKM keeps."""

    tracking: Any
    """What the tracker keeps, the allocation of this round among it."""
    gaps: Row = per_arm()
    """The learners' mixability gaps Δ, beyond their start."""
    gains: Row = per_arm()
    """The gains of this round."""
    losses: Table = per_pair()
    """The cumulated losses of each learner."""


class LogPulls(NamedTuple):
    """ln t, the level of the confidence intervals."""

    def at(self, n: int) -> float:
        """Return ln n."""
        return math.log(n)


class NatureReplies(NamedTuple):
    """The arm that nature moves level with the best: least inf over u of w_b d(μ̂_b, u) + w_j d(μ̂_j, u)."""

    random_ties: bool = True

    def score(self, arm: int, other: int, level: float, now: Round) -> float:
        """Return minus the cost of moving an arm level with `other`, under the allocation in memory."""
        shares, means = now.mine.tracking.shares, now.state.means
        middle = pooled(arm, other, now)
        to_arm, to_other = now.family.divergence(means[arm], middle), now.family.divergence(means[other], middle)
        return -(shares[other] * to_other + shares[arm] * to_arm)


def pooled(a: int, b: int, now: Round) -> float:
    """Return the mean of two arms under the allocation in memory, halfway if neither has a share."""
    shares, means = now.mine.tracking.shares, now.state.means
    total = shares[a] + shares[b]
    return (shares[a] * means[a] + shares[b] * means[b]) / total if total > 0.0 else 0.5 * (means[a] + means[b])


class GameSolving(NamedTuple):
    """DKM with AdaHedge and C-tracking; asymptotically optimal, with a finite-time bound."""

    start: float = 0.01
    """Δ₀, the first value of a learner's mixability gap."""
    nature: NatureReplies = NatureReplies()
    tracking: FurthestBehind = FurthestBehind()
    level: Schedule = LogPulls()

    def requires(self) -> tuple[str, ...]:
        """Return what it asks of the family."""
        return ("divergence", "lower_bound", "upper_bound")

    def memory(self) -> Game:
        """Return what the tracker keeps, and the books of the learners."""
        return Game(memory_of(self.tracking))

    def next_pull(self, now: Round, random: Random) -> tuple[int, int]:
        """Play one round of the game and track the learner's allocation; nobody leads."""
        mine, best = now.mine, now.best
        losses, gaps = mine.losses[best], mine.gaps
        rate = math.log(len(losses)) / (self.start + gaps[best])
        before = act(rate, losses, mine.tracking.shares)
        reply = highest(self.nature, best, 0.0, now, random)
        expected = optimistic_gains(reply, self.level.at(now.number - 1), now)
        for i in range(len(losses)):
            losses[i] -= mine.gains[i]
        gaps[best] += max(0.0, before - mix(rate, losses) - expected)
        return -1, self.tracking.track(now.by(mine.tracking), random)


def act(rate: float, losses: Row, shares: Row) -> float:
    """Write the allocation ∝ exp(−η L) and return the mix of the losses, −ln(mean of exp(−η L))/η."""
    least, total = math.inf, 0.0
    for i in range(len(losses)):
        least = min(least, losses[i])
    for i in range(len(losses)):
        shares[i] = math.exp(-rate * (losses[i] - least))
        total += shares[i]
    for i in range(len(losses)):
        shares[i] /= total
    return least - math.log(total / len(losses)) / rate


def mix(rate: float, losses: Row) -> float:
    """Return −ln(mean of exp(−η L))/η."""
    least, total = math.inf, 0.0
    for i in range(len(losses)):
        least = min(least, losses[i])
    for i in range(len(losses)):
        total += math.exp(-rate * (losses[i] - least))
    return least - math.log(total / len(losses)) / rate


def optimistic_gains(reply: int, log: float, now: Round) -> float:
    """Write the gain of every arm and return their average under the allocation.

    An arm that nature leaves alone gains ln t/N, the level of its interval; for the two that she moves to λ it is the
    divergence from the far end of the interval, if that is more.
    """
    mine, state, best = now.mine, now.state, now.best
    target, width = pooled(reply, best, now), math.sqrt(2.0 * log)
    average = 0.0
    for i in range(len(state.means)):
        gain = log * state.inverse[i]
        if i == best or i == reply:  # noqa: SIM109 (a tuple per arm is slow without a compiler)
            above = now.family.divergence(now.family.upper_bound(i, width, state), target)
            below = now.family.divergence(now.family.lower_bound(i, width, state), target)
            gain = max(gain, max(above, below))
        mine.gains[i] = gain
        average += mine.tracking.shares[i] * gain
    return average
