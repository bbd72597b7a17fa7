"""The experiments by name."""

from collections.abc import Sequence

from toptwo import checks
from toptwo.experiments.experiment import Experiment
from toptwo.experiments.paper import (
    adaptive_random,
    alpha03,
    alpha06,
    bounds,
    close_competitors,
    cpu_time,
    equal_means,
    errors_before_stopping,
    fig1a,
    fig1b,
    ratio,
    three_thresholds,
    ties,
    tracking_vs_sampling,
)

_MODULES = (
    fig1a,
    errors_before_stopping,
    cpu_time,
    fig1b,
    alpha03,
    alpha06,
    tracking_vs_sampling,
    adaptive_random,
    equal_means,
    close_competitors,
    ratio,
    three_thresholds,
    ties,
    bounds,
)

REGISTRY: dict[str, Experiment] = {module.EXPERIMENT.name: module.EXPERIMENT for module in _MODULES}


def find(names: Sequence[str]) -> tuple[Experiment, ...]:
    """Return experiments by name, each once; "all" stands for all of them.

    Examples
    --------
    >>> [experiment.name for experiment in find(["fig1b", "FIG1A", "fig1b"])]
    ['fig1b', 'fig1a']
    """
    chosen: dict[str, Experiment] = {}
    for name in names:
        if checks.fold(name) == "all":
            chosen |= REGISTRY
        else:
            experiment = checks.one_of("experiment", name, REGISTRY)
            chosen[experiment.name] = experiment
    return tuple(chosen.values())
