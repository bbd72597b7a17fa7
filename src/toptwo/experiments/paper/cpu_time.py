"""Processor time beside the paper's table: a measurement on this machine."""

from dataclasses import replace
from functools import partial

from toptwo import problems
from toptwo.experiments.experiment import Claim, Experiment, Figure, Finding, Point, entrants
from toptwo.experiments.paper.line_ups import random_instances, repeated
from toptwo.sweeps.statistics import NORMAL_999, Estimate, every, exactly, of_mean
from toptwo.sweeps.tables import Table

PAPER = {
    "TTUCB": (0.14, 0.11),
    "EB-TCI": (0.10, 0.30),
    "T3C": (0.06, 0.05),
    "TTTS": (0.82, 0.65),
    "TaS": (78.38, 50.34),
    "FWS": (7.10, 9.6),
    "DKM": (0.40, 0.30),
    "LUCB": (0.06, 0.09),
    "uniform": (0.14, 0.10),
}
"""The paper's table: seconds a run, mean and standard deviation."""

CHEAP = ("TTUCB", "EB-TCI", "T3C", "LUCB", "uniform")
RUNS = {"smoke": 40, "paper": 500}
LARGER = {"smoke": {100: 2}, "paper": {100: 20, 1000: 4}}


def points(size: str) -> tuple[Point, ...]:
    """Return random instances for all algorithms, and TTUCB alone on larger 1-sparse ones."""
    timed = replace(random_instances(size, entrants(*PAPER)), timed=True, checkpoints=(), runs=RUNS[size], chunk=100)
    larger = (
        Point(
            f"1-sparse, K = {arms}",
            partial(repeated, problems.one_sparse(arms)),
            entrants("TTUCB"),
            runs=runs,
            value=float(arms),
            timed=True,
        )
        for arms, runs in LARGER[size].items()
    )
    return (timed, *larger)


def _times(table: Table) -> dict[str, Estimate]:
    return {
        row["algorithm"]: of_mean(row["seconds"]["mean"], row["seconds"]["deviation"] ** 2, row["runs"], NORMAL_999)
        for row in table.point().rows
    }


def _over(one: Estimate, other: Estimate) -> Estimate:
    return Estimate(one.value / other.value, one.low / other.high, one.high / max(other.low, 1e-12))


def _text(times: dict[str, Estimate]) -> str:
    ranked = sorted(times, key=lambda name: -times[name].value)
    return ", ".join(f"{name} {1000 * times[name].value:.2g} ms" for name in ranked)


def _slowest(table: Table) -> Finding:
    times = _times(table)
    slow = ("FWS", "TTTS")
    verdicts = [_over(times["TaS"], times[name]).above(1.0) for name in slow]
    verdicts += [_over(times[name], times[other]).above(1.0) for name in slow for other in (*CHEAP, "DKM")]
    return Finding(_text(times), every(verdicts))


def _similar(table: Table) -> Finding:
    times = _times(table)
    slowest, fastest = (pick(CHEAP, key=lambda name: times[name].value) for pick in (max, min))
    ratio = _over(times[slowest], times[fastest])
    return Finding(f"{slowest} takes {ratio.value:.1f} times as long as {fastest}", ratio.below(3.0))


def _slightly(table: Table) -> Finding:
    times = _times(table)
    slowest = max(CHEAP, key=lambda name: times[name].value)
    ratio = _over(times["DKM"], times[slowest])
    return Finding(f"DKM takes {ratio.value:.1f} times as long as {slowest}, the slowest of those",
                   ratio.within(1.0, 10.0))  # fmt: skip


def _newton(table: Table) -> Finding:
    times = _times(table)
    ratios = {name: _over(times["TaS"], times[name]) for name in ("FWS", "DKM")}
    text = ", ".join(f"{ratio.value:.1f} times {name}" for name, ratio in ratios.items())
    return Finding(f"TaS by Newton takes {text}", every(ratio.above(1.0) for ratio in ratios.values()))


def _order(table: Table) -> Finding:
    alone = table.points[1:]
    costs = [(point.facts["arms"], point.row("TTUCB")["seconds_per_sample"]) for point in alone]
    small = table.point().row("TTUCB")["seconds_per_sample"]
    costs = [(10.0, small), *costs]
    per_arm = [cost / arms for arms, cost in costs]
    text = ", ".join(f"{1e9 * cost:.0f} ns at K = {arms:.0f}" for arms, cost in costs)
    # An O(K) cost per round is one whose cost per arm does not grow; a fifth is left for caches.
    return Finding(text, exactly(all(later <= 1.2 * per_arm[0] for later in per_arm[1:])))


EXPERIMENT = Experiment(
    name="cpu_time",
    source="table of CPU times",
    title="Processor time of a run, random instances, K = 10, δ = 0.1",
    points=points,
    figures=(
        Figure(
            "cpu_time",
            "times",
            "Processor time of a run, random instances, K = 10",
            "Mean and mean + one standard deviation over runs, ours on this machine and the paper's in Julia.",
        ),
    ),
    claims=(
        Claim("The slowest algorithm is TaS, followed closely by FWS and TTTS.", "appendix", _slowest),
        Claim(
            "TTUCB, EB-TCI, T3C, LUCB and uniform have similar computational cost [within 3 times].",
            "appendix",
            _similar,
        ),
        Claim("It is slightly higher for DKM [up to 10 times].", "appendix", _slightly),
        Claim("We doubt that a faster TaS (Newton) will match the cost of DKM or FWS.", "appendix", _newton),
        Claim("The per-round computational cost of TTUCB is in O(K).", "appendix", _order),
    ),
    note="Seconds are measured on one thread of this machine and change from run to run.",
)
