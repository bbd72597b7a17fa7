"""What a study hands out."""

from collections.abc import Hashable
from typing import Any, NamedTuple


class Pull(NamedTuple):
    """One measurement to make: `arm` is what to measure, `number` its place in the order of asking."""

    number: int
    arm: Hashable
    index: int  # type: ignore[assignment]  # the field wins over the method of tuples
    study: str
    """Which study asked for it."""
    block: int | None = None
    """The row of measurements that it belongs to, under `design="blocks"`."""
    item: Any = None
    """What to measure the arm on, if rows have items."""
    token: int = 0
    """Which handing out this is, should the pull be handed out again."""
