"""A race in blocks as docs/blocks.md defines it, with integrals as sums over grids and everything worked out anew."""

import itertools
import math

import numpy as np

NODES, WEIGHTS = np.polynomial.legendre.leggauss(400)


def grid(low, high):
    """Return nodes and weights of Gauss and Legendre."""
    return low + 0.5 * (high - low) * (NODES + 1.0), 0.5 * (high - low) * WEIGHTS


def student(differences):
    """Section 3: likelihood ratios of the direction of the differences, averaged over three half normal laws."""
    d = np.asarray(differences)
    k, length = len(d), math.hypot(*d)
    if k < 2 or d.sum() <= 0.0:
        return 0.0
    x, dx = grid(0.0, math.sqrt(k) + 60.0)
    central = (x ** (k - 1) * np.exp(-(x**2) / 2) * dx).sum()
    found = 0.0
    for scale, weight in ((4.5, 0.25), (0.6, 0.5), (0.1, 0.25)):
        effects, step = grid(0.0, 10.0 * scale)
        law = 2.0 * np.exp(-((effects / scale) ** 2) / 2) / (scale * math.sqrt(2.0 * math.pi))
        inner = np.exp(-(x**2) / 2 + np.outer(effects, x) * d.sum() / length - k * effects[:, None] ** 2 / 2)
        found += weight * (law * (inner * x ** (k - 1) * dx).sum(axis=1) / central * step).sum()
    return found


def wins(differences, share=0.5):
    """Section 5: the likelihood ratio averaged over the shares of wins above that of the null."""
    won, lost = sum(d > 0.0 for d in differences), sum(d < 0.0 for d in differences)
    p, dp = grid(share, 1.0)
    return ((p / share) ** won * ((1.0 - p) / (1.0 - share)) ** lost * dp).sum() / (1.0 - share)


def bounded(differences, span, mean=0.5):
    """Section 6: what a gambler owns, averaged over stakes."""
    x = (np.asarray(differences) + span) / (2.0 * span)
    return np.mean([np.prod(1.0 + stake * (x / mean - 1.0)) for stake in (0.8, 0.4, 0.2, 0.1, 0.05, 0.025)])


def part(start, a, b):
    """Section 2: the part of δ for a ruling out b."""
    if max(a, b) < start:
        return 1.0 / start
    i = max(a, b) - start + 1
    return 1.0 / (start * i * (i + 1)) / (1 if a > b else b)


class Race:
    """What follows from blocks, each a dict from arm to score."""

    def __init__(self, arms, better, close):
        self.start, self.arms, self.blocks = arms, arms, []
        self.evidence = {"better": better, "close": close}
        """Of two lists of scores."""
        self.highest = {}

    def read(self, block):
        """Raise the evidence of all pairs of a block, from all blocks so far that hold them."""
        self.blocks.append(block)
        for a, b in itertools.permutations(block, 2):
            met = [(each[a], each[b]) for each in self.blocks if a in each and b in each]
            for claim, evidence in self.evidence.items():
                now = part(self.start, a, b) * evidence(*zip(*met, strict=True))
                self.highest[claim, a, b] = max(now, self.highest.get((claim, a, b), 0.0))

    def reaches(self, delta, a, b, *claims):
        """Return whether one of these claims is shown of a against b."""
        return any(self.highest.get((claim, a, b), 0.0) >= 1.0 / delta for claim in claims)

    def answer(self, delta):
        """Return the contenders, and whether that is an answer."""
        arms = range(self.arms)
        left = [b for b in arms if not any(self.reaches(delta, a, b, "better") for a in arms)]
        return left, all(self.reaches(delta, a, b, "better", "close") for a, b in itertools.permutations(left, 2))
