"""Challengers."""

import math

from scipy.special import log_ndtr

from naive.betting import Gamblers
from naive.leaders import log_expected_excess, log_probabilities_best
from naive.statistics import others, scan


def transportation_cost(leader, i, data):
    """(μ̂_B − μ̂_i + ε)₊² / (2σ²(1/N_B + 1/N_i))."""
    gap = max(0.0, data.mean[leader] - data.mean[i] + data.epsilon)
    return gap**2 / (2 * data.difference_deviation(leader, i) ** 2)


class TransportationCost:
    """The cheapest arm; of several that cost nothing, the ⌊u·m⌋-th of the m in index order, with one uniform u."""

    def cost(self, leader, i, data):
        return transportation_cost(leader, i, data)

    def challenge(self, leader, data, random):
        free = [i for i in others(leader, data) if self.cost(leader, i, data) == 0]
        if len(free) > 1:
            return free[int(random.uniform() * len(free))]
        return scan(others(leader, data), lambda i: -self.cost(leader, i, data), random)


class TransportationCostImproved:
    def cost(self, leader, i, data):
        return transportation_cost(leader, i, data) + math.log(data.count[i])

    def challenge(self, leader, data, random):
        return scan(others(leader, data), lambda i: -self.cost(leader, i, data), random)


class ClosestTransportationCost(TransportationCost):
    """Arms of equal cost: the smallest (μ̂_B − μ̂_i + ε)² / (1/N_B + 1/N_i), not clipped; no draws."""

    def challenge(self, leader, data, random):
        def distance(i):
            gap = data.mean[leader] - data.mean[i] + data.epsilon
            return gap**2 / (1 / data.count[leader] + 1 / data.count[i])

        return min(others(leader, data), key=lambda i: (self.cost(leader, i, data), distance(i), i))


class TransportationCostWithSlack(TransportationCost):
    """TC_ε₀: the cheapest arm to lift to ε₀ (the margin, if that is larger) above the leader, ties in one scan."""

    def __init__(self, slack=0.1):
        self.slack = slack

    def challenge(self, leader, data, random):
        slack = max(self.slack, data.epsilon)

        def cost(i):
            gap = max(0.0, data.mean[leader] - data.mean[i] + slack)
            return gap**2 / (2 * data.difference_deviation(leader, i) ** 2)

        return scan(others(leader, data), lambda i: -cost(i), random)


class LeastEvidence:
    """Behind î: the arm against which the betting rule has least wealth, of those within ½ of the least cost."""

    def __init__(self):
        self.gamblers = None

    def learn(self, arm, reward, data):
        if self.gamblers is None:
            self.gamblers = Gamblers(data.arms, data.sigma, data.epsilon)
        self.gamblers.add(arm, reward)

    def challenge(self, leader, data, random):
        if leader != data.recommended:
            return ClosestTransportationCost().challenge(leader, data, random)
        rival = min(others(leader, data), key=lambda i: transportation_cost(leader, i, data))
        reach = transportation_cost(leader, rival, data) + 0.5
        near = [i for i in others(leader, data) if transportation_cost(leader, i, data) <= reach]
        if len(near) == 1:
            return rival
        near.sort(key=lambda i: (i != rival, i))  # of equal arms the rival, then the first
        return min(near, key=lambda i: self.wealth_against(i, leader))

    def wealth_against(self, arm, leader):
        """0 as long as the leaders' marked pulls do not contradict that the arm is the best."""
        if self.gamblers.epsilon > 0.0 and self.gamblers.of(leader, marked=True)[0] == 0:
            return 0.0
        if self.gamblers.mean_of_leaders(leader, arm) <= self.gamblers.of(arm)[1] / self.gamblers.of(arm)[0]:
            return 0.0
        return self.gamblers.least_wealth(leader, arm)


class ImprovementOverLeader:
    """TTEI: the largest expected improvement of θ_i over θ_B."""

    def challenge(self, leader, data, random):
        mean = data.mean

        def improvement(i):
            return log_expected_excess(mean[i] - mean[leader], data.difference_deviation(i, leader))

        return scan(others(leader, data), improvement, random)


class ProbabilitySecond:
    """TTPS: of the other arms, the one most probably best."""

    def challenge(self, leader, data, random):
        probability = log_probabilities_best(data)
        return scan(others(leader, data), lambda i: probability[i], random)


class Resampling:
    """Argmax of θ given that it is not the leader: two plain redraws, then Karp and Luby's scheme until accepted."""

    def challenge(self, leader, data, random):
        for _ in range(2):
            theta = data.draw(random)
            if theta.index(max(theta)) != leader:
                return theta.index(max(theta))
        while True:
            theta = self.overtaken(leader, data, random)
            above = sum(value > theta[leader] for value in theta)
            if above == 1 or random.uniform() * above < 1:
                return theta.index(max(theta))

    def overtaken(self, leader, data, random):
        """One vector θ in which some arm j, picked with probability ∝ P(θ_j > θ_B), is above the leader."""
        mean, count = data.mean, data.count

        def low(i):
            return (mean[leader] - mean[i]) / data.difference_deviation(leader, i)

        log_weight = {i: log_ndtr(-low(i)) for i in others(leader, data)}
        top = max(log_weight.values())
        j, total = None, 0.0
        for i, value in log_weight.items():
            weight = math.exp(value - top)
            total += weight
            if j is None or random.uniform() * total < weight:
                j = i
        x = normal_above(low(j), random)
        deviation = data.difference_deviation(leader, j)
        difference = mean[j] - mean[leader] + deviation * x
        # (θ_B, θ_j − θ_B) is Gaussian with covariance −σ²/N_B: regress the first on the second.
        variance = data.sigma**2 / count[leader]
        expected = mean[leader] - variance / deviation**2 * (difference - (mean[j] - mean[leader]))
        remaining = variance - variance**2 / deviation**2
        theta = [0.0] * data.arms
        theta[leader] = expected + math.sqrt(remaining) * random.normal()
        theta[j] = theta[leader] + difference
        for i in others(leader, data):
            if i != j:
                theta[i] = mean[i] + data.sigma * random.normal() / math.sqrt(count[i])
        return theta


def normal_above(low, random):
    """A standard normal given that it exceeds `low`; in the tail by Robert's (1995) exponential rejection."""
    if low < 0.5:
        while True:
            x = random.normal()
            if x > low:
                return x
    rate = (low + math.sqrt(low * low + 4)) / 2
    while True:
        x = low - math.log(random.uniform()) / rate
        if random.uniform() <= math.exp(-((x - rate) ** 2) / 2):
            return x
