"""Lower bound, measured mean, upper bounds, on instances of several kinds."""

from functools import partial
from typing import Any

import numpy as np

from toptwo import problems, theory
from toptwo.algorithms import TTUCB
from toptwo.experiments.experiment import Claim, Entrant, Experiment, Figure, Finding, Point
from toptwo.experiments.paper.line_ups import repeated
from toptwo.experiments.paper.wrong_leaders import judge
from toptwo.sweeps.statistics import NORMAL_999, every, exactly
from toptwo.sweeps.tables import Table

DELTA = 0.1
RUNS = {"smoke": 30, "paper": 1000}

INSTANCES: dict[str, problems.Means] = {
    "two arms, gap ½": problems.equal_means(2, 0.5),
    "five arms": np.array([0.6, 0.5, 0.45, 0.4, 0.3]),
    "random, K = 10": problems.random_gaussian(1, 10, seed=1)[0],
    "1-sparse, K = 10": problems.one_sparse(10),
    "α = 0.3, K = 10": problems.alpha(10, 0.3),
    "α = 0.6, K = 10": problems.alpha(10, 0.6),
    "equal means, K = 35": problems.equal_means(35),
}

UNION = "TTUCB with g_u"
BOUNDS = {
    "TTUCB": theory.upper_bound_mixture,
    UNION: theory.upper_bound,
    "uniform": theory.upper_bound_uniform,
}
"""The theorem on the expected samples of each, with the proven threshold."""

PRINTED = {
    "TTUCB": partial(theory.upper_bound_mixture, as_printed=True),
    UNION: partial(theory.upper_bound, as_printed=True),
}
"""Those of TTUCB as the paper prints them."""

LEADERS = "wrong leaders"
"""Where the table keeps the counterexample to the lemma on the UCB leader."""

ROUNDS = {"smoke": 40_000, "paper": 1_000_000}
"""How long it is played."""

ENTRANTS = (
    Entrant("TTUCB", "TTUCB", "proven"),
    Entrant(UNION, TTUCB(bonus="union"), "proven"),
    Entrant("uniform", "uniform", "proven"),
)


def points(size: str) -> tuple[Point, ...]:
    """Return one point per instance, with the proven threshold that the bounds are about."""
    return tuple(
        Point(label, partial(repeated, means), ENTRANTS, runs=RUNS[size], delta=DELTA)
        for label, means in INSTANCES.items()
    )


def upper_bounds(size: str, seed: int) -> dict[str, Any]:
    """Return each algorithm's upper bound on each instance and the term that decides it, and the counterexample."""
    found: dict[str, Any] = {LEADERS: judge(ROUNDS[size])}
    for label, means in INSTANCES.items():
        bounds = {name: bound(means, DELTA) for name, bound in BOUNDS.items()}
        found[label] = {
            name: {"value": float(bound.value), "decides": str(bound.dominating)} for name, bound in bounds.items()
        }
        for name, bound in PRINTED.items():
            found[label][name]["printed"] = float(bound(means, DELTA).value)
    return found


def _lower(table: Table) -> Finding:
    ratios, verdicts = [], []
    for point in table.points:
        for name in BOUNDS:
            mean = point.mean(name, NORMAL_999)
            ratios.append(mean.value / point.facts["lower_bound"])
            verdicts.append(mean.above(point.facts["lower_bound"]))
    return Finding(f"measured/lower bound from {min(ratios):.1f} to {max(ratios):.1f}", every(verdicts))


def _upper(table: Table) -> Finding:
    ratios, verdicts = [], []
    for point in table.points:
        for name in BOUNDS:
            bound, mean = table.theory[point.label][name]["value"], point.mean(name, NORMAL_999)
            ratios.append(bound / mean.value)
            verdicts.append(mean.below(bound))
    return Finding(f"upper bound/measured from {min(ratios):,.1f} to {max(ratios):,.0f}", every(verdicts))


def _tighter(table: Table) -> Finding:
    ours = [table.theory[label][name] for label in INSTANCES for name in PRINTED]
    ratios = [bound["printed"] / bound["value"] for bound in ours]
    return Finding(f"printed/ours from {min(ratios):.1f} to {max(ratios):.1f}", exactly(min(ratios) >= 1.0))


def _led(found: dict[str, Any], allowed: str) -> str:
    event = "its event holds" if found["event"] else "its event fails"
    return (
        f"means (1, 0, 0), first reward −6.7, n = {found['rounds']:,}: {event}, wrong arms lead "
        f"{found['wrong']:,} rounds, {found[allowed]:,.0f} allowed"
    )


def _lemma(table: Table) -> Finding:
    found = table.theory[LEADERS]
    return Finding(_led(found, "printed"), exactly(not found["event"] or found["wrong"] <= found["printed"]))


def _repaired(table: Table) -> Finding:
    found = table.theory[LEADERS]
    return Finding(_led(found, "repaired"), exactly(not found["event"] or found["wrong"] <= found["repaired"]))


def _mixture_better(table: Table) -> Finding:
    found = {point.label: point.typical_ratio("TTUCB", UNION, NORMAL_999) for point in table.points}
    low, high = (pick(ratio.value for ratio in found.values()) for pick in (min, max))
    return Finding(f"g_m/g_u from {low:.2f} to {high:.2f}", every(ratio.below(1.0) for ratio in found.values()))


EXPERIMENT = Experiment(
    name="bounds",
    source="beyond the paper",
    title="Lower bound, measured mean and upper bounds, δ = 0.1, proven threshold",
    points=points,
    theory=upper_bounds,
    figures=(
        Figure(
            "bounds",
            "bounds",
            "Lower bound ≤ measured mean ≤ upper bound: δ = 0.1, proven threshold",
            "The finite-time bounds hold, and are far from tight except for uniform sampling.",
        ),
    ),
    claims=(
        Claim("E[τ] ≥ T* ln(1/(2.4 δ)).", "section 1", _lower),
        Claim("The finite-time theorems bound E[τ] of TTUCB (g_u, g_m) and of uniform sampling.", "theorems", _upper),
        Claim("They are proved anew: never above the printed ones.", "docs/upper-bounds.md", _tighter),
        Claim("If E₁,ₙ holds, wrong arms lead at most 2H g(n)/β + K/β rounds before n.", "lemma, UCB leader", _lemma),
        Claim(
            "Repaired: at most max{K + 2H₁ g(n)/β, max{K, n^{1/α}} + 2H₁′ g(n)/β}.", "docs/upper-bounds.md", _repaired
        ),
        Claim("The lowest g yields better empirical performance: g_m beats g_u.", "section 2", _mixture_better),
    ),
)
