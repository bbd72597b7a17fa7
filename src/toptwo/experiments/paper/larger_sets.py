"""Sweeps over the number of arms K: shared by figure 1(b) and the two α benchmarks."""

import math
from collections.abc import Callable, Sequence
from functools import partial

from toptwo.experiments.experiment import Claim, Finding, Point, entrants
from toptwo.experiments.judging import shown
from toptwo.experiments.paper.line_ups import LOW_COST, repeated
from toptwo.problems import Means
from toptwo.sweeps.statistics import NORMAL_999, Estimate, Judgement, difference, every, slope
from toptwo.sweeps.tables import Table

RUNS = {
    "smoke": {10: 40, 30: 20, 100: 8},
    "paper": {10: 1000, 20: 1000, 50: 500, 100: 300, 200: 150, 500: 60, 1000: 30},
}
"""Runs by number of arms: fewer where a run is long, and where stopping times vary little."""

NOTE = (
    "The paper gives neither its grid of K nor its number of runs. Ours: "
    + ", ".join(f"K = {arms}: {runs:,} runs" for arms, runs in RUNS["paper"].items())
    + " at paper size."
)


def sweep(size: str, instance: Callable[[int], Means], uniform_up_to: int = 1000) -> tuple[Point, ...]:
    """Return one point per number of arms; uniform sampling is left out where it would take minutes a run."""
    return tuple(
        Point(
            f"K = {arms}",
            partial(repeated, instance(arms)),
            entrants(*(name for name in LOW_COST if name != "uniform" or arms <= uniform_up_to)),
            runs=runs,
            value=float(arms),
            chunk=max(5, min(500, 4000 // arms)),
        )
        for arms, runs in RUNS[size].items()
    )


def growth(table: Table, algorithm: str, fact: str) -> Estimate:
    """Return d ln(samples)/d ln(fact) over the sweep: 1 for linear growth."""
    x, y, errors = [], [], []
    for point in table.points:
        if not point.has(algorithm):
            continue
        typical = point.typical(algorithm, 1.0)
        x.append(math.log(point.facts[fact]))
        y.append(math.log(typical.value))
        errors.append(math.log(typical.high / typical.value))
    return slope(x, y, errors, NORMAL_999)


def exponents(table: Table, fact: str, low: float, high: float, names: Sequence[str] = LOW_COST) -> Finding:
    """Judge whether samples grow like a power of a fact between two exponents."""
    found = {name: growth(table, name, fact) for name in names}
    text = "exponent " + ", ".join(f"{name} {shown(interval)}" for name, interval in found.items())
    return Finding(text, every(interval.within(low, high) for interval in found.values()))


def linear(table: Table) -> Finding:
    """Judge "the same linear scaling in H": exponents between 0.8 and 1.2; of all but uniform sampling is a correction.

    Uniform sampling grows like K/Δ_min², which is linear in H only if all gaps are alike.
    """
    everyone = exponents(table, "hardness", 0.8, 1.2)
    adaptive = exponents(table, "hardness", 0.8, 1.2, [name for name in LOW_COST if name != "uniform"])
    if everyone.judgement is Judgement.FAILS and adaptive.judgement is Judgement.HOLDS:
        return Finding(f"{everyone.number}; all but uniform", Judgement.CORRECTED)
    return everyone


def better_than_power(table: Table) -> Finding:
    """Judge "a better scaling with H than H^α", α = 1.2."""
    return exponents(table, "hardness", 0.0, 1.2, ("TTUCB",))


def robustness(table: Table) -> Finding:
    """Judge whether TTUCB falls back against T3C as K grows."""
    first, last = table.points[0], table.points[-1]
    ends = [point.typical_ratio("TTUCB", "T3C", NORMAL_999) for point in (first, last)]
    text = f"TTUCB/T3C {shown(ends[0])} at {first.label}, {shown(ends[1])} at {last.label}"
    return Finding(text, difference(ends[1], ends[0]).above(0.0))


def thompson_best(table: Table) -> Finding:
    """Judge "T3C performs the best for larger sets of arms": nobody needs fewer samples at the three largest K."""
    texts, verdicts = [], []
    for point in table.points[-3:]:
        others = [row["algorithm"] for row in point.rows if row["algorithm"] != "T3C"]
        found = {name: point.typical_ratio(name, "T3C", NORMAL_999) for name in others}
        closest = min(found, key=lambda name: found[name].value)
        texts.append(f"{point.label}: next is {closest} at {shown(found[closest])} times T3C")
        verdicts.append(every(interval.above(1.0) for interval in found.values()))
    return Finding("; ".join(texts), every(verdicts))


def hardness_like(table: Table, factor: float, power: float) -> Finding:
    """Judge "H ≈ factor · K^power": within 15 % holds, of the right order is a correction."""
    found = [point.facts["hardness"] / (factor * point.facts["arms"] ** power) for point in table.points]
    law = f"{factor:g} K" + (f"^{power:g}" if power != 1.0 else "")
    text = f"H/({law}) is {found[0]:.2f} at {table.points[0].label} and {found[-1]:.2f} at {table.points[-1].label}"
    off = max(abs(math.log(value)) for value in found)
    verdict = (
        Judgement.HOLDS if off < math.log(1.15) else Judgement.CORRECTED if off < math.log(2.5) else Judgement.FAILS
    )
    return Finding(text, verdict)


CONSISTENT = (
    Claim(
        "Consistent with figure 1(b): linear scaling in H(μ) [samples ∝ H^p, p within 0.2 of 1],",
        "appendix",
        linear,
    ),
    Claim(
        "and T3C is more robust than TTUCB to more arms.",
        "appendix",
        robustness,
    ),
    Claim("Overall, T3C performs the best for larger sets of arms.", "appendix", thompson_best),
)
"""What the paper says of both α benchmarks."""
