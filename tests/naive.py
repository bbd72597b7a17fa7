"""A slow, obviously right twin of the package's core: a second specification, written from the formulas.

Nothing here is shared with the package but the random streams and the constants of the mixture threshold. Every sum and
division is written as in the formula, and everything is worked out anew in every round. The order in which rules draw
from their stream is part of the specification:

- an argmax or argmin is one scan in index order; the m-th of equal values (m ≥ 2) costs one uniform u and replaces the
  arm kept if u·m < 1;
- among several arms that cost nothing against the leader, the TC challenger is drawn with one uniform;
- the recommendation stays on its arm as long as that arm is among the best;
- the leader draws first; a challenger that the proportion does not depend on draws only if it is pulled.

`run` plays one run of one algorithm, given by name or assembled from the classes below.
"""

import math
from dataclasses import dataclass, field

import numpy as np
from naive_betting import Gamblers
from scipy.integrate import quad
from scipy.optimize import minimize_scalar
from scipy.special import lambertw, log_ndtr, logsumexp, zeta

from toptwo.engine.question import stream_label
from toptwo.families.gaussian import LOG_WEIGHTS, PRECISIONS
from toptwo.streams import Random, fork, next_word, normal

# ---------------------------------------------------------------------------------------------------------- statistics


@dataclass
class Data:
    """All rewards so far, and what the rules may ask of them."""

    arms: int
    sigma: float
    epsilon: float
    total: list = field(init=False)
    count: list = field(init=False)
    recommended: int = -1

    def __post_init__(self):
        self.total = [0.0] * self.arms
        self.count = [0] * self.arms

    def add(self, arm, reward):
        self.total[arm] += reward
        self.count[arm] += 1

    @property
    def round(self):
        return sum(self.count) + 1

    @property
    def mean(self):
        return [total / count for total, count in zip(self.total, self.count, strict=True)]

    def draw(self, random):
        """θ_i ~ N(μ̂_i, σ²/N_i), one normal per arm in index order."""
        return [
            mean + self.sigma * random.normal() / math.sqrt(n) for mean, n in zip(self.mean, self.count, strict=True)
        ]

    def difference_deviation(self, i, j):
        """Standard deviation of θ_i − θ_j, and of μ̂_i − μ̂_j."""
        return self.sigma * math.sqrt(1 / self.count[i] + 1 / self.count[j])


def scan(candidates, value, random):
    """Arm of highest value, ties broken at random in one pass."""
    kept, best, tied = None, -math.inf, 0
    for arm in candidates:
        here = value(arm)
        if kept is None or here > best:
            kept, best, tied = arm, here, 1
        elif here == best:
            tied += 1
            if random.uniform() * tied < 1:
                kept = arm
    return kept


def others(leader, data):
    return [arm for arm in range(data.arms) if arm != leader]


def recommend(data, random):
    mean = data.mean
    highest = [arm for arm in range(data.arms) if mean[arm] == max(mean)]
    if data.recommended in highest:
        return data.recommended
    return scan(highest, lambda arm: mean[arm], random)


# -------------------------------------------------------------------------------------------------- stopping


def calibration(x):
    """C_G(x): the least of (g_G(λ) + x)/λ over 1/2 < λ < 1, on a grid and then by a bounded search around its place."""

    def cost(rate):
        g = 2 * rate - 2 * rate * math.log(4 * rate) + math.log(zeta(2 * rate)) - math.log(1 - rate) / 2
        return (g + x) / rate

    grid = np.concatenate([np.linspace(0.501, 0.99, 500), 1 - np.geomspace(1e-2, 1e-9, 300)])
    near = int(np.argmin([cost(rate) for rate in grid]))
    low, high = grid[max(near - 1, 0)], grid[min(near + 1, len(grid) - 1)]
    return minimize_scalar(cost, bounds=(low, high), method="bounded", options={"xatol": 1e-13}).fun


class GLR:
    """Stop when every (μ̂_î − μ̂_i + ε)² / (2σ²(1/N_î + 1/N_i)) reaches c(n − 1, δ)."""

    def __init__(self, threshold):
        self.threshold = threshold

    def stops(self, data):
        mean, best = data.mean, data.recommended
        statistic = min(
            (mean[best] - mean[i] + data.epsilon) ** 2 / (2 * data.difference_deviation(best, i) ** 2)
            for i in others(best, data)
        )
        return statistic >= self.threshold(data.round - 1)


class MixtureEvidence:
    """Stop when evidence(î, b) ≥ ln((K−1)/δ) for every b ≠ î.

    The evidence is ln Σ_g w_g exp(evidence with ρ_g): at least the maximum over g, and like it below the
    log of the mixture of products, because an infimum of a sum is at least the sum of the infima.
    """

    def __init__(self, delta):
        self.delta = delta

    def evidence(self, a, b, data):
        mean, count = data.mean, data.count
        gap = (mean[a] - mean[b] + data.epsilon) / data.sigma
        if gap <= 0:
            return 0.0
        parts = [
            gap**2 / (2 * (1 / count[a] + rho / count[a] ** 2 + 1 / count[b] + rho / count[b] ** 2))
            - math.log(1 + count[a] / rho) / 2
            - math.log(1 + count[b] / rho) / 2
            + log_weight
            for rho, log_weight in zip(PRECISIONS, LOG_WEIGHTS, strict=True)
        ]
        return max(parts) + math.log(sum(math.exp(part - max(parts)) for part in parts))

    def stops(self, data):
        best = data.recommended
        least = min(self.evidence(best, b, data) for b in others(best, data))
        return least >= math.log((data.arms - 1) / self.delta)


def stopping_rule(name, delta, arms):
    if name == "mixture":
        return MixtureEvidence(delta)
    if name == "heuristic":
        return GLR(lambda t: math.log((1 + math.log(t)) / delta))
    constant = 2 * calibration(math.log((arms - 1) / delta) / 2)
    return GLR(lambda t: constant + 4 * math.log(4 + math.log(t / 2)))


# --------------------------------------------------------------------------------------------------- leaders


class EmpiricalBest:
    def lead(self, data, random):
        return data.recommended


def mixture_bonus(n, alpha=1.2, s=1.2):
    """g_m(n)."""
    x = 2 * s * alpha * math.log(n) + 2 * math.log(2 + alpha * math.log(n)) + 2
    return -lambertw(-math.exp(-x), k=-1).real


def union_bonus(n, alpha=1.2, s=1.2):
    """g_u(n)."""
    return 2 * alpha * (1 + s) * math.log(n)


class UpperConfidenceBound:
    def __init__(self, bonus=mixture_bonus):
        self.bonus = bonus

    def lead(self, data, random):
        mean, g = data.mean, self.bonus(data.round)
        return scan(range(data.arms), lambda i: mean[i] + data.sigma * math.sqrt(g / data.count[i]), random)


class ThompsonSampling:
    def lead(self, data, random):
        theta = data.draw(random)
        return scan(range(data.arms), lambda i: theta[i], random)


def log_expected_excess(mean, deviation):
    """ln E[max(X, 0)], X ~ N(mean, deviation²): with x = mean/deviation, deviation × J(−x), and J(−x) = x + J(x).

    J(t) = ∫₀^∞ y φ(y + t) dy = φ(t) ∫₀^∞ y exp(−ty − y²/2) dy.
    """
    x = mean / deviation
    t = abs(x)
    integral = quad(lambda y: y * math.exp(-t * y - y * y / 2), 0, math.inf, epsabs=0, epsrel=1e-12, limit=200)[0]
    log_density = -t * t / 2 - math.log(2 * math.pi) / 2
    if x > 0:
        return math.log(deviation) + math.log(x + math.exp(log_density) * integral)
    return math.log(deviation) + log_density + math.log(integral)


class ExpectedImprovement:
    """TTEI (Qin, Klabjan and Russo): the largest expected improvement of θ_i over the highest empirical mean."""

    def lead(self, data, random):
        mean, top = data.mean, max(data.mean)

        def improvement(i):
            return log_expected_excess(mean[i] - top, data.sigma / math.sqrt(data.count[i]))

        return scan(range(data.arms), improvement, random)


def log_probabilities_best(data):
    """ln P(θ_i = max θ) = ln ∫ φ_i(x) ∏_{j≠i} Φ_j(x) dx, by the trapezoidal rule on one fine grid.

    ln of the integrand is concave, with curvature at most Σ N_j/σ²: the step is a fifth of that length.
    """
    mean, deviation = np.array(data.mean), data.sigma / np.sqrt(np.array(data.count))
    step = data.sigma / math.sqrt(sum(data.count)) / 5
    x = np.arange((mean - 12 * deviation).min(), (mean + 12 * deviation).max(), step)
    z = (x - mean[:, None]) / deviation[:, None]
    log_below = log_ndtr(z)
    log_density = -z * z / 2 - np.log(deviation * math.sqrt(2 * math.pi))[:, None]
    everyone_below = log_below.sum(axis=0)
    return [logsumexp(log_density[i] + everyone_below - log_below[i]) + math.log(step) for i in range(data.arms)]


class ProbabilityBest:
    """TTPS (Russo): the arm most probably best."""

    def lead(self, data, random):
        probability = log_probabilities_best(data)
        return scan(range(data.arms), lambda i: probability[i], random)


class RegretMinimiser:
    """Section 3.3: a regret minimiser that sees the first pull of each arm, then only pulls made while its arm led."""

    def __init__(self, minimiser):
        self.minimiser = minimiser
        self.private = None

    def lead(self, data, random):
        return self.minimiser(self.private, random)

    def learn(self, leader, arm, reward, data):
        if self.private is None:
            self.private = Data(data.arms, data.sigma, data.epsilon)
        if self.private.count[arm] == 0 or leader == arm:
            self.private.add(arm, reward)


def imed(data, random):
    """Least N_i d(μ̂_i, max μ̂) + ln N_i."""
    mean, top = data.mean, max(data.mean)

    def index(i):
        return data.count[i] * (mean[i] - top) ** 2 / (2 * data.sigma**2) + math.log(data.count[i])

    return scan(range(data.arms), lambda i: -index(i), random)


def moss(data, random):
    """Highest μ̂_i + σ √(2 (1 + 1.35) ln₊(n/(K N_i)) / N_i)."""
    mean, n = data.mean, data.round

    def index(i):
        log_plus = max(0.0, math.log(n / (data.arms * data.count[i])))
        return mean[i] + data.sigma * math.sqrt(2 * (1 + 1.35) * log_plus / data.count[i])

    return scan(range(data.arms), index, random)


# ----------------------------------------------------------------------------------------------- challengers


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


# ------------------------------------------------------------------------------------ proportion and choice


class Fixed:
    adaptive = False

    def __init__(self, beta):
        self.beta = beta

    def share(self, leader, challenger, data):
        return self.beta


class InformationDirected:
    adaptive = True

    def share(self, leader, challenger, data):
        return data.count[challenger] / (data.count[leader] + data.count[challenger])


class Tracking:
    """One procedure per leader: pull B iff its pulls while it led are at most b_B, this round's β_n included."""

    def __init__(self):
        self.owed = {}
        self.own = {}

    def takes_leader(self, leader, share, data, random):
        self.owed[leader] = self.owed.get(leader, 0.0) + share
        takes = self.own.get(leader, 0) <= self.owed[leader]
        self.own[leader] = self.own.get(leader, 0) + takes
        return takes


class SharedTracking:
    """The ablation: one tracker for all leaders, pull B iff N_B ≤ β n."""

    def takes_leader(self, leader, share, data, random):
        return data.count[leader] <= share * data.round


class Anchored:
    """AT2's choice, in whole numbers: the leader iff Σ N_i² > N_B², the sum over the other arms."""

    def takes_leader(self, leader, share, data, random):
        return sum(data.count[i] ** 2 for i in others(leader, data)) > data.count[leader] ** 2


class Sampling:
    def takes_leader(self, leader, share, data, random):
        return random.uniform() < share


# ----------------------------------------------------------------------------------------------------------- algorithms


@dataclass
class TopTwo:
    leader: object
    challenger: object
    proportion: object
    choice: object

    def pull(self, data, random):
        leader = self.leader.lead(data, random)
        if self.proportion.adaptive:
            challenger = self.challenger.challenge(leader, data, random)
            share = self.proportion.share(leader, challenger, data)
            return leader, leader if self.choice.takes_leader(leader, share, data, random) else challenger
        if self.choice.takes_leader(leader, self.proportion.share(leader, None, data), data, random):
            return leader, leader
        return leader, self.challenger.challenge(leader, data, random)

    def learn(self, leader, arm, reward, data):
        if hasattr(self.leader, "learn"):
            self.leader.learn(leader, arm, reward, data)
        if hasattr(self.challenger, "learn"):
            self.challenger.learn(arm, reward, data)


class ExploringFirst(TopTwo):
    """AT2's exploration: the least pulled arm first, while it has fewer than √n pulls; nobody leads then."""

    def pull(self, data, random):
        if min(data.count) < math.sqrt(sum(data.count)):
            return None, scan(range(data.arms), lambda i: -data.count[i], random)
        return super().pull(data, random)


class Uniform:
    def pull(self, data, random):
        return None, (data.round - 1) % data.arms

    def learn(self, leader, arm, reward, data):
        pass


ALGORITHMS = {
    "TTUCB": (UpperConfidenceBound, TransportationCost, Tracking),
    "T3C": (ThompsonSampling, TransportationCost, Sampling),
    "TTTS": (ThompsonSampling, Resampling, Sampling),
    "EB-TC": (EmpiricalBest, TransportationCost, Sampling),
    "EB-TCI": (EmpiricalBest, TransportationCostImproved, Sampling),
    "EB-TCe": (EmpiricalBest, TransportationCostWithSlack, Tracking),
    "TTEI": (ExpectedImprovement, ImprovementOverLeader, Sampling),
    "TTPS": (ProbabilityBest, ProbabilitySecond, Sampling),
    "TT-IMED": (lambda: RegretMinimiser(imed), TransportationCost, Tracking),
    "TT-MOSS": (lambda: RegretMinimiser(moss), TransportationCost, Tracking),
}


def by_name(name):
    """T- and S- force tracking and sampling, A- makes the proportion adaptive."""
    if name == "uniform":
        return Uniform()
    if name == "AT2":
        return ExploringFirst(EmpiricalBest(), TransportationCost(), Fixed(0.5), Anchored())
    if name == "TT-LE":
        return TopTwo(UpperConfidenceBound(), LeastEvidence(), InformationDirected(), Tracking())
    proportion, forced = Fixed(0.5), None
    while name not in ALGORITHMS:
        prefix, name = name[:2], name[2:]
        if prefix == "A-":
            proportion = InformationDirected()
        else:
            forced = {"T-": Tracking, "S-": Sampling}[prefix]
    leader, challenger, choice = ALGORITHMS[name]
    return TopTwo(leader(), challenger(), proportion, (forced or choice)())


# ---------------------------------------------------------------------------------------------------------------- a run


def run(name, means, delta, threshold, seed=0, run=0, sigma=1.0, epsilon=0.0, max_samples=10**9, algorithm=None):
    """Play run number `run` of a seed; return samples, recommended arm, whether it was decided, and counts.

    `name` is what the package calls the algorithm, or the package's object; an object needs its twin as `algorithm`.
    """
    algorithm = algorithm or by_name(name)
    arms = len(means)
    root = fork(seed, run)
    positions = [fork(root, arm) for arm in range(arms)]
    random = Random([fork(root, stream_label(name))])
    rule = stopping_rule(threshold, delta, arms)
    data = Data(arms, sigma, epsilon)

    def pull(leader, arm):
        reward = means[arm] + sigma * normal(next_word(positions, arm))
        data.add(arm, reward)
        algorithm.learn(leader, arm, reward, data)

    for arm in range(arms):
        pull(None, arm)
    while True:
        data.recommended = recommend(data, random)
        decided = rule.stops(data)
        samples = sum(data.count)
        if decided or samples >= max_samples:
            return samples, data.recommended, decided, data.count
        pull(*algorithm.pull(data, random))
