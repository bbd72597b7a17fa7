"""Spread: values that scatter about their means more than the σ given allows."""

import math
from collections.abc import Iterator, Sequence

from toptwo.blocks.bounded import log_average
from toptwo.study.diagnostics.base import EVERYWHERE, FALSE_ALARM, Diagnosis, power_of_ten
from toptwo.study.diagnostics.noise import NoiseShape
from toptwo.study.diagnostics.tally import Tally
from toptwo.words import number_text

FACTORS = (1.05, 1.15, 1.4, 2.0, 4.0, 16.0)
"""How many times σ the true deviation is bet to be, with equal weights."""

ENOUGH = 5
"""Values beyond the first of each arm that can say something of σ."""


def log_e_value(squares: float, values: float) -> float:
    """Return ln of the mixture over s of s^{−n} exp(½ (1 − 1/s²) Q): Q squared deviations of n values, in units of σ².

    A supermartingale bounds it from above if the noise is σ-sub-Gaussian (docs/diagnostics.md, section 2).

    Examples
    --------
    >>> round(log_e_value(400.0, 5.0), 1), log_e_value(5.0, 5.0) < 0.0
    (183.6, True)
    """
    return log_average([0.5 * (1.0 - 1.0 / (s * s)) * squares - values * math.log(s) for s in FACTORS])


class Spread:
    """Bets on a larger spread: half of the capital on all arms together, the rest in equal parts on each of them."""

    def __init__(self, noise: NoiseShape) -> None:
        self._given = noise.given

    def judge(self, tallies: Sequence[Tally], *, over: bool) -> Iterator[Diagnosis]:
        """Return a diagnosis if the bets have won 1/FALSE_ALARM, or if the study ended with too few values to tell."""
        if not self._given:
            return
        scatter = [scatter_of(tally) for tally in tallies]
        squares = [square / (sigma * sigma) for (square, _), sigma in zip(scatter, self._given, strict=True)]
        values = [count for _, count in scatter]
        together = log_e_value(sum(squares), sum(values))
        each = log_average([log_e_value(square, count) for square, count in zip(squares, values, strict=True)])
        won = log_average([together, each])
        repeats = sum(max(0, count - 1) for count in values)
        if won >= -math.log(FALSE_ALARM):
            seen = math.sqrt(sum(square for square, _ in scatter) / repeats)
            yield self._too_large(seen, math.sqrt(sum(squares) / repeats), won)
        elif over and repeats < ENOUGH:
            yield Diagnosis("spread", EVERYWHERE, _unchecked(repeats))

    def _too_large(self, seen: float, times: float, won: float) -> Diagnosis:
        given = f"sigma = {self._given[0]:g}" if len(set(self._given)) == 1 else "the sigma given"
        return Diagnosis(
            "spread",
            EVERYWHERE,
            f"Values scatter about their means with a standard deviation of {number_text(seen)}, {times:.1f} times "
            f"what {given} allows (e-value {power_of_ten(won)}): the guarantee does not hold. Give a sigma that is at "
            "least as large, or family=tt.GaussianUnknownVariance().",
        )


def scatter_of(tally: Tally) -> tuple[float, int]:
    """Return the squared deviations of all values of an arm from their mean, and how many values there are.

    An average of n counts as one value whose deviation is √n times as large: that has the variance of a single one.

    Examples
    --------
    >>> from toptwo.study.diagnostics.batches import Batches
    >>> tally = Tally()
    >>> tally.batches = Batches()
    >>> _ = tally.add(1.0), tally.batches.add(2.0, 3)
    >>> scatter_of(tally)  # 1 · 0.75² + 3 · 0.25²
    (0.75, 2)
    """
    seen = tally.batches
    if seen is None:
        return tally.squares, tally.count
    if tally.size != 1:  # then all of its values are among those
        return seen.squares, seen.count
    gap = tally.mean - seen.mean
    apart = gap * gap * tally.count * seen.weight / (tally.count + seen.weight)
    return tally.squares + seen.squares + apart, tally.count + seen.count


def _unchecked(repeats: int) -> str:
    many = f"{repeats} value{'s repeat' if repeats != 1 else ' repeats'}" if repeats else "No value repeats"
    return (
        f"{many} a measurement of the same arm: too few to see whether the sigma given is right. The guarantee rests "
        "on it; without a family the variance is estimated."
    )
