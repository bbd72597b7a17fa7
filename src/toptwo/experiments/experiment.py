"""What an experiment is: sets of instances, the algorithms on each, what is drawn, and which sentences it checks."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from toptwo.sweeps.points import LIMIT, Entrant, Point, entrants
from toptwo.sweeps.statistics import Judgement
from toptwo.sweeps.tables import Table

__all__ = ["LIMIT", "SIZES", "Claim", "Entrant", "Experiment", "Figure", "Finding", "Point", "entrants"]

SIZES = ("smoke", "paper")
"""Small, to see that everything runs, and as large as the paper's; figure 1(a) has a size for `make demo` as well."""


class Figure(NamedTuple):
    """A figure to draw from the table: what kind, of which points and algorithms (none named: all)."""

    name: str
    kind: str
    """One of the kinds in report/figures.py."""
    title: str
    caption: str
    points: tuple[str, ...] = ()
    algorithms: tuple[str, ...] = ()


class Finding(NamedTuple):
    """What was found about a sentence: our number in words, and the verdict."""

    number: str
    judgement: Judgement


class Claim(NamedTuple):
    """A sentence of the paper that the table can check."""

    sentence: str
    where: str
    judge: Callable[[Table], Finding]


@dataclass(frozen=True)
class Experiment:
    """An experiment: a problem, a sweep, figures and claims.

    Attributes
    ----------
    points
        From a size to the points to simulate.
    theory
        From a size and a seed to numbers that need no simulation, kept in the table as they are.
    """

    name: str
    source: str
    title: str
    points: Callable[[str], tuple[Point, ...]]
    figures: tuple[Figure, ...] = ()
    claims: tuple[Claim, ...] = ()
    theory: Callable[[str, int], dict[str, Any]] | None = None
    note: str = ""
    """What a reader must know about how it was run, where the paper leaves it open."""

    def measured(self, size: str) -> bool:
        """Return whether the table holds measurements of time, which differ from run to run."""
        return any(point.timed for point in self.points(size))
