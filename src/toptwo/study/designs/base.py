"""What a study asks of a design: what to measure next, and what follows from the answers.

A design is a deterministic machine without clock, input or output. The study tells it what happened, in the order of
the journal: what was asked, told, lost. Told the same things it must do the same things, bit for bit, in any process:
what it draws comes from a stream of its own, which is part of its snapshot.

Pulls are numbered from 0 in the order of asking. A choice with a row of three arms that is asked twice makes six of
them, row by row. Values come as the user measured them; a design that looks for the lowest mean turns them itself.
"""

from collections.abc import Hashable
from typing import Any, NamedTuple, Protocol

from toptwo.study.diagnostics import Diagnosis
from toptwo.study.intervals import Interval
from toptwo.study.verdict import Status


class NextRow(NamedTuple):
    """What to measure next: arms, to be measured back to back in this order."""

    row: tuple[int, ...]
    """Indexes of arms; a single one under `independent`."""
    times: int = 1
    """The row is to be asked so many times, if there is room for that."""
    item: Any = None
    """What all arms of the row are measured on: a fold, a question, a seed; plain data."""
    note: Any = None
    """Plain data (numbers, text, lists) that `asked` needs to take the choice in, here or in another process."""


class Bounds(Protocol):
    """What answers say of means and gaps; worked out when asked for, from what was known when it was made."""

    def mean(self, arm: int) -> Interval | None:
        """Return an interval for an arm's mean, as the user measures; nothing if none is known."""
        ...

    def gap(self, arm: int) -> Interval | None:
        """Return an interval for how much better the leader is than an arm; nothing for the leader itself."""
        ...

    @property
    def contenders(self) -> tuple[int, ...]:
        """Return the arms not yet rejected as best, the leader among them."""
        ...


class Findings(NamedTuple):
    """What follows from the answers read so far: all that a verdict is made of, arms by index."""

    status: Status
    arm: int
    """The winner, or the arm that leads; −1 before anything is known."""
    confidence: float
    proven: bool
    pulls: int
    """Measurements that were read."""
    remaining: float
    waiting: int
    """Answers not yet read, because a pull asked before them is still unanswered."""
    means: tuple[float, ...]
    """Of each arm, as the user measures; NaN before there is one."""
    counts: tuple[int, ...]
    threshold: str
    assumption: str
    constant: tuple[int, ...] = ()
    """Arms of which nothing can be said, because their values are all equal."""
    bounds: Bounds | None = None
    """Intervals of means and gaps, and the arms that may still be best; nothing before each arm has a value."""
    diagnostics: tuple[Diagnosis, ...] = ()
    """What in the data speaks against the assumption; arms by index."""


class Design(Protocol):
    """Decides what to measure and when it is enough."""

    arms: int
    remembers_choosing: bool
    """Whether `choose` itself is remembered, as trackers do: it is then called before `asked` in every process. Else
    `asked` learns all it needs from the choice and its note."""
    in_blocks: bool
    """Whether rows hold several arms, so that a pull belongs to a block."""
    over: bool
    """Whether the answer is settled (winner, tie) or the budget read to its end: nothing is read any more."""

    @classmethod
    def answering(cls, question: Any) -> "Design":
        """Return a design for a question (study/question.py), or raise InputError if it makes no sense of it."""
        ...

    def parts(self) -> tuple[Any, ...]:
        """Return the rules and functions that decide: whoever changes their code changes the study."""
        ...

    def check(self, value: float, name: Hashable) -> None:
        """Raise InputError if a finite number cannot be a measurement of the arm of this name."""
        ...

    def check_average(self, average: float, size: int, name: Hashable) -> None:
        """Raise InputError if a pull cannot be told as the average of so many measurements."""
        ...

    def choose(self, wanted: int) -> NextRow | None:
        """Return what to ask next, or None while it cannot be known before pulls under way are answered.

        At most `wanted` pulls are asked of a choice, a row at least. A choice is always followed by `asked` of it; None
        must leave no trace.
        """
        ...

    def asked(self, choice: NextRow) -> None:
        """Take in that a choice was asked: this one's own, or one that another process made and the journal kept.

        The journal is right if the two differ, as they may in the last bit on other hardware.
        """
        ...

    def told(self, pull: int, value: float, cost: float | None = None, size: int = 1) -> None:
        """Take in the value of a pull: the average of `size` of them, if it stands for several."""
        ...

    def dropped(self, pull: int) -> None:
        """Take in that a pull will never have a value: it is read over, as if it had never been asked."""
        ...

    def add_results(self, arm: int, values: list[float], size: int = 1, together: bool = True) -> None:
        """Take in results that were there already, each the average of `size`: pulls not chosen by this design.

        `together` they are one step, whatever their order; else, in journals of former versions, one step each.
        """
        ...

    def add_arm(self, in_turn: bool = True) -> None:
        """Take in one more arm, of which nothing is known; InputError, with nothing changed, if that cannot be.

        `in_turn` it changes nothing about how pulls that were asked before are read; else, in journals of former
        versions, it may.
        """
        ...

    def findings(self) -> Findings:
        """Return what follows from the answers read so far."""
        ...

    def snapshot(self) -> Any:
        """Return all that it has learnt, as plain data for JSON (of Python's kind: infinity and NaN may occur)."""
        ...

    def restore(self, kept: Any) -> None:
        """Go on from a snapshot of a design made for the same question, bit for bit."""
        ...


class DesignInRows(Design, Protocol):
    """A design with `in_blocks`: a pull that is lost is not measured again alone."""

    def give_up(self, pull: int) -> range:
        """Take in that a pull without a value will not be made in time for its row; return the pulls of the row.

        None of them counts, and none of them is told any more.
        """
        ...
