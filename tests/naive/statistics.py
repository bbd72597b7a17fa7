"""All rewards so far, and scans over arms."""

import math
from dataclasses import dataclass, field


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
