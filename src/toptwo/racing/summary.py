"""Numbers that stand for many: means, deviations, medians."""

import math
from collections.abc import Sequence
from typing import NamedTuple


class MetricSummary(NamedTuple):
    """What hyperfine tells of a metric; `stddev` is None for a single value."""

    number: int
    mean: float
    stddev: float | None
    median: float
    min: float
    max: float


def summarize(values: Sequence[float]) -> MetricSummary:
    """Return the summary of some values.

    Examples
    --------
    >>> summarize([1.0, 2.0, 6.0])
    MetricSummary(number=3, mean=3.0, stddev=2.6457513110645907, median=2.0, min=1.0, max=6.0)
    """
    number, ordered = len(values), sorted(values)
    mean = math.fsum(values) / number
    spread = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (number - 1)) if number > 1 else None
    return MetricSummary(number, mean, spread, median(ordered), ordered[0], ordered[-1])


def median(ordered: Sequence[float]) -> float:
    """Return the median of values in order."""
    half, odd = divmod(len(ordered), 2)
    return ordered[half] if odd else 0.5 * (ordered[half - 1] + ordered[half])


def deviation(values: Sequence[float]) -> float:
    """Return the usual deviation of values from their median, as that of Gaussian noise; 0 of fewer than two.

    Examples
    --------
    >>> round(deviation([1.0, 2.0, 3.0, 4.0, 90.0]), 3)
    1.483
    """
    if len(values) < 2:
        return 0.0
    centre = median(sorted(values))
    return 1.4826 * median(sorted(abs(value - centre) for value in values))


def robust_scores(values: Sequence[float]) -> list[float]:
    """Return how many usual deviations each value lies from the median (Iglewicz and Hoaglin, 1993).

    Examples
    --------
    >>> [round(score, 2) for score in robust_scores([1.0, 1.1, 0.9, 1.0, 5.0])]
    [0.0, 0.67, -0.67, 0.0, 26.98]
    """
    centre = median(sorted(values))
    usual = median(sorted(abs(value - centre) for value in values))
    return [0.0 if not usual else 0.6745 * (value - centre) / usual for value in values]


def rank_trend(values: Sequence[float]) -> float:
    """Return how many deviations the order of the values lies from having no trend (Mann, 1945).

    Examples
    --------
    >>> rank_trend([1.0, 2.0, 3.0, 4.0, 5.0]) > 2.0
    True
    """
    number = len(values)
    if number < 3:
        return 0.0
    pairs = sum(
        (values[later] > values[earlier]) - (values[later] < values[earlier])
        for later in range(number)
        for earlier in range(later)
    )
    return pairs / math.sqrt(number * (number - 1) * (2 * number + 5) / 18.0)
