"""Instances with several close competitors: all algorithms, and constant against adaptive proportions."""

from toptwo import problems
from toptwo.experiments.experiment import Claim, Experiment, Figure, Finding, Point, entrants
from toptwo.experiments.judging import beaten, close, ratios
from toptwo.experiments.paper import adaptive_random
from toptwo.experiments.paper.line_ups import ADAPTIVE, ASYMPTOTIC, BASELINES, TOP_TWO
from toptwo.sweeps.statistics import every
from toptwo.sweeps.tables import Table

RUNS = {"smoke": 12, "paper": 2000}
LABEL = "close competitors"


def points(size: str) -> tuple[Point, ...]:
    """Return five competitors about 1/20 and four about 1/10 below the best."""
    names = (*TOP_TWO, *ADAPTIVE, *ASYMPTOTIC, *BASELINES)
    return (Point(LABEL, problems.close_competitors, entrants(*names), runs=RUNS[size], value=10.0, chunk=250),)


def _share(table: Table) -> Finding:
    facts = table.point().facts
    mean, deviation = facts["share_of_best"], facts["share_deviation"]
    verdict = every([close(mean, 0.28276, 0.0001, 0.005), close(deviation, 0.0003, 0.0001, 0.001)])
    return Finding(f"{mean:.5f} ± {deviation:.5f}", verdict)


def _on_par(table: Table) -> Finding:
    return ratios(table.point(), [("TTUCB", other) for other in TOP_TWO[1:]], 0.85, 1.15)


def _slightly(table: Table) -> Finding:
    return ratios(table.point(), [("TaS", "TTUCB"), ("FWS", "TTUCB")], 1.0, 1.25)


def _significantly(table: Table) -> Finding:
    return beaten(table.point(), "TTUCB", ["DKM", *BASELINES], 1.1)


def _similar(table: Table) -> Finding:
    return adaptive_random.similar(table.point())


def _advantage(table: Table) -> Finding:
    return adaptive_random.slim_advantage(table.point())


EXPERIMENT = Experiment(
    name="close_competitors",
    source="appendix, multiple close competitors",
    title="Several close competitors, K = 10, δ = 0.1",
    points=points,
    figures=(
        Figure(
            "close_competitors",
            "boxes",
            "Several close competitors, K = 10, δ = 0.1",
            "Five arms about 0.05 and four about 0.1 below the best.",
            algorithms=(*TOP_TWO, *ASYMPTOTIC, *BASELINES),
        ),
        Figure(
            "close_competitors_adaptive",
            "boxes",
            "Several close competitors, constant β = ½ and adaptive (A-)",
            "The same instances and rewards.",
            algorithms=tuple(name for rule in TOP_TWO for name in (rule, f"A-{rule}")),
        ),
    ),
    claims=(
        Claim("Numerically, we observe w*(μ) of the best arm ≈ 0.28276 ± 0.0003.", "appendix", _share),
        Claim("As on random instances: TTUCB on par with other Top Two algorithms [15 %],", "appendix", _on_par),
        Claim("slightly better than TaS and FWS [by up to 25 %],", "appendix", _slightly),
        Claim("significantly better than DKM, LUCB, 1/2-LUCB, uniform [by over 10 %];", "appendix", _significantly),
        Claim("fixed and adaptive are highly similar [within 15 %],", "appendix", _similar),
        Claim("with a slim advantage for adaptive algorithms.", "appendix", _advantage),
    ),
    note=f"The paper runs 5000 instances; {RUNS['paper']:,} here, as runs are long.",
)
