"""Several algorithms on the same instances with the same rewards."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toptwo.engine import Simulation, Summary, simulate
from toptwo.families import make_family


@dataclass(frozen=True)
class Comparison:
    """Simulations side by side; `lower_bound` is the mean over the instances of T* ln(1/(2.4 δ)), 0 if unknown."""

    simulations: tuple[Simulation, ...]
    delta: float
    lower_bound: float
    interrupted: bool = False

    def rows(self) -> list[tuple[Summary, float]]:
        """Return each summary with its mean stopping time as a multiple of the lower bound."""
        summaries = [simulation.summary() for simulation in self.simulations]
        bound = self.lower_bound
        return [(summary, summary.mean / bound if bound else math.inf) for summary in summaries]


def compare(names: Sequence[Any], means: NDArray[np.float64], *, delta: float, **options: Any) -> Comparison:
    """Simulate each algorithm on the same means and seed; after Ctrl-C, with those finished so far.

    Examples
    --------
    >>> compared = compare(["TTUCB", "uniform"], np.array([0.0, 1.0]), delta=0.1, runs=50)
    >>> [simulation.algorithm for simulation in compared.simulations]
    ['TTUCB', 'uniform']
    """
    done = tuple(_each(names, means, delta, options))
    cut = len(done) < len(names) or done[-1].interrupted
    return Comparison(done, delta, mean_lower_bound(means, delta, options), cut)


def _each(
    names: Iterable[Any], means: NDArray[np.float64], delta: float, options: dict[str, Any]
) -> Iterator[Simulation]:
    some = False
    for name in names:
        try:
            simulation = simulate(name, means, delta=delta, **options)
        except KeyboardInterrupt:
            if some:
                return
            raise
        some = True
        yield simulation
        if simulation.interrupted:
            return


def mean_lower_bound(means: NDArray[np.float64], delta: float, options: dict[str, Any]) -> float:
    """Return the lower bound on the expected samples, averaged over instances; 0 where it is not known."""
    from toptwo import theory
    from toptwo.theory.laws import why_unknown

    family = make_family(options.get("family"))
    ranked = np.sort(np.atleast_2d(means))
    tied = (ranked[:, -1] == ranked[:, -2]).any()  # the bound is infinite: no number of samples is enough
    if tied or options.get("epsilon", 0.0) > 0.0 or why_unknown(family):
        return 0.0
    return float(np.mean(theory.lower_bound(np.atleast_2d(means), delta, family=family)))
