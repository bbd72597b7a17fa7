"""Pulls that were asked and are not yet read."""

from collections.abc import Sequence
from typing import Any

from toptwo.engine.rounds import Decision


class UnreadPull:
    """A pull that was asked and is not yet read; or a list of results that were there already, read as one step."""

    __slots__ = ("decision", "dropped", "results", "value")

    def __init__(
        self,
        decision: Decision,
        value: float | None = None,
        dropped: bool = False,
        results: list[float] | None = None,
    ) -> None:
        self.decision, self.value, self.dropped, self.results = decision, value, dropped, results

    @property
    def answers(self) -> int:
        """Return how many values there are."""
        return int(self.value is not None) if self.results is None else len(self.results)

    def kept(self) -> list[Any]:
        """Return all of it as plain data; a list of results has the place of the value."""
        return [*self.decision, self.value if self.results is None else self.results, self.dropped]

    @classmethod
    def of(cls, kept: Sequence[Any]) -> "UnreadPull":
        """Return the pull that was kept so."""
        *decision, value, dropped = kept
        if isinstance(value, list):
            return cls(Decision(*decision), results=value)
        return cls(Decision(*decision), value, dropped)
