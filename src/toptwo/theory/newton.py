"""Gaussian characteristic times: one safeguarded Newton iteration for all instances at once.

The paper writes Lemma "Proposition 8" with r, the root of Σ 1/(rΔ_i²−1)² = 1. With r = (1 + y)/Δ_min² and the
normalised gaps of `Gaps`, each summand is 1/(rΔ_i²−1) = share_i/(y + deficit_i): no gap is ever squared, and y is found
to full relative precision also when it is small. Both equations read Σ (share/(y + deficit))^p = target with p = 2 for
T* and p = 1 for T*_β. As (Σ a_i^{−p})^{−1/p} is a concave function of the increasing affine a_i = (y + deficit)/share,
Newton's iteration on that power mean climbs to the root from any point below it and cannot overshoot.

With one σ per arm, r is in units of 1/σ_best², and each summand counts (σ_i/σ_best)² times in both equations: the best
arm's share of a pair's variance is the same as before, and arm i needs (σ_i/σ_best)²/(rΔ_i²−1) pulls for each of its.
"""

import numpy as np

from toptwo.theory.arguments import Floats, Gaps

STEPS = 100  # the iteration needs about six; the bound only keeps a loop from being endless
TOLERANCE = 4e-15


def relative_weights(gaps: Gaps, beta: Floats | None, spreads: Floats | float = 1.0) -> tuple[Floats, Floats]:
    """Return y and the weights w_i/w_best of the optimal (or β-optimal) allocation; 0 for the best arm itself.

    `spreads` are the (σ_i/σ_best)², 1 unless given.

    Examples
    --------
    >>> from toptwo.theory.arguments import gaps_of
    >>> excess, weights = relative_weights(gaps_of(np.array([1.0, 0.0, 0.0])), None)
    >>> round(float(excess), 12), weights.round(12)
    (1.414213562373, array([0.        , 0.70710678, 0.70710678]))
    """
    counted = np.broadcast_to(spreads, gaps.shares.shape)
    # One arm has share 1 and deficit 0, so its summand alone is counted/y^power; all summands are at most that.
    nearest = np.where(gaps.shares == 1.0, counted, 0.0).max(axis=-1)
    everything = np.where(gaps.shares > 0.0, counted, 0.0).sum(axis=-1)
    if beta is None:
        power, target = 2, np.ones(gaps.smallest.shape)
        low, high = np.sqrt(nearest), np.sqrt(everything)
    else:
        power, target = 1, np.broadcast_to((1.0 - beta) / beta, gaps.smallest.shape)
        low, high = nearest / target, everything / target
    with np.errstate(under="ignore"):
        excess = _climb(gaps, counted, power, target, low, high)
        return excess, counted * gaps.shares / (excess[..., None] + gaps.deficits)


def _climb(gaps: Gaps, counted: Floats, power: int, target: Floats, low: Floats, high: Floats) -> Floats:
    """Return the root y of Σ counted · (share/(y + deficit))^power = target between `low` and `high`."""
    excess, settled = low, np.zeros(low.shape, dtype=bool)
    for _ in range(STEPS):
        distance = excess[..., None] + gaps.deficits
        summands = gaps.shares / distance
        if power == 2:
            summands *= summands
        summands *= counted
        total = summands.sum(axis=-1)
        slope = (summands / distance).sum(axis=-1)
        ratio = total / target
        step = total * ((np.sqrt(ratio) if power == 2 else ratio) - 1.0) / slope
        # A settled instance stays where it is, so that its result does not depend on its neighbours in the batch.
        moved = np.where(settled, excess, np.clip(excess + step, low, high))
        settled = np.abs(moved - excess) <= TOLERANCE * excess
        excess = moved
        if settled.all():
            break
    return excess
