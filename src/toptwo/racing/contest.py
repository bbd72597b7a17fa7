"""The question of a race as the scheduler sees it: what to run next, and where it stands."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from toptwo.racing.outcome import Run
from toptwo.racing.standing import RaceStanding


class Row(NamedTuple):
    """Commands to be run one after the other, in this order, as one block."""

    block: int
    arms: Sequence[int]
    item: str | None = None


class Contest(Protocol):
    """Chooses who runs next and says what follows; the statistics are its business alone."""

    before: Sequence[Run]
    """Runs of former races on the same study."""
    resumable: bool
    """Whether the same race may go on later, so that runs which are cut short now would be picked by their length."""

    @property
    def over(self) -> bool:
        """Return whether the answer is settled."""

    def upcoming(self) -> Sequence[int]:
        """Return who is in the next block, and change nothing."""

    def next_row(self) -> Row | None:
        """Return the next block, or None if there is nothing left to ask."""

    def told(self, row: Row, runs: Sequence[Run]) -> None:
        """Take in what was measured of a block so far: asked after each run, the block being whole after the last."""

    def give_up(self) -> None:
        """Take in that the block under way will not be finished."""

    def standing(self) -> RaceStanding:
        """Return what follows from the blocks so far."""
