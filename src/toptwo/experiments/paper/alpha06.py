"""The benchmark "α = 0.6" over the number of arms."""

from functools import partial

from toptwo import problems
from toptwo.experiments.experiment import Claim, Experiment, Figure, Point
from toptwo.experiments.paper import larger_sets


def points(size: str) -> tuple[Point, ...]:
    """Return μ_i = 1 − ((i−1)/(K−1))^0.6, over K."""
    return larger_sets.sweep(size, partial(problems.alpha, exponent=0.6), uniform_up_to=200)


EXPERIMENT = Experiment(
    name="alpha06",
    source="appendix, larger sets of arms (b)",
    title="α = 0.6 instances over K, δ = 0.1",
    points=points,
    figures=(
        Figure(
            "alpha06",
            "curves",
            "α = 0.6 instances: μᵢ = 1 − ((i−1)/(K−1))^0.6; δ = 0.1",
            "Mean samples ± one standard deviation of a run.",
        ),
    ),
    claims=(
        Claim("H ≈ 12 K^1.2.", "appendix", partial(larger_sets.hardness_like, factor=12.0, power=1.2)),
        *larger_sets.CONSISTENT,
    ),
    note=larger_sets.NOTE + " Uniform sampling up to K = 200 only: at K = 1000 a run takes 55 million samples.",
)
