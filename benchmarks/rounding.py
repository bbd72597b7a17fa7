"""How far averages kept up to date in a double are off, in standard errors: `python -m benchmarks.rounding`.

The table of docs/rounding.md: Gaussian rewards of deviation 1 at some distance from the origin.
"""

from fractions import Fraction

import numpy as np
from numba import njit

from toptwo.state import State, add_reward

DISTANCES = (0.0, 32.0, 1e3, 1e6, 1e9, 1e12)
PULLS = (10**4, 10**6, 10**8, 10**9)
SEEDS = 3

_add_reward = njit(add_reward, error_model="numpy")


@njit(error_model="numpy")
def follow(state, distance, pulls, random, high, low):
    """Add so many rewards, and the same to a sum of two doubles that loses nothing (Knuth)."""
    for _ in range(pulls):
        reward = distance + random.standard_normal()
        _add_reward(0, reward, state)
        total = high + reward
        part = total - high
        low += (high - (total - part)) + (reward - part)
        high = total
    return high, low


def errors(distance: float, seed: int) -> list[float]:
    """Return what the average is off by after each number of pulls, in standard errors."""
    state = State(*(np.zeros(1) for _ in State._fields))
    random, found, high, low, before = np.random.default_rng(seed), [], 0.0, 0.0, 0
    for pulls in PULLS:
        high, low = follow(state, distance, pulls - before, random, high, low)
        truth = (Fraction(high) + Fraction(low)) / pulls
        found.append(abs(float(Fraction(state.means[0]) - truth)) * pulls**0.5)
        before = pulls
    return found


def main() -> None:
    """Print the table: the largest error of a few runs."""
    print("| distance | " + " | ".join(f"{pulls:,} pulls" for pulls in PULLS) + " |")
    print("|---" * (len(PULLS) + 1) + "|")
    for distance in DISTANCES:
        worst = np.max([errors(distance, seed) for seed in range(SEEDS)], axis=0)
        print(f"| {distance:g} | " + " | ".join(f"{value:.1e}" for value in worst) + " |")


if __name__ == "__main__":
    main()
