"""Functions of time: bonuses and thresholds are schedules, with one method `at(n)`.

The compiled engines put a table in front of each schedule, shared by all runs. The table remembers what the schedule
returned, so it changes the speed of a run and never its result. On a device nobody writes to it: it is filled before.
"""

from typing import NamedTuple, Protocol

from toptwo.state import Row


class Schedule(Protocol):
    """A number for each n ≥ 1."""

    def at(self, n: int) -> float:
        """Return the value at n."""
        ...


class Tabulated(NamedTuple):
    """A schedule that writes down its values as they are asked for; 0 marks a value not yet known."""

    values: Row
    formula: Schedule

    def at(self, n: int) -> float:
        """Return the value at n, computed once per table entry and every time beyond the table."""
        if n >= len(self.values):
            return self.formula.at(n)
        value = self.values[n]
        if value == 0.0:
            value = self.formula.at(n)
            self.values[n] = value
        return value


class Filled(NamedTuple):
    """A schedule with a table of its first values, which is only read; entry 0 means nothing."""

    values: Row
    formula: Schedule

    def at(self, n: int) -> float:
        """Return the value at n."""
        if 0 < n < len(self.values):
            return self.values[n]
        return self.formula.at(n)


def fill(values: Row, formula: Schedule) -> None:
    """Fill a table with the values at 1, 2 and so on."""
    for n in range(1, len(values)):
        values[n] = formula.at(n)
