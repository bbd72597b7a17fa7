"""Evidence that the mean of Gaussian differences is positive, their variance being unknown.

The e-process of docs/blocks.md, section 3: likelihood ratios of noncentral t laws to the central one, averaged over
positive effects |N(0, τ²)|. With k differences, S their sum, Q the sum of their squares, a = k + 1/τ² and z = S²/(aQ),

    e = (1 + kτ²)^{−1/2} (1 − z)^{−k/2} · 2F,

where F = 1 − ½ I_{1−z}(k/2, ½) for S > 0 is a Student distribution function: the part of the posterior of the effect
that lies above zero.
"""

import math
from typing import Any

from toptwo.blocks.pairs import end
from toptwo.blocks.wins import log_wins
from toptwo.tails import beta_tails

EFFECTS = (4.5, 0.6, 0.1)
"""Scales τ of the effects bet on, in standard deviations of a difference."""

WEIGHTS = (0.25, 0.5, 0.25)

CONSTANT = 1e-10
"""Differences count as equal if they spread less than this, relative to their mean."""


def log_student(count: int, mean: float, scatter: float, above: float = -math.inf) -> float:
    """Return ln e for so many differences with this mean and sum of squares about it.

    Nothing speaks for a mean that is not positive: then the result is −∞, which only makes e smaller. Equal differences
    cannot be Gaussian, so that they count as wins at most. If ln e cannot exceed `above`, anything up to that may come
    back instead, which is quicker.

    Examples
    --------
    >>> round(log_student(10, 1.0, 9.0), 6)
    2.13178
    """
    if mean <= 0.0 or count < 2:
        return -math.inf
    total = count * mean
    square = scatter + total * mean
    terms = []
    highest = -math.inf
    for scale, weight in zip(EFFECTS, WEIGHTS, strict=True):
        share = total * total / ((count + 1.0 / (scale * scale)) * square)
        term = math.log(2.0 * weight) - 0.5 * math.log1p(count * scale * scale) - 0.5 * count * math.log1p(-share)
        highest = max(highest, term)
        terms.append((term, share))
    if highest + math.log(sum(math.exp(term - highest) for term, _ in terms)) <= above:  # F ≤ 1
        return above
    found = sum(
        math.exp(term - highest) * -math.expm1(beta_tails(0.5 * count, 0.5, 1.0 - share)[0] - math.log(2.0))
        for term, share in terms
    )
    evidence = highest + math.log(found)
    if scatter <= count * (CONSTANT * mean) ** 2:
        return min(evidence, log_wins(count, 0, 0.5))
    return evidence


class Differences:
    """Count, mean and sum of squares about it of one sequence of differences (Welford's recurrence)."""

    __slots__ = ("count", "mean", "scatter")

    def __init__(self, count: int = 0, mean: float = 0.0, scatter: float = 0.0) -> None:
        self.count, self.mean, self.scatter = count, mean, scatter

    def add(self, difference: float) -> None:
        """Take in one more difference."""
        self.count += 1
        step = difference - self.mean
        self.mean += step / self.count
        self.scatter += step * (difference - self.mean)

    def log_evidence(self, shift: float, above: float) -> float:
        """Return ln e for the claim that differences are above −shift on average."""
        return log_student(self.count, self.mean + shift, self.scatter, above)

    def log_evidence_against(self, shift: float, above: float) -> float:
        """Return ln e for the claim that the opposite differences are above −shift on average."""
        return log_student(self.count, shift - self.mean, self.scatter, above)


class StudentPair:
    """Differences, or logarithms of ratios, that are Gaussian with unknown variance; the margin is a difference."""

    __slots__ = ("margin", "plain")

    def __init__(self, margin: float) -> None:
        self.plain, self.margin = Differences(), margin

    @property
    def count(self) -> int:
        """Return the number of blocks that hold both arms."""
        return self.plain.count

    def add(self, first: float, second: float) -> None:
        """Take in the scores of one block."""
        self.plain.add(first - second)

    def effect(self) -> float:
        """Return the mean difference."""
        return self.plain.mean

    def variance(self) -> float:
        """Return the sample variance of the differences."""
        return self.plain.scatter / (self.plain.count - 1) if self.plain.count > 1 else math.nan

    def beats(self, forward: bool, above: float) -> float:
        """Return ln e against the null that the mean difference is not positive."""
        return self.plain.log_evidence(0.0, above) if forward else self.plain.log_evidence_against(0.0, above)

    def close(self, forward: bool, above: float) -> float:
        """Return ln e against the null that the mean difference is below minus the margin."""
        if forward:
            return self.plain.log_evidence(self.margin, above)
        return self.plain.log_evidence_against(self.margin, above)

    def forecast(self, forward: bool, close: bool, factor: float) -> float:
        """Return ln e after so many times the blocks."""
        return student_forecast(self.plain, forward, self.margin if close else 0.0, factor)

    def interval(self, ahead: float, behind: float) -> tuple[float, float]:
        """Return the mean differences against which ln e is below the level of its side."""
        count, mean, scatter = self.plain.count, self.plain.mean, self.plain.scatter
        if count < 2:
            return -math.inf, math.inf
        step = math.sqrt(scatter / count) or 1e-12 * abs(mean) or 1e-12
        low = end(lambda null: log_student(count, mean - null, scatter), mean, -step, ahead)
        high = end(lambda null: log_student(count, null - mean, scatter), mean, step, behind)
        return low, high

    def kept(self) -> list[Any]:
        """Return count, mean and scatter."""
        return [self.plain.count, self.plain.mean, self.plain.scatter]

    def fill(self, kept: list[Any]) -> None:
        """Take over count, mean and scatter."""
        self.plain = Differences(*kept)


def student_forecast(seen: Differences, forward: bool, shift: float, factor: float) -> float:
    """Return ln e after so many times the differences."""
    mean = seen.mean if forward else -seen.mean
    return log_student(math.ceil(factor * seen.count), mean + shift, factor * seen.scatter)


class RatioPair(StudentPair):
    """Differences with a margin that is a ratio of means: the better mean may be (1 + margin) times the other one."""

    __slots__ = ("backward", "forward", "stretch")

    def __init__(self, margin: float) -> None:
        super().__init__(margin)
        self.stretch = 1.0 + margin
        self.forward, self.backward = Differences(), Differences()

    def add(self, first: float, second: float) -> None:
        """Take in the scores of one block; scores below zero are lengths to be minimised."""
        super().add(first, second)
        if first > 0.0:
            self.forward.add(self.stretch * first - second)
            self.backward.add(self.stretch * second - first)
        else:
            self.forward.add(first - self.stretch * second)
            self.backward.add(second - self.stretch * first)

    def beats(self, forward: bool, above: float) -> float:
        """Return ln e against the null that the mean difference is not positive, or the ratio beyond the margin."""
        return min(super().beats(forward, above), self.close(forward, above))

    def close(self, forward: bool, above: float) -> float:
        """Return ln e against the null that the ratio of means is beyond the margin."""
        return (self.forward if forward else self.backward).log_evidence(0.0, above)

    def forecast(self, forward: bool, close: bool, factor: float) -> float:
        """Return ln e after so many times the blocks."""
        if not close:
            return student_forecast(self.plain, forward, 0.0, factor)
        return student_forecast(self.forward if forward else self.backward, True, 0.0, factor)

    def kept(self) -> list[Any]:
        """Return what is known of the three sequences."""
        return [[seen.count, seen.mean, seen.scatter] for seen in (self.plain, self.forward, self.backward)]

    def fill(self, kept: list[Any]) -> None:
        """Take over what was known of the three sequences."""
        self.plain, self.forward, self.backward = (Differences(*each) for each in kept)
