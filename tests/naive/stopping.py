"""Stopping rules."""

import math

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import zeta

from naive.statistics import others
from toptwo.families.gaussian import LOG_WEIGHTS, PRECISIONS


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
