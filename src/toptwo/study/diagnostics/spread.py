"""Spread: values that scatter about their means more than the σ given allows."""

import math
from collections.abc import Iterator, Sequence

from toptwo.study.diagnostics.base import EVERYWHERE, FALSE_ALARM, Diagnosis
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
    exponents = [0.5 * (1.0 - 1.0 / (s * s)) * squares - values * math.log(s) for s in FACTORS]
    top = max(exponents)
    return top + math.log(sum(math.exp(exponent - top) for exponent in exponents) / len(FACTORS))


class Spread:
    """Bets on a larger spread: half of the capital on all arms together, the rest in equal parts on each of them."""

    def __init__(self, noise: NoiseShape, arms: int) -> None:
        self._given, self._arms = noise.given, arms

    def judge(self, tallies: Sequence[Tally], *, over: bool) -> Iterator[Diagnosis]:
        """Return a diagnosis if the bets have won 1/FALSE_ALARM, or if the study ended with too few values to tell."""
        if not self._given:
            return
        squares = [tally.squares / (sigma * sigma) for tally, sigma in zip(tallies, self._given, strict=True)]
        values = sum(tally.count for tally in tallies)
        wins = [log_e_value(sum(squares), values) + math.log(0.5)]
        share = math.log(0.5 / self._arms)
        wins += [share + log_e_value(square, tally.count) for square, tally in zip(squares, tallies, strict=True)]
        top = max(wins)
        won = top + math.log(sum(math.exp(win - top) for win in wins))
        repeats = sum(max(0, tally.count - 1) for tally in tallies)
        if won >= -math.log(FALSE_ALARM):
            yield self._too_large(tallies, squares, repeats, won)
        elif over and repeats < ENOUGH:
            yield Diagnosis("spread", EVERYWHERE, _unchecked(repeats))

    def _too_large(self, tallies: Sequence[Tally], squares: list[float], repeats: int, won: float) -> Diagnosis:
        seen = math.sqrt(sum(tally.squares for tally in tallies) / repeats)
        times = math.sqrt(sum(squares) / repeats)
        given = f"sigma = {self._given[0]:g}" if len(set(self._given)) == 1 else "the sigma given"
        return Diagnosis(
            "spread",
            EVERYWHERE,
            f"Values scatter about their means with a standard deviation of {number_text(seen)}, {times:.1f} times "
            f"what {given} allows (e-value {_power(won)}): the guarantee does not hold. Give a sigma that is at least "
            "as large, or family=tt.GaussianUnknownVariance().",
        )


def _unchecked(repeats: int) -> str:
    many = f"{repeats} value{'s repeat' if repeats != 1 else ' repeats'}" if repeats else "No value repeats"
    return (
        f"{many} a measurement of the same arm: too few to see whether the sigma given is right. The guarantee rests "
        "on it; without a family the variance is estimated."
    )


def _power(log_value: float) -> str:
    """Return a large number as a power of ten."""
    return f"10^{math.floor(log_value / math.log(10.0))}"
