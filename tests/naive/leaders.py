"""Leaders."""

import math

import numpy as np
from scipy.integrate import quad
from scipy.special import lambertw, log_ndtr, logsumexp

from naive.statistics import Data, scan


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
