"""Figure 1(b): 1-sparse instances over the number of arms."""

from toptwo import problems
from toptwo.experiments.experiment import Claim, Experiment, Figure, Finding, Point
from toptwo.experiments.paper import larger_sets
from toptwo.sweeps.statistics import Judgement, exactly
from toptwo.sweeps.tables import Table


def points(size: str) -> tuple[Point, ...]:
    """Return μ₁ = ¼ and K − 1 arms at 0, over K."""
    return larger_sets.sweep(size, problems.one_sparse)


def _hardness(table: Table) -> Finding:
    last = table.points[-1]
    arms, hardness = last.facts["arms"], last.facts["hardness"]
    if exactly(abs(hardness - 32 * (arms - 1)) < 1e-6) is Judgement.HOLDS:
        verdict = Judgement.HOLDS
    else:
        verdict = Judgement.CORRECTED if abs(hardness - 32 * arms) < 1e-6 else Judgement.FAILS
    return Finding(f"H = {hardness / arms:g} K with H as the paper defines it; 32 (K − 1) leaves 2/Δ² out", verdict)


EXPERIMENT = Experiment(
    name="fig1b",
    source="figure 1(b)",
    title="1-sparse instances over K, δ = 0.1",
    points=points,
    figures=(
        Figure(
            "fig1b",
            "curves",
            "1-sparse instances: μ₁ = ¼, the others 0; δ = 0.1",
            "Mean samples ± one standard deviation of a run.",
        ),
    ),
    claims=(
        Claim("The 1-sparse scenario has H(μ) = 32 (K − 1).", "section 4", _hardness),
        Claim(
            "All algorithms have the same linear scaling in K [samples ∝ K^p, p within 0.2 of 1].",
            "section 4",
            larger_sets.linear,
        ),
        Claim(
            "Faced with an increase in the number of arms, the TS leader of T3C is more robust than the UCB leader.",
            "section 4",
            larger_sets.robustness,
        ),
        Claim("TTUCB has a better scaling with H(μ) than H(μ)^1.2.", "section 3.1", larger_sets.better_than_power),
    ),
    note=larger_sets.NOTE,
)
