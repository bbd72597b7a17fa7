"""The ways of comparing two arms inside a block: what is claimed, and what has to hold for it (docs/blocks.md)."""

import math
from collections.abc import Hashable
from typing import Any, NamedTuple

from toptwo import checks
from toptwo.blocks.bounded import BoundedPair
from toptwo.blocks.pairs import Pair
from toptwo.blocks.student import RatioPair, StudentPair
from toptwo.blocks.wins import WinsPair
from toptwo.errors import InputError

COMPARISONS = {"mean": "mean", "log": "log", "wins": "wins"}

DIRECTIONS = {"maximize": 1.0, "minimize": -1.0}


class BlockComparison(NamedTuple):
    """How values become scores, and pairs of scores evidence.

    Examples
    --------
    >>> comparison = make_comparison("log", direction="minimize", margin=0.02)
    >>> round(comparison.score(math.e, "a"), 6), comparison.claim()
    (-1.0, 'lowest geometric mean')
    """

    kind: str
    sign: float
    margin: float
    """In units of scores; a share of decided blocks for wins."""
    relative: bool
    """Whether the margin is a ratio of means."""
    bounds: tuple[float, float] | None

    @property
    def gaussian(self) -> bool:
        """Return whether differences are taken to be Gaussian."""
        return self.kind != "wins" and self.bounds is None

    @property
    def most_behind(self) -> float:
        """Return how far an arm may be behind another one that it is tied with, as `effect` of pairs counts."""
        if self.relative:
            return math.inf  # a ratio says nothing of a difference
        return 2.0 * self.margin if self.kind == "wins" else self.margin

    def check(self, value: float, name: Hashable) -> None:
        """Raise InputError if a value cannot be compared in this way."""
        if math.isnan(value) or (self.kind != "wins" and math.isinf(value)):
            raise InputError(f"the value of {name!r} must be a finite number, not {value!r}.")
        if self.kind == "log" and value <= 0.0:
            raise InputError(
                f"the value of {name!r} must be positive to be compared by its logarithm, not {value!r}: "
                'use compare="mean" or compare="wins".'
            )
        if self.relative and value <= 0.0:
            raise InputError(
                f"the value of {name!r} must be positive for a margin that is a ratio, not {value!r}: "
                "give the margin as a difference."
            )
        if self.bounds is not None and not self.bounds[0] <= value <= self.bounds[1]:
            low, high = self.bounds
            raise InputError(f"the value of {name!r} must lie in the bounds [{low:g}, {high:g}], not {value!r}.")

    def score(self, value: float, name: Hashable) -> float:
        """Return a value as a score, of which more is better; or raise InputError."""
        self.check(value, name)
        return self.sign * (math.log(value) if self.kind == "log" else value)

    def new_pair(self) -> Pair:
        """Return an empty record of two arms."""
        if self.kind == "wins":
            return WinsPair(self.margin)
        if self.bounds is not None:
            return BoundedPair(self.margin, self.bounds[1] - self.bounds[0])
        return RatioPair(self.margin) if self.relative else StudentPair(self.margin)

    def claim(self) -> str:
        """Return what the best arm is best in."""
        if self.kind == "wins":
            return "wins the most blocks against each other arm"
        end = "highest" if self.sign > 0.0 else "lowest"
        return f"{end} {'geometric mean' if self.kind == 'log' else 'mean'}"

    def assumption(self, arms: str = "arms", *, added: bool = False) -> str:
        """Return what must hold for the guarantee, as the end of "Assumes …"; arms go by the name given.

        Where some were added, who wins against whom must be an order (docs/blocks.md, section 2).
        """
        if self.kind == "wins":
            order = (
                f"; and, since {arms} were added, that what beats one of them beats all that are no better than that"
            )
            return f"nothing about the values: the better of two {arms} wins more of their blocks than it loses" + (
                order if added else ""
            )
        if self.bounds is not None:
            low, high = self.bounds
            return f"values in [{low:g}, {high:g}], and the same mean difference of two {arms} in every block"
        what = f"ratios of two {arms} in a block are lognormal" if self.kind == "log" else (
            f"differences of two {arms} in a block are Gaussian"
        )  # fmt: skip
        return f"that {what}, with the same law in every block; whatever the {arms} of a block share cancels"


def make_comparison(
    compare: str = "mean",
    *,
    direction: str = "maximize",
    margin: float = 0.0,
    relative: bool = False,
    bounds: tuple[float, float] | None = None,
) -> BlockComparison:
    """Return a way of comparing, or raise InputError where the parts do not fit together.

    Examples
    --------
    >>> make_comparison("logs")
    Traceback (most recent call last):
    toptwo.errors.InputError: compare 'logs' is unknown; did you mean 'log'? Known: log, mean, wins.
    """
    kind = checks.one_of("compare", compare, COMPARISONS)
    sign = checks.one_of("direction", direction, DIRECTIONS)
    given = checks.at_least("margin", margin, 0.0)
    limits = _bounds(bounds, kind)
    if kind == "wins" and given >= 0.5:
        raise InputError(f'with compare="wins" the margin is a share of blocks below 0.5, not {given:g}.')
    if kind == "log":
        given = math.log1p(given)
    if relative and kind == "mean" and limits is not None:
        raise InputError("with bounds the margin must be a difference: leave relative out.")
    if limits is not None and given >= limits[1] - limits[0]:
        raise InputError(f"margin must be smaller than the distance of the bounds, not {given:g}.")
    return BlockComparison(kind, sign, given, relative and kind == "mean" and given > 0.0, limits)


def _bounds(bounds: Any, kind: str) -> tuple[float, float] | None:
    if bounds is None:
        return None
    if kind != "mean":
        raise InputError(f'bounds are for compare="mean" only, not for {kind!r}: leave them out.')
    try:
        low, high = (checks.at_least("bounds", each, -math.inf) for each in bounds)
    except (TypeError, ValueError):
        low, high = math.nan, math.nan
    if not low < high:
        raise InputError(f"bounds must be two finite numbers, the lower one first, such as (0, 1), not {bounds!r}.")
    return low, high
