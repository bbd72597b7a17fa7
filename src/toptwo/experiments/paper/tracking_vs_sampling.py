"""Tracking against sampling for four Top Two rules, and one tracker for all leaders as an ablation."""

from toptwo.algorithms import TTUCB
from toptwo.experiments.experiment import Claim, Entrant, Experiment, Figure, Finding, Point, entrants
from toptwo.experiments.judging import ratios
from toptwo.experiments.paper.line_ups import TOP_TWO, random_instances
from toptwo.sweeps.tables import Table

SHARED = "TTUCB, one tracker"


def points(size: str) -> tuple[Point, ...]:
    """Return the random instances with both choices for each rule."""
    both = entrants(*(f"{prefix}-{rule}" for rule in TOP_TWO for prefix in ("T", "S")))
    return (random_instances(size, (*both, Entrant(SHARED, TTUCB(choice="shared")))),)


def _negligible(table: Table) -> Finding:
    return ratios(table.point(), [(f"T-{rule}", f"S-{rule}") for rule in TOP_TWO], 0.95, 1.05)


def _independent(table: Table) -> Finding:
    return ratios(table.point(), [(SHARED, "T-TTUCB")], 1.0, float("inf"))


EXPERIMENT = Experiment(
    name="tracking_vs_sampling",
    source="appendix, tracking versus sampling",
    title="Tracking (T-) against sampling (S-), random instances, K = 10, δ = 0.1",
    points=points,
    figures=(
        Figure(
            "tracking_vs_sampling",
            "boxes",
            "Tracking (T-) against sampling (S-): random instances, K = 10, δ = 0.1",
            "Four Top Two rules, each with both ways to choose between leader and challenger.",
        ),
    ),
    claims=(
        Claim(
            "Tracking or sampling has a negligible impact on the empirical stopping time [below 5 %].",
            "appendix",
            _negligible,
        ),
        Claim(
            "Independent procedures per leader yield better empirical performance than one tracker for all.",
            "appendix, tracking",
            _independent,
        ),
    ),
)
