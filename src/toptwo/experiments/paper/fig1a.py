"""Figure 1(a): ten algorithms on random instances."""

from toptwo.experiments.experiment import Claim, Experiment, Figure, Finding, Point, entrants
from toptwo.experiments.judging import beaten, close, error_rate, ratios
from toptwo.experiments.paper.line_ups import ASYMPTOTIC, BASELINES, TOP_TWO, random_instances
from toptwo.sweeps.statistics import Judgement, every
from toptwo.sweeps.tables import Table


def points(size: str) -> tuple[Point, ...]:
    """Return the random instances with all ten algorithms."""
    return (random_instances(size, entrants(*TOP_TWO, "TaS", "TaS-C", *ASYMPTOTIC[1:], *BASELINES)),)


def _share(table: Table) -> Finding:
    facts = table.point().facts
    mean, deviation = facts["share_of_best"], facts["share_deviation"]
    verdict = every([close(mean, 1 / 3, 0.005, 0.02), close(deviation, 0.02, 0.005, 0.01)])
    return Finding(f"{mean:.3f} ± {deviation:.3f} over {table.point().content['runs']:,} instances", verdict)


def _on_par(table: Table) -> Finding:
    return ratios(table.point(), [("TTUCB", other) for other in TOP_TWO[1:]], 0.85, 1.15)


def _slightly(table: Table) -> Finding:
    return ratios(table.point(), [(name, "TTUCB") for name in ("TaS", "TaS-C", "FWS")], 1.0, 1.25)


def _significantly(table: Table) -> Finding:
    return beaten(table.point(), "TTUCB", ["DKM", *BASELINES], 1.1)


def orders_below(table: Table) -> Finding:
    """Judge "several orders of magnitude lower than δ": two orders hold, one is a correction.

    Two orders: no algorithm is surely above δ/100, and all together are surely below it.
    """
    rows = table.point().rows
    delta = table.point().content["delta"]
    rates = {row["algorithm"]: error_rate(row) for row in rows}
    worst = max(rates, key=lambda name: rates[name].value)
    total, runs = sum(row["wrong"] for row in rows), sum(row["runs"] for row in rows)
    number = (
        f"{total} wrong in {runs:,} runs in all ({total / runs:.2%}); the most: {worst} {rates[worst].value:.2%} "
        f"at δ = {delta:.0%}"
    )
    pooled = error_rate({"wrong": total, "runs": runs})
    if all(rate.above(delta / 100.0) is not Judgement.HOLDS for rate in rates.values()):
        return Finding(number, Judgement.HOLDS if pooled.below(delta / 100.0) is Judgement.HOLDS else Judgement.OPEN)
    tenth = every(rate.below(delta / 10.0) for rate in rates.values())
    return Finding(number, Judgement.CORRECTED if tenth is Judgement.HOLDS else tenth)


EXPERIMENT = Experiment(
    name="fig1a",
    source="figure 1(a)",
    title="Random instances, K = 10, δ = 0.1",
    points=points,
    figures=(
        Figure(
            "fig1a",
            "boxes",
            "Random instances, K = 10, δ = 0.1",
            "Samples until an arm is returned, all algorithms on the same instances and rewards. "
            "TaS tracks directly (D-tracking), TaS-C cumulatively; the paper does not say which it uses.",
        ),
    ),
    claims=(
        Claim("Numerically, we observe w*(μ) of the best arm ≈ 1/3 ± 0.02 (mean ± std).", "section 4", _share),
        Claim("TTUCB performs on par with existing Top Two algorithms [within 15 %]", "section 4", _on_par),
        Claim("and slightly outperforms TaS and FWS [by up to 25 %].", "section 4", _slightly),
        Claim(
            "Significantly better than DKM, LUCB, 1/2-LUCB and uniform sampling [by more than 10 %].",
            "section 4",
            _significantly,
        ),
        Claim(
            "The heuristic threshold yields an empirical error several orders of magnitude lower than δ [two or more].",
            "section 4",
            orders_below,
        ),
    ),
)
