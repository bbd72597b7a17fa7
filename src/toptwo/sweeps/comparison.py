"""Several algorithms on the same instances with the same rewards."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from pathlib import Path
from typing import Any

import numpy as np

from toptwo.engine import Simulation, Summary, simulate
from toptwo.errors import InputError
from toptwo.json_text import json_text
from toptwo.rules.thresholds import DEFAULT_THRESHOLD
from toptwo.sweeps.arrays import arrays_of
from toptwo.sweeps.instances import Problem, make_instances, name_of, runs_for
from toptwo.sweeps.points import Point, labelled
from toptwo.sweeps.statistics import Estimate
from toptwo.sweeps.tables import TablePoint
from toptwo.sweeps.tabulate import content_of, facts, lower_bound


@dataclass(frozen=True)
class Comparison:
    """Simulations side by side, on the same rewards.

    Attributes
    ----------
    labels, simulations
        The algorithms' names, each once, and what they did.
    problem
        What was simulated, in a word.
    lower_bound
        Mean over the instances of T* ln(1/(2.4 δ)), 0 if unknown.
    interrupted
        Whether the call was cut short; then what was finished is here.
    """

    labels: tuple[str, ...]
    simulations: tuple[Simulation, ...]
    problem: str
    delta: float
    lower_bound: float
    interrupted: bool = False

    def rows(self) -> list[tuple[Summary, float]]:
        """Return each summary with its mean stopping time as a multiple of the lower bound."""
        summaries = [simulation.summary() for simulation in self.simulations]
        bound = self.lower_bound
        return [(summary, summary.mean / bound if bound else math.inf) for summary in summaries]

    def __getitem__(self, label: str) -> Simulation:
        """Return the simulation of an algorithm."""
        if label not in self.labels:
            raise InputError(f"{label!r} is not among the algorithms compared: {', '.join(self.labels)}.")
        return self.simulations[self.labels.index(label)]

    @cached_property
    def paired(self) -> TablePoint:
        """Return the table of the runs that all algorithms have finished, from which paired comparisons follow."""
        common = reduce(np.intersect1d, [simulation.numbers for simulation in self.simulations])
        found = {}
        for label, simulation in zip(self.labels, self.simulations, strict=True):
            arrays, rows = arrays_of(simulation), np.isin(simulation.numbers, common)
            found[label] = {name: arrays[name][rows] for name in ("samples", "wrong", "undecided", "pulls_of_best")}
        means = self.simulations[0].means[np.isin(self.simulations[0].numbers, common)]
        point = Point(self.problem, lambda runs, seed: means, (), len(common), delta=self.delta)
        return TablePoint(content_of(point, 0, found, facts))

    def difference(self, one: str, other: str) -> Estimate:
        """Return the mean difference in samples, run by run on the same rewards, with its 95 % interval."""
        return self.paired.difference(one, other)

    def ratio(self, one: str, other: str) -> Estimate:
        """Return the ratio of mean samples, with its 95 % interval."""
        return self.paired.ratio(one, other)

    def typical_ratio(self, one: str, other: str) -> Estimate:
        """Return the geometric mean of the ratio of samples, run by run: rare endless runs do not decide it."""
        return self.paired.typical_ratio(one, other)

    def as_dict(self) -> dict[str, Any]:
        """Return all of it as plain data, for JSON."""
        from toptwo.report.result_tables import comparison_dict

        return comparison_dict(self)

    def to_json(self) -> str:
        """Return it as JSON, in which only finite numbers occur."""
        return json_text(self.as_dict(), indent=2)

    def to_pandas(self) -> Any:
        """Return a data frame with a row per algorithm and run."""
        pandas = pandas_or_raise()
        frames = [
            pandas.DataFrame(
                {
                    "algorithm": label,
                    "run": simulation.numbers,
                    "samples": simulation.stopping_times,
                    "recommended": simulation.recommended,
                    "decided": simulation.decided,
                    "correct": simulation.correct,
                }
            )
            for label, simulation in zip(self.labels, self.simulations, strict=True)
        ]
        return pandas.concat(frames, ignore_index=True)

    def plot(self, path: str | Path) -> Path:
        """Draw box plots of the stopping times to a PNG file."""
        from toptwo.report.plots import box_plot

        return box_plot(self, Path(path), f"{self.problem}, δ = {self.delta:g}")

    def __str__(self) -> str:
        from toptwo.report.result_tables import comparison_text

        return comparison_text(self)


def pandas_or_raise() -> Any:
    """Return pandas, or say how to get it."""
    try:
        import pandas
    except ImportError:
        raise InputError("a data frame needs pandas: pip install pandas.") from None
    return pandas


def compare(
    algorithms: Sequence[Any] | Mapping[str, Any],
    problem: Problem,
    *,
    arms: int | None = None,
    runs: int | None = None,
    delta: float = 0.1,
    threshold: Any = DEFAULT_THRESHOLD,
    family: Any = None,
    epsilon: float = 0.0,
    max_samples: int | None = None,
    seed: int = 0,
    **options: Any,
) -> Comparison:
    """Simulate algorithms on the same instances and rewards; after Ctrl-C, return those finished so far.

    Parameters
    ----------
    algorithms
        Names or objects, as in `tt.simulate`, or a dictionary of such by the names they are to have.
    problem
        A name (`toptwo.problems.PROBLEMS`), means, (K,) or (runs, K), or a function of (K, seed) that returns K means
        and is called once for each run.
    arms, runs
        Number of arms of the problem, and of runs: 1000, or one for each instance given.
    delta, threshold, family, epsilon, max_samples, seed
        As in `tt.simulate`.
    options
        What else `tt.simulate` takes: `engine`, `threads`, `progress`.

    Examples
    --------
    >>> compared = compare(["TTUCB", "uniform"], [0.0, 1.0, 0.5], delta=0.1, runs=200, seed=1)
    >>> compared.typical_ratio("TTUCB", "uniform").high < 1.0
    True
    """
    labels, chosen = labelled(algorithms)
    number = runs_for(problem, runs)
    means = make_instances(problem, arms, number, seed)
    question: dict[str, Any] = {"delta": delta, "threshold": threshold, "family": family, "epsilon": epsilon}
    options |= question | {"max_samples": max_samples, "seed": seed, "runs": number if means.ndim == 1 else None}
    done = tuple(_each(chosen, means, options))
    cut = len(done) < len(chosen) or done[-1].interrupted
    found = tuple(labels[: len(done)])
    return Comparison(found, done, name_of(problem), delta, lower_bound(means, delta, family, epsilon), cut)


def _each(algorithms: Sequence[Any], means: Any, options: dict[str, Any]) -> Iterator[Simulation]:
    some = False
    for algorithm in algorithms:
        try:
            simulation = simulate(algorithm, means, **options)
        except KeyboardInterrupt:
            if some:
                return
            raise
        some = True
        yield simulation
        if simulation.interrupted:
            return
