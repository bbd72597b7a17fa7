"""DKM (Degenne, Koolen and Ménard, 2019): a learner plays allocations against nature, who replies best.

One AdaHedge learner per candidate answer (de Rooij et al., 2014) proposes w; nature replies with the closest means λ
under which the answer is wrong; the learner gains, for each arm, the divergence to λ from the most favourable mean
within the arm's confidence interval. No forced exploration: optimism does it.
"""

import math
from typing import NamedTuple

from toptwo.rules.round import Round, highest
from toptwo.rules.schedules import Schedule
from toptwo.rules.tracking import SHARES, FurthestBehind
from toptwo.state import Row
from toptwo.streams import Random

GAPS = 2
"""Memory row of the learners' mixability gaps Δ, beyond their start."""

GAINS = 3
"""Memory row of the gains of this round."""

LOSSES = 4
"""First of K memory rows: the cumulated losses of each learner."""


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
        shares, means = now.state.memory[SHARES], now.state.means
        middle = pooled(arm, other, now)
        to_arm, to_other = now.family.divergence(means[arm], middle), now.family.divergence(means[other], middle)
        return -(shares[other] * to_other + shares[arm] * to_arm)


def pooled(a: int, b: int, now: Round) -> float:
    """Return the mean of two arms under the allocation in memory, halfway if neither has a share."""
    shares, means = now.state.memory[SHARES], now.state.means
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

    def memory_rows(self, arms: int) -> int:
        """Return 4 and a row per learner."""
        return LOSSES + arms

    def next_pull(self, now: Round, random: Random) -> tuple[int, int]:
        """Play one round of the game and track the learner's allocation; nobody leads."""
        memory, best = now.state.memory, now.best
        losses, gaps = memory[LOSSES + best], memory[GAPS]
        rate = math.log(len(losses)) / (self.start + gaps[best])
        before = act(rate, losses, memory[SHARES])
        reply = highest(self.nature, best, 0.0, now, random)
        expected = optimistic_gains(reply, self.level.at(now.number - 1), now)
        for i in range(len(losses)):
            losses[i] -= memory[GAINS][i]
        gaps[best] += max(0.0, before - mix(rate, losses) - expected)
        return -1, self.tracking.track(now, random)


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
    memory, state, best = now.state.memory, now.state, now.best
    target, width = pooled(reply, best, now), math.sqrt(2.0 * log)
    average = 0.0
    for i in range(len(state.means)):
        gain = log * state.inverse[i]
        if i == best or i == reply:  # noqa: SIM109 (a tuple per arm is slow without a compiler)
            above = now.family.divergence(now.family.upper_bound(i, width, state), target)
            below = now.family.divergence(now.family.lower_bound(i, width, state), target)
            gain = max(gain, max(above, below))
        memory[GAINS][i] = gain
        average += memory[SHARES][i] * gain
    return average
