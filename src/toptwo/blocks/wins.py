"""Evidence that one arm wins a block more often than the other: a sign test that may be watched all the time.

The e-process of docs/blocks.md, section 5: the likelihood ratio of a share p of wins against the share q of the null,
averaged over p uniform in (q, 1). Nothing is assumed about the values.
"""

import math
from typing import Any

from toptwo.blocks.pairs import end
from toptwo.special import log_gamma
from toptwo.tails import beta_tails


def log_wins(wins: int, losses: int, share: float) -> float:
    """Return ln e for so many wins and losses against the null that at most this share of decided blocks is won.

    Examples
    --------
    >>> round(math.exp(log_wins(1, 0, 0.5)), 9), round(math.exp(log_wins(10, 0, 0.5)), 3)
    (1.5, 186.091)
    """
    return (
        log_gamma(wins + 1.0)
        + log_gamma(losses + 1.0)
        - log_gamma(wins + losses + 2.0)
        + beta_tails(wins + 1.0, losses + 1.0, share)[1]
        - wins * math.log(share)
        - (losses + 1) * math.log1p(-share)
    )


class WinsPair:
    """Who won how many blocks; the margin is a share of the blocks that were won by either."""

    __slots__ = ("losses", "margin", "ties", "wins")

    def __init__(self, margin: float) -> None:
        self.wins, self.losses, self.ties, self.margin = 0, 0, 0, margin

    @property
    def count(self) -> int:
        """Return the number of blocks that hold both arms."""
        return self.wins + self.losses + self.ties

    def add(self, first: float, second: float) -> None:
        """Take in the scores of one block; equal scores say nothing."""
        if first > second:
            self.wins += 1
        elif first < second:
            self.losses += 1
        else:
            self.ties += 1

    @property
    def decided(self) -> int:
        """Return the number of blocks that one of both has won."""
        return self.wins + self.losses

    def effect(self) -> float:
        """Return the share of decided blocks won less the share lost, of which the interval speaks, too."""
        return (self.wins - self.losses) / self.decided if self.decided else 0.0

    def variance(self) -> float:
        """Return the variance of a win that counts 1 and a loss that counts −1."""
        return 1.0 - self.effect() ** 2 if self.decided > 1 else math.nan

    def _log_evidence(self, forward: bool, share: float, factor: float = 1.0) -> float:
        wins, losses = math.ceil(factor * self.wins), math.ceil(factor * self.losses)
        return log_wins(wins, losses, share) if forward else log_wins(losses, wins, share)

    def beats(self, forward: bool, above: float) -> float:
        """Return ln e against the null that an arm wins at most every other decided block."""
        return self._log_evidence(forward, 0.5)

    def close(self, forward: bool, above: float) -> float:
        """Return ln e against the null that an arm wins fewer decided blocks than the margin allows."""
        return self._log_evidence(forward, 0.5 - self.margin)

    def forecast(self, forward: bool, close: bool, factor: float) -> float:
        """Return ln e after so many times the blocks."""
        return self._log_evidence(forward, 0.5 - self.margin if close else 0.5, factor)

    def interval(self, ahead: float, behind: float) -> tuple[float, float]:
        """Return the shares of decided blocks, won less lost, against which ln e is below the level of its side."""
        won, lost = self.wins, self.losses
        if not self.decided:
            return -1.0, 1.0
        share = won / self.decided
        low = end(lambda null: log_wins(won, lost, max(null, 1e-300)), share, -share, ahead) if won else 0.0
        high = (
            end(lambda null: log_wins(lost, won, max(1.0 - null, 1e-300)), share, 1.0 - share, behind) if lost else 1.0
        )
        return 2.0 * low - 1.0, 2.0 * high - 1.0

    def kept(self) -> list[Any]:
        """Return wins, losses and ties."""
        return [self.wins, self.losses, self.ties]

    def fill(self, kept: list[Any]) -> None:
        """Take over wins, losses and ties."""
        self.wins, self.losses, self.ties = kept
