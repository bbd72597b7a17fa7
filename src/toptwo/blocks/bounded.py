"""Evidence about means of differences that are bounded, by betting: nothing else is assumed of them.

The e-process of docs/blocks.md, section 6. A difference d within ±c becomes x = (d + c)/(2c) in [0, 1]; against the
null that its mean is at most m, a gambler multiplies the capital by 1 − λ + λx/m in each block. Capitals for several
stakes λ are averaged.
"""

import math
from typing import Any

from toptwo.blocks.pairs import end

STAKES = (0.8, 0.4, 0.2, 0.1, 0.05, 0.025)


def log_capital(unit_values: list[float], mean: float) -> float:
    """Return ln e for values in [0, 1] against the null that each has conditional mean at most `mean`.

    Examples
    --------
    >>> round(log_capital([0.5, 0.5, 0.5], 0.5), 12), log_capital([1.0] * 8, 0.5) > 3.0
    (0.0, True)
    """
    logs = [sum(math.log1p(stake * (value / mean - 1.0)) for value in unit_values) for stake in STAKES]
    return log_average(logs)


def log_average(logs: list[float]) -> float:
    """Return the logarithm of the average of e^x over the numbers x given."""
    highest = max(logs)
    return highest + math.log(sum(math.exp(value - highest) for value in logs) / len(logs))


class Capital:
    """What a gambler owns who bets against the null that the mean of values in [0, 1] is at most a number."""

    __slots__ = ("logs", "mean")

    def __init__(self, mean: float, logs: list[float] | None = None) -> None:
        self.mean, self.logs = mean, [0.0] * len(STAKES) if logs is None else logs

    def bet(self, value: float) -> None:
        """Take in one more value."""
        gain = value / self.mean - 1.0
        for k, stake in enumerate(STAKES):
            self.logs[k] += math.log1p(stake * gain)

    def log_evidence(self) -> float:
        """Return the logarithm of the average capital."""
        return log_average(self.logs)


class BoundedPair:
    """Differences of values within known bounds; the margin is a difference."""

    __slots__ = ("bets", "margin", "span", "squares", "total", "units")

    def __init__(self, margin: float, span: float) -> None:
        self.margin, self.span = margin, span
        self.units: list[float] = []
        """Differences, from the lowest possible one as 0 to the highest one as 1."""
        self.total, self.squares = 0.0, 0.0
        self.bets = self._new_bets()

    def _new_bets(self) -> list[Capital]:
        allowed = 0.5 - 0.5 * self.margin / self.span
        return [Capital(0.5), Capital(0.5), Capital(allowed), Capital(allowed)]

    @property
    def count(self) -> int:
        """Return the number of blocks that hold both arms."""
        return len(self.units)

    def add(self, first: float, second: float) -> None:
        """Take in the scores of one block."""
        unit = min(1.0, max(0.0, 0.5 + 0.5 * (first - second) / self.span))
        self.units.append(unit)
        self.total += unit
        self.squares += unit * unit
        for k, bet in enumerate(self.bets):
            bet.bet(unit if k % 2 == 0 else 1.0 - unit)

    def effect(self) -> float:
        """Return the mean difference."""
        return (2.0 * self.total / self.count - 1.0) * self.span if self.units else 0.0

    def variance(self) -> float:
        """Return the sample variance of the differences."""
        if self.count < 2:
            return math.nan
        scatter = max(0.0, self.squares - self.total * self.total / self.count)
        return 4.0 * self.span**2 * scatter / (self.count - 1)

    def beats(self, forward: bool, above: float) -> float:
        """Return ln e against the null that the mean difference is not positive."""
        return self.bets[0 if forward else 1].log_evidence()

    def close(self, forward: bool, above: float) -> float:
        """Return ln e against the null that the mean difference is below minus the margin."""
        return self.bets[2 if forward else 3].log_evidence()

    def forecast(self, forward: bool, close: bool, factor: float) -> float:
        """Return ln e after so many times the blocks."""
        bet = self.bets[(0 if forward else 1) + (2 if close else 0)]
        return log_average([factor * log for log in bet.logs])

    def interval(self, ahead: float, behind: float) -> tuple[float, float]:
        """Return the mean differences against which ln e is below the level of its side."""
        if not self.units:
            return -self.span, self.span
        mean = self.total / self.count
        mirrored = [1.0 - unit for unit in self.units]
        low = end(lambda null: log_capital(self.units, max(null, 1e-12)), mean, -mean, ahead) if mean else 0.0
        rest = 1.0 - mean
        high = end(lambda null: log_capital(mirrored, max(1.0 - null, 1e-12)), mean, rest, behind) if rest else 1.0
        return (2.0 * max(low, 0.0) - 1.0) * self.span, (2.0 * min(high, 1.0) - 1.0) * self.span

    def kept(self) -> list[Any]:
        """Return the differences, their sums and the capitals."""
        return [list(self.units), self.total, self.squares, [list(bet.logs) for bet in self.bets]]

    def fill(self, kept: list[Any]) -> None:
        """Take over differences, their sums and the capitals."""
        self.units, self.total, self.squares = list(kept[0]), kept[1], kept[2]
        self.bets = [Capital(bet.mean, list(logs)) for bet, logs in zip(self._new_bets(), kept[3], strict=True)]
