"""The benchmark "α = 0.3" over the number of arms."""

from functools import partial

from toptwo import problems
from toptwo.experiments.experiment import Claim, Experiment, Figure, Point
from toptwo.experiments.paper import larger_sets


def points(size: str) -> tuple[Point, ...]:
    """Return μ_i = 1 − ((i−1)/(K−1))^0.3, over K."""
    return larger_sets.sweep(size, partial(problems.alpha, exponent=0.3))


EXPERIMENT = Experiment(
    name="alpha03",
    source="appendix, larger sets of arms (a)",
    title="α = 0.3 instances over K, δ = 0.1",
    points=points,
    figures=(
        Figure(
            "alpha03",
            "curves",
            "α = 0.3 instances: μᵢ = 1 − ((i−1)/(K−1))^0.3; δ = 0.1",
            "Mean samples ± one standard deviation of a run.",
        ),
    ),
    claims=(
        Claim("H ≈ 3 K.", "appendix", partial(larger_sets.hardness_like, factor=3.0, power=1.0)),
        *larger_sets.CONSISTENT,
    ),
    note=larger_sets.NOTE,
)
