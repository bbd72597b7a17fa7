"""The three thresholds side by side: samples and observed errors."""

from functools import partial

from toptwo import problems
from toptwo.experiments.experiment import Claim, Entrant, Experiment, Figure, Finding, Point
from toptwo.experiments.judging import error_rate, ratios
from toptwo.experiments.paper.line_ups import random_instances, repeated
from toptwo.sweeps.statistics import every
from toptwo.sweeps.tables import Table

RULES = ("TTUCB", "T3C")
THRESHOLDS = ("heuristic", "mixture", "proven")
PROVEN = ("mixture", "proven")
ENTRANTS = tuple(Entrant(f"{rule}, {name}", rule, name) for rule in RULES for name in THRESHOLDS)
PAIR_RUNS = {"smoke": 2000, "paper": 50_000}


def points(size: str) -> tuple[Point, ...]:
    """Return the random instances, and two arms at a distance of one deviation, where errors are frequent."""
    pair = Point(
        "two arms, gap 1",
        partial(repeated, problems.equal_means(2, 1.0)),
        ENTRANTS,
        runs=PAIR_RUNS[size],
        value=2.0,
        chunk=10_000,
    )
    return (random_instances(size, ENTRANTS), pair)


def _correct(table: Table) -> Finding:
    rates = {
        (point.label, row["algorithm"]): error_rate(row)
        for point in table.points
        for row in point.rows
        if row["algorithm"].endswith(PROVEN)
    }
    worst = max(rates, key=lambda key: rates[key].value)
    return Finding(
        f"at most {rates[worst].value:.2%} wrong ({worst[1]} on {worst[0]})",
        every(rate.below(0.1) for rate in rates.values()),
    )


def _heuristic(table: Table) -> Finding:
    rates = [error_rate(point.row(f"{rule}, heuristic")) for point in table.points for rule in RULES]
    text = f"{min(rate.value for rate in rates):.2%} to {max(rate.value for rate in rates):.2%} wrong at δ = 10 %"
    return Finding(text, every(rate.below(0.1) for rate in rates))


def _tighter(table: Table) -> Finding:
    return ratios(table.point(), [(f"{rule}, mixture", f"{rule}, proven") for rule in RULES], 0.0, 0.75)


EXPERIMENT = Experiment(
    name="thresholds",
    source="beyond the paper",
    title="Three thresholds, δ = 0.1",
    points=points,
    figures=(
        Figure(
            "thresholds",
            "thresholds",
            "What a proof costs: three thresholds, δ = 0.1",
            "Mean samples, and the observed error rate with its exact 95 % interval.",
        ),
    ),
    claims=(
        Claim("Proven thresholds are δ-correct.", "lemma; docs/mixture.md", _correct),
        Claim("The heuristic threshold, without proof, also errs less than δ here.", "section 4", _heuristic),
        Claim("The mixture threshold needs less than ¾ of the paper's proven one's samples.", "ours", _tighter),
    ),
)
