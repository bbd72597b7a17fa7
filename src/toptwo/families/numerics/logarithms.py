"""Logarithms of counts, to be looked up."""

import math
from typing import NamedTuple


class LogCount(NamedTuple):
    """ln n: a schedule, so that the compiled engine looks it up in a table shared by all runs."""

    def at(self, n: int) -> float:
        """Return ln n."""
        return math.log(n)
