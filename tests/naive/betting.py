"""The betting rule for Gaussian rewards, from docs/betting.md: no shortcuts, and a search for the least wealth."""

import math

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import log_ndtr, logsumexp

from toptwo.families.numerics.wealth import (
    CANDIDATE_PRECISIONS,
    GAP_PRECISIONS,
    LEADER_PRECISIONS,
    LEADER_SHARES,
    LOG_GAP_WEIGHTS,
    LOG_WEIGHTS,
)

PRECISELY = {"xatol": 1e-10}


def naive_half_normal(total, count, precision):
    z = total / np.sqrt(count + precision)
    return 0.5 * np.log(precision / (count + precision)) + 0.5 * z**2 + np.log(2.0) + log_ndtr(z)


def naive_bets(gain, count, loss, pulls):
    """ln of what each of the bets has earned, times its weight."""
    pairs = naive_half_normal(gain, count, np.array(LEADER_PRECISIONS))
    pairs += naive_half_normal(loss, pulls, np.array(CANDIDATE_PRECISIONS))
    share = np.array(LEADER_SHARES)
    total, sharpness = share * gain + (1.0 - share) * loss, share**2 * count + (1.0 - share) ** 2 * pulls
    gaps = naive_half_normal(total, sharpness, np.array(GAP_PRECISIONS))
    return np.concatenate([np.array(LOG_WEIGHTS) + pairs, np.array(LOG_GAP_WEIGHTS) + gaps])


class Gamblers:
    """The rule for Gaussian rewards as docs/betting.md states it: no shortcuts, a brute search for the least wealth."""

    def __init__(self, arms, sigma, epsilon):
        self.pulls, self.arms, self.sigma, self.epsilon = [], arms, sigma, epsilon
        self.order = []

    def of(self, arm, marked=False, since=None):
        values = [
            value
            for number, (i, value, mark) in enumerate(self.pulls)
            if i == arm and (mark or not marked) and number >= (since or 0)
        ]
        return len(values), sum(values)

    def look(self):
        """The recommended arm and its likelihood ratio against the closest rival."""
        mean = [self.of(i)[1] / self.of(i)[0] for i in range(self.arms)]
        best = int(np.argmax(mean))
        costs = [
            (mean[best] - mean[i] + self.epsilon) ** 2
            / (2.0 * self.sigma**2 * (1.0 / self.of(best)[0] + 1.0 / self.of(i)[0]))
            for i in range(self.arms)
            if i != best
        ]
        return best, min(costs)

    def add(self, arm, value):
        mark = self.arms == 2
        if len(self.pulls) >= self.arms and not mark:
            best, cost = self.look()
            mark = arm == best and cost >= min(self.arms / 20.0, 2.0 * math.sqrt(self.arms / len(self.pulls)))
        if mark and arm not in [i for i, _ in self.order]:
            self.order.append((arm, len(self.pulls)))
        self.pulls.append((arm, value, mark))

    def log_wealth(self, a, b, u):
        leaders = [j for j in range(self.arms) if j != b]
        count = sum(self.of(j, True)[0] for j in leaders)
        gain = sum(self.of(j, True)[1] - self.of(j, True)[0] * (u - (self.epsilon if j == a else 0.0)) for j in leaders)
        number, total = self.of(b)
        against = (u * number - total) / self.sigma, number
        terms = [naive_bets(gain / self.sigma, count, *against)]
        if self.epsilon > 0.0 and self.arms > 2:
            terms[0] = terms[0] + math.log(0.5)
            for k, (arm, since) in enumerate(self.order, 1):
                if arm == a:
                    number, total = self.of(a, since=since)
                    own = (total - number * (u - self.epsilon)) / self.sigma
                    terms.append(naive_bets(own, number, *against) + math.log(0.5 / (k * (k + 1))))
        return float(logsumexp(np.concatenate(terms)))

    def mean_of_leaders(self, a, b):
        """Where the marked pulls of all arms but b lie, those of a raised by the margin; or a's account, if higher."""
        count = sum(self.of(j, True)[0] for j in range(self.arms) if j != b)
        if count == 0:
            return -math.inf
        gain = sum(self.of(j, True)[1] for j in range(self.arms) if j != b) + self.of(a, True)[0] * self.epsilon
        top = gain / count
        if self.epsilon > 0.0 and self.arms > 2:
            for arm, since in self.order:
                if arm == a:
                    number, total = self.of(a, since=since)
                    top = max(top, total / number + self.epsilon)
        return top

    def least_wealth(self, a, b):
        """The least of ln wealth, which is convex in u."""
        number, total = self.of(b)
        bounds = total / number - 10.0 * self.sigma, self.mean_of_leaders(a, b) + 10.0 * self.sigma
        found = minimize_scalar(lambda u: self.log_wealth(a, b, u), bounds=bounds, method="bounded", options=PRECISELY)
        return found.fun

    def evidence(self, a):
        """The least ln wealth against any arm but a; nothing before a pull is marked."""
        rivals = [b for b in range(self.arms) if b != a]
        if any(self.mean_of_leaders(a, b) == -math.inf for b in rivals):
            return -math.inf
        return min(self.least_wealth(a, b) for b in rivals)
