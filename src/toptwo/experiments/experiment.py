"""What an experiment is: sets of instances, the algorithms on each, what is drawn, and which sentences it checks."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from toptwo.experiments.statistics import Judgement
from toptwo.experiments.tables import Table
from toptwo.problems import Means

SIZES = ("smoke", "paper")
"""Small, to see that everything runs, and as large as the paper's; figure 1(a) has a size for `make demo` as well."""


LIMIT = 10_000_000
"""Samples after which a run is given up: LUCB with the paper's bonus may starve the best arm and go on for ever."""


class Entrant(NamedTuple):
    """An algorithm under the name it has in tables and figures."""

    label: str
    algorithm: Any = None
    """A name, or an object such as `tt.TTUCB(beta=0.3)`; the label by default."""
    threshold: str = "heuristic"


def entrants(*names: str) -> tuple[Entrant, ...]:
    """Return registered algorithms as entrants.

    Examples
    --------
    >>> entrants("TTUCB", "T3C")[1].label
    'T3C'
    """
    return tuple(Entrant(name) for name in names)


@dataclass(frozen=True)
class Point:
    """One set of instances and the algorithms that are run on it, all on the same rewards.

    Attributes
    ----------
    label, value
        The point's name and its place on the axis of a sweep.
    instances
        From (runs, seed) to means, (K,) for one instance or (runs, K).
    chunk
        Runs of a unit of work, which is what a killed run may lose.
    checkpoints
        Sample sizes at which wrong recommendations are counted.
    timed
        Measure the processor time of each run: a measurement, not a result that comes out the same again.
    """

    label: str
    instances: Callable[[int, int], Means]
    entrants: tuple[Entrant, ...]
    runs: int
    value: float = 0.0
    delta: float = 0.1
    chunk: int = 500
    checkpoints: tuple[int, ...] = ()
    timed: bool = False
    max_samples: int = LIMIT


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
