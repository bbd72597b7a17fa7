"""Constant against adaptive proportions on random instances."""

from toptwo import theory
from toptwo.experiments.experiment import Claim, Experiment, Figure, Finding, Point
from toptwo.experiments.judging import ratios
from toptwo.experiments.paper.line_ups import TOP_TWO, fixed_and_adaptive, random_instances
from toptwo.sweeps.statistics import exactly
from toptwo.sweeps.tables import Table, TablePoint


def points(size: str) -> tuple[Point, ...]:
    """Return the random instances with each rule at β = ½ and adaptive."""
    return (random_instances(size, fixed_and_adaptive()),)


def similar(point: TablePoint) -> Finding:
    """Judge "highly similar": adaptive within 15 % of fixed."""
    return ratios(point, [(f"A-{rule}", rule) for rule in TOP_TWO], 0.85, 1.15)


def slim_advantage(point: TablePoint) -> Finding:
    """Judge "a slim advantage for adaptive": each rule needs fewer samples."""
    return ratios(point, [(f"A-{rule}", rule) for rule in TOP_TWO], 0.0, 1.0)


def near_one(point: TablePoint) -> Finding:
    """Judge whether T*_½/T* of the instances is near 1: within 10 %."""
    ratio = point.facts["time_ratio"]
    worst = float(theory.worst_time_ratio(point.facts["arms"]))
    return Finding(f"T*_½/T* = {ratio:.3f} on average; its largest value is r_K = {worst:g}", exactly(ratio < 1.1))


def _similar(table: Table) -> Finding:
    return similar(table.point())


def _advantage(table: Table) -> Finding:
    return slim_advantage(table.point())


def _near_one(table: Table) -> Finding:
    return near_one(table.point())


EXPERIMENT = Experiment(
    name="adaptive_random",
    source="appendix, adaptive proportions",
    title="Constant β = ½ and adaptive (A-), random instances, K = 10, δ = 0.1",
    points=points,
    figures=(
        Figure(
            "adaptive_random",
            "boxes",
            "Constant β = ½ and adaptive (A-): random instances, K = 10, δ = 0.1",
            "Four Top Two rules with β = ½ and with adaptive proportions (IDS).",
        ),
    ),
    claims=(
        Claim("Performances of fixed and adaptive are highly similar [within 15 %],", "appendix", _similar),
        Claim("with a slim advantage for adaptive algorithms.", "appendix", _advantage),
        Claim("Expected, as T*_½/T* is close to one for distinct means [below 1.1].", "appendix", _near_one),
    ),
)
