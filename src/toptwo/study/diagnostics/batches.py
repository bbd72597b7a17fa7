"""Averages of several measurements, and counts: what is kept of an arm to see whether they scatter as they should."""


class Batches:
    """Averages of an arm, each weighted by how many measurements it is of."""

    __slots__ = ("count", "events", "exposure", "logs", "mean", "squares", "weight")

    def __init__(self) -> None:
        self.count = 0
        self.weight = self.mean = self.squares = 0.0
        """Measurements, their mean, and Σ n (x̄ − mean)² over averages x̄ of n."""
        self.events = self.exposure = 0.0
        """Sum and number of measurements of all but the first average."""
        self.logs: list[float] = []
        """Logarithms of what bets on a rate that changes have won, but for the probability of one that does not."""

    def add(self, average: float, size: int) -> None:
        """Take in an average."""
        if self.count:
            self.events += average * size
            self.exposure += size
        self.count += 1
        self.weight += size
        gap = average - self.mean
        self.mean += gap * size / self.weight
        self.squares += size * gap * (average - self.mean)

    def kept(self) -> list[object]:
        """Return all of it as plain data."""
        kept = (getattr(self, name) for name in self.__slots__)
        return [list(part) if isinstance(part, list) else part for part in kept]

    def fill(self, kept: list[object]) -> None:
        """Go on from what was kept."""
        for name, number in zip(self.__slots__, kept, strict=True):
            setattr(self, name, list(number) if isinstance(number, list) else number)
