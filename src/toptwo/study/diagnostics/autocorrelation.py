"""Autocorrelation: values of an arm that follow each other and are closer together than others."""

from collections.abc import Sequence

from toptwo.study.diagnostics.base import Diagnosis, allowed, log_fair_coins
from toptwo.study.diagnostics.noise import NoiseShape
from toptwo.study.diagnostics.tally import Tally


class Autocorrelation:
    """Takes an arm's values in blocks of four, a b c d, and compares |a−b| + |c−d| with |a−c| + |b−d|.

    If values are independent and alike, whatever their law, exchanging b and c changes nothing: a fair coin per block.
    """

    def __init__(self, noise: NoiseShape, parts: Sequence[float]) -> None:
        self._parts = parts

    def judge(self, arm: int, tally: Tally) -> Diagnosis | None:
        """Return a diagnosis at a milestone if the coins are not fair."""
        blocks = tally.count // 4 - tally.drawn
        if blocks == 0 or log_fair_coins(tally.closer, blocks) > allowed(self._parts[arm], tally.count):
            return None
        together = tally.closer > 0.5 * blocks
        return Diagnosis("autocorrelation", arm, resemble(together))


def resemble(together: bool = True) -> str:
    """Return what is said of an arm whose values are not independent."""
    return (
        f"Values of {{arm}} that follow each other are {'closer together' if together else 'farther apart'} than "
        "others: they are not independent, and the guarantee is for independent measurements. Measure arms back to "
        "back and compare differences, or tell averages over stretches long enough to forget each other."
    )
