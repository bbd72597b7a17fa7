"""Equal means, where T*_½/T* is largest: constant and adaptive proportions and three asymptotically optimal rules."""

import math
from functools import partial
from itertools import pairwise

from toptwo import problems, theory
from toptwo.experiments.experiment import Claim, Experiment, Figure, Finding, Point, entrants
from toptwo.experiments.judging import close, shown
from toptwo.experiments.paper.line_ups import ASYMPTOTIC, TOP_TWO, fixed_and_adaptive, repeated
from toptwo.sweeps.statistics import NORMAL_999, Estimate, difference, every, exponential
from toptwo.sweeps.tables import Table

ARMS, GAP = 35, 0.5
DELTAS = (0.1, 0.01, 0.001)
RUNS = {"smoke": 30, "paper": 2000}


def points(size: str) -> tuple[Point, ...]:
    """Return μ₁ = 0 and 34 arms at −½, for three δ."""
    means = problems.equal_means(ARMS, GAP)
    competitors = (*fixed_and_adaptive(), *entrants(*ASYMPTOTIC))
    return tuple(
        Point(
            f"δ = {delta:g}",
            partial(repeated, means),
            competitors,
            runs=RUNS[size],
            value=math.log10(1 / delta),
            delta=delta,
            chunk=250,
        )
        for delta in DELTAS
    )


def _worst_ratio(table: Table) -> Finding:
    value = table.point().facts["time_ratio"]
    known = float(theory.worst_time_ratio(ARMS))
    return Finding(f"r_K = {known:.4f}, T*_½/T* here {value:.4f}", close(value, 1.5, 0.01, 0.1))


def _speed_up(table: Table) -> Finding:
    target = float(theory.worst_time_ratio(ARMS))
    texts, verdicts = [], []
    for point in table.points:
        found = {rule: point.typical_ratio(rule, f"A-{rule}", NORMAL_999) for rule in TOP_TWO}
        texts.append(f"{point.label}: " + ", ".join(f"{rule} {shown(ratio)}" for rule, ratio in found.items()))
        verdicts += [ratio.within(0.85 * target, 1.15 * target) for ratio in found.values()]
    return Finding("; ".join(texts), every(verdicts))


def _better(table: Table) -> Finding:
    found = [point.typical_ratio(rule, f"A-{rule}", NORMAL_999) for point in table.points for rule in TOP_TWO]
    low, high = min(ratio.value for ratio in found), max(ratio.value for ratio in found)
    return Finding(f"fixed/adaptive from {low:.2f} to {high:.2f}", every(ratio.above(1.0) for ratio in found))


def _outperform(table: Table) -> Finding:
    texts, verdicts = [], []
    for point in table.points:
        parts = []
        for other in ASYMPTOTIC:
            found = [point.typical_ratio(other, rule, NORMAL_999) for rule in TOP_TWO]
            low, high = (pick(ratio.value for ratio in found) for pick in (min, max))
            parts.append(f"{other} {low:.2f} to {high:.2f}")
            verdicts += [ratio.above(1.0) for ratio in found]
        texts.append(f"{point.label}: {', '.join(parts)}")
    return Finding(f"times the samples of the four rules: {'; '.join(texts)}", every(verdicts))


def _gap_grows(table: Table) -> Finding:
    texts, verdicts = [], []
    for rule in TOP_TWO:
        gaps = [point.difference(rule, f"A-{rule}", NORMAL_999) for point in table.points]
        speed = [point.typical_ratio(rule, f"A-{rule}").value for point in table.points]
        gap_text = ", ".join(f"{gap.value:,.0f}" for gap in gaps)
        texts.append(f"{rule} {gap_text} samples (ratio " + ", ".join(f"{value:.2f}" for value in speed) + ")")
        for less, more in pairwise(gaps):
            verdicts.append(difference(more, less).above(0.0))
    return Finding("; ".join(texts), every(verdicts))


def _growth(table: Table, rule: str) -> Estimate:
    """Return the ln of typical samples at the smallest δ over those at the largest."""
    large, small = (table.points[place].typical(rule, NORMAL_999) for place in (0, -1))
    logs = [Estimate(*(math.log(end) for end in interval)) for interval in (small, large)]
    return difference(logs[0], logs[1])


def _robust(table: Table) -> Finding:
    growths = {rule: _growth(table, rule) for rule in TOP_TWO}
    verdicts = [difference(growths[rule], growths["TTUCB"]).above(0.0) for rule in TOP_TWO[1:]]
    text = ", ".join(f"{rule} {shown(exponential(growth))}" for rule, growth in growths.items())
    return Finding(f"samples at δ = 0.001 over δ = 0.1: {text}", every(verdicts))


EXPERIMENT = Experiment(
    name="equal_means",
    source="appendix, adaptive proportions",
    title="Equal means, K = 35, gap ½, δ = 0.1, 0.01 and 0.001",
    points=points,
    figures=tuple(
        Figure(
            f"equal_means_{str(delta).replace('.', '')}",
            "boxes",
            f"Equal means: K = 35, gap ½, δ = {delta:g}",
            "Constant β = ½ and adaptive (A-), with three asymptotically optimal algorithms.",
            points=(f"δ = {delta:g}",),
        )
        for delta in DELTAS
    ),
    claims=(
        Claim("K = 35 equal means have T*_½/T* = r_K ≈ 3/2.", "appendix", _worst_ratio),
        Claim("Adaptive proportions yield better empirical performance,", "appendix", _better),
        Claim("with an empirical speed-up close to r_K ≈ 3/2 [within 15 %].", "appendix", _speed_up),
        Claim("Top Two with β = 1/2 outperform TaS, FWS and DKM for all three δ.", "appendix", _outperform),
        Claim("The gap between adaptive and fixed increases as δ decreases [in samples].", "appendix", _gap_grows),
        Claim("TTUCB is slightly more robust to decreasing δ than other Top Two.", "appendix", _robust),
    ),
    note=f"The paper does not give the number of runs; {RUNS['paper']:,} for each δ at paper size.",
)
