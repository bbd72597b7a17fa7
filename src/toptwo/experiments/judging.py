"""Patterns of claims: from intervals to a number in words and a verdict."""

from collections.abc import Iterable, Sequence

from toptwo.experiments.experiment import Finding
from toptwo.sweeps.statistics import NORMAL_999, Estimate, Judgement, every, wilson
from toptwo.sweeps.tables import TablePoint


def shown(interval: Estimate) -> str:
    """Return a number with the half-width of its 99.9 % interval, with as many digits as that is known.

    Examples
    --------
    >>> shown(Estimate(1.0234, 1.0134, 1.0334)), shown(Estimate(12.3, 11.1, 13.5))
    ('1.02 ± 0.01', '12.3 ± 1.2')
    """
    width = (interval.high - interval.low) / 2.0
    digits = 3 if width < 0.01 else 2 if width < 0.1 else 1
    return f"{interval.value:.{digits}f} ± {width:.{digits}f}"


def ratios(point: TablePoint, pairs: Iterable[tuple[str, str]], low: float, high: float) -> Finding:
    """Judge whether each typical ratio of samples lies between two levels; the ratio of means is shown beside it."""
    texts, verdicts = [], []
    for one, other in pairs:
        found = point.typical_ratio(one, other, NORMAL_999)
        texts.append(f"{one}/{other} {shown(found)} (means {point.ratio(one, other).value:.2f})")
        verdicts.append(found.within(low, high))
    return Finding(", ".join(texts), every(verdicts))


def beaten(point: TablePoint, winner: str, losers: Sequence[str], margin: float = 1.0) -> Finding:
    """Judge whether each of some algorithms needs more than `margin` times the samples of another."""
    return ratios(point, [(loser, winner) for loser in losers], margin, float("inf"))


def error_rate(row: dict[str, int]) -> Estimate:
    """Return the rate of wrong answers with its interval."""
    low, high = wilson(row["wrong"], row["runs"], NORMAL_999)
    return Estimate(row["wrong"] / row["runs"], float(low), float(high))


def close(value: float, printed: float, tolerance: float, wide: float) -> Judgement:
    """Judge a number of the paper against ours: right, right with a correction, or wrong."""
    distance = abs(value - printed)
    if distance <= tolerance:
        return Judgement.HOLDS
    return Judgement.CORRECTED if distance <= wide else Judgement.FAILS
