"""What the tests of the theory share: slow, obviously right twins in another parametrisation and arithmetic."""

from decimal import Decimal, localcontext

import numpy as np
import pytest

DIGITS = 34


class ExactGaussian:
    """T*_β from its definition, in decimal arithmetic: at the optimum all costs equal 1/T and the shares sum to one."""

    def __init__(self, means):
        values = [Decimal(float(mean)) for mean in means]
        self.best = int(np.argmax(means))
        self.gaps = [values[self.best] - value for i, value in enumerate(values) if i != self.best]

    def weights(self, time, beta):
        """Return the shares at which every pair costs exactly 1/time, given the best arm's share."""
        return [1 / (gap * gap * time / 2 - 1 / beta) for gap in self.gaps]

    def time(self, beta):
        """Return T*_β by bisection: the shares above sum to 1 − β."""
        low = 2 / (beta * min(self.gaps) ** 2)
        high = low * (1 + len(self.gaps) * beta / (1 - beta))
        for _ in range(100):
            middle = (low + high) / 2
            if middle in (low, high):
                break
            low, high = (middle, high) if sum(self.weights(middle, beta)) > 1 - beta else (low, middle)
        return high

    def best_share(self):
        """Return the β that minimises T*_β, a convex function of 1/β in disguise, by golden section."""
        golden = (Decimal(5).sqrt() - 1) / 2
        low, high = Decimal("0.0005"), Decimal("0.55")
        left, right = high - golden * (high - low), low + golden * (high - low)
        at_left, at_right = self.time(left), self.time(right)
        for _ in range(58):
            if at_left < at_right:
                high, right, at_right = right, left, at_left
                left = high - golden * (high - low)
                at_left = self.time(left)
            else:
                low, left, at_left = left, right, at_right
                right = low + golden * (high - low)
                at_right = self.time(right)
        return (low + high) / 2

    def solve(self, beta=None):
        """Return T and the allocation in floats."""
        with localcontext() as context:
            context.prec = DIGITS
            share = self.best_share() if beta is None else Decimal(float(beta))
            time = self.time(share)
            allocation = [float(weight) for weight in self.weights(time, share)]
            allocation.insert(self.best, float(share))
            return float(time), np.array(allocation)


@pytest.fixture(scope="session")
def exact_gaussian():
    return ExactGaussian
