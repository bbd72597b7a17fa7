"""Running numbers of an arm's values, in the order of asking: what all diagnostics judge from."""

from typing import Any

from toptwo.study.diagnostics.base import FIRST_LOOK
from toptwo.study.diagnostics.batches import Batches


class Tally:
    """What is kept of an arm: a dozen numbers, however many values there are."""

    __slots__ = (
        "above",
        "batches",
        "closer",
        "count",
        "drawn",
        "first",
        "last",
        "level",
        "mean",
        "older",
        "rising",
        "size",
        "squares",
        "steps",
        "zeros_and_ones",
    )

    def __init__(self) -> None:
        self.count = 0
        self.mean = self.squares = self.first = self.rising = 0.0
        """The mean, the sum of squared deviations from it, the first value, and Σ s (x_s − x_1)."""
        self.last = self.steps = 0.0
        """The last value, and the sum of squared differences between each value and the next one."""
        self.above = self.level = self.zeros_and_ones = 0
        """Values above the mean of those before, values that are just that mean, and values that are 0 or 1."""
        self.closer = self.drawn = 0
        """Blocks of four in which neighbours in time are closer than others, and blocks that say neither."""
        self.older: list[float] = []
        """Values of the block of four that is under way."""

        self.size = 1
        """How many measurements each value is the average of."""
        self.batches: Batches | None = None
        """Averages of any size and counts, where there are some."""

    def add(self, value: float) -> bool:
        """Take in a value; return whether the arm has come to a milestone: 8, 16, 32, … values."""
        count = self.count = self.count + 1
        if count == 1:
            self.first = value
        else:
            step = value - self.last
            self.steps += step * step
        self.last = value
        gap = value - self.mean
        if count > 1:
            self.above += gap > 0.0
            self.level += gap == 0.0
        self.mean += gap / count
        self.squares += gap * (value - self.mean)
        self.rising += count * (value - self.first)
        if value == 0.0 or value == 1.0:
            self.zeros_and_ones += 1
        block = self.older
        if count & 3:
            block.append(value)
            return False
        first, second, third = block
        near, far = abs(first - second) + abs(third - value), abs(first - third) + abs(second - value)
        if near < far:
            self.closer += 1
        elif near == far:
            self.drawn += 1
        block.clear()
        return count >= FIRST_LOOK and count & (count - 1) == 0

    def kept(self) -> list[object]:
        """Return all of it as plain data."""
        kept: list[Any] = [getattr(self, name) for name in self.__slots__]
        return [
            list(part) if isinstance(part, list) else part.kept() if isinstance(part, Batches) else part
            for part in kept
        ]

    def fill(self, kept: list[object]) -> None:
        """Go on from what was kept, which may lack what came later."""
        for name, number in zip(self.__slots__, kept, strict=False):
            setattr(self, name, list(number) if isinstance(number, list) else number)
        if self.batches is not None:
            numbers, self.batches = self.batches, Batches()
            self.batches.fill(list(numbers))  # type: ignore[call-overload]
