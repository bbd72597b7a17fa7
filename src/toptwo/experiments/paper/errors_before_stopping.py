"""Wrong recommendations before stopping, on the runs of figure 1(a)."""

from collections.abc import Iterable

import numpy as np

from toptwo.experiments.experiment import Claim, Experiment, Figure, Finding
from toptwo.experiments.paper import fig1a
from toptwo.sweeps.statistics import NORMAL_999, Estimate, Judgement, difference, every, exactly, wilson
from toptwo.sweeps.tables import Table

FEWEST = ("EB-TCI", "TTTS", "LUCB")
MOST = ("uniform", "DKM")
EARLY = (0.05, 0.25)
LATE = (0.75, 1.0)
"""What "at first" and "for larger time" are taken to mean, as shares of the shortest median stopping time."""


MANY = 5.0
"""Half-width in standard errors where a thousand comparisons are made at once."""


def curve(row: dict) -> dict[str, np.ndarray]:  # type: ignore[type-arg]
    """Return times up to the median stopping time, error rates among the runs still going, and Wilson's bounds."""
    errors = {name: np.array(values) for name, values in row["errors"].items()}
    shown = (errors["times"] <= row["quantiles"][2]) & (errors["running"] > 0)
    times, running, wrong = (errors[name][shown] for name in ("times", "running", "wrong"))
    low, high = wilson(wrong, running)
    return {"times": times, "running": running, "rate": wrong / running, "low": low, "high": high}


def over(row: dict, first: float, last: float, width: float = NORMAL_999) -> Estimate:  # type: ignore[type-arg]
    """Return the error rate averaged over a span of time; the interval allows for full correlation within a run."""
    errors = {name: np.array(values) for name, values in row["errors"].items()}
    span = (errors["times"] >= first) & (errors["times"] <= last) & (errors["running"] > 0)
    wrong, running = errors["wrong"][span], errors["running"][span]
    low, high = wilson(wrong, running, width)
    return Estimate(float((wrong / running).mean()), float(low.mean()), float(high.mean()))


def _spans(table: Table) -> dict[str, tuple[float, float]]:
    horizon = min(row["quantiles"][2] for row in table.point().rows)
    shares = {"all": (EARLY[0], LATE[1]), "early": EARLY, "late": LATE}
    return {name: (first * horizon, last * horizon) for name, (first, last) in shares.items()}


def _rates(table: Table, span: str) -> dict[str, Estimate]:
    first, last = _spans(table)[span]
    return {row["algorithm"]: over(row, first, last) for row in table.point().rows}


def _words(table: Table, span: str) -> str:
    first, last = _spans(table)[span]
    return f"from {first:.0f} to {last:.0f} samples"


def _higher(one: Estimate, other: Estimate) -> Judgement:
    return difference(one, other).above(0.0)


def _percent(rates: dict[str, Estimate], names: Iterable[str]) -> str:
    return ", ".join(f"{name} {rates[name].value:.1%}" for name in names)


def _worst(table: Table) -> Finding:
    rates = _rates(table, "all")
    ranked = sorted(rates, key=lambda name: -rates[name].value)
    others = [name for name in rates if name not in MOST]
    verdict = every(_higher(rates[bad], rates[name]) for bad in MOST for name in others)
    return Finding(f"averaged over time: {_percent(rates, ranked[:4])}", verdict)


def _smallest(table: Table) -> Finding:
    """At all times: refuted by one time at which another is surely lower; upheld if the averages are apart."""
    rows = {row["algorithm"]: row for row in table.point().rows}
    first, last = _spans(table)["all"]
    times = [time for time in rows["TTUCB"]["errors"]["times"] if first <= time <= last]
    others = [name for name in rows if name not in FEWEST]
    against = [
        (time, name, other)
        for time in times
        for name in FEWEST
        for other in others
        if _higher(over(rows[name], time, time, MANY), over(rows[other], time, time, MANY)) is Judgement.HOLDS
    ]
    rates = _rates(table, "all")
    number = f"averaged over time: {_percent(rates, sorted(rates, key=lambda name: rates[name].value)[:5])}"
    if against:
        time, name, other = against[0]
        often = f"at {len({entry[0] for entry in against})} of {len(times)} times another errs less than one of them"
        return Finding(f"{number}; {often}, such as {other} than {name} at {time} samples", Judgement.FAILS)
    return Finding(number, every(_higher(rates[other], rates[name]) for name in FEWEST for other in others))


def _at_first(table: Table) -> Finding:
    early, late = _rates(table, "early"), _rates(table, "late")
    ours, theirs = early["TTUCB"], early["FWS"]
    alike = Estimate(ours.value / theirs.value, ours.low / theirs.high, ours.high / max(theirs.low, 1e-9))
    best = min(late.values(), key=lambda rate: rate.value)
    excess = difference(late["TTUCB"], best)
    first, later = _words(table, "early"), _words(table, "late")
    number = (
        f"{first}: {_percent(early, ('TTUCB', 'FWS'))}; {later}: {_percent(late, ('TTUCB',))}, "
        f"the best {best.value:.1%}"
    )
    return Finding(number, every([alike.within(2 / 3, 3 / 2), excess.below(0.01)]))


def _reversed(table: Table) -> Finding:
    early, late = _rates(table, "early"), _rates(table, "late")
    names = ("TTUCB", "TaS", "T3C")
    verdicts = [_higher(early["TTUCB"], early[name]) for name in names[1:]]
    verdicts += [_higher(late[name], late["TTUCB"]) for name in names[1:]]
    first, later = _words(table, "early"), _words(table, "late")
    return Finding(f"{first}: {_percent(early, names)}; {later}: {_percent(late, names)}", every(verdicts))


def _instances(table: Table) -> Finding:
    fewest = min(int(curve(row)["running"][-1]) for row in table.point().rows)
    runs = table.point().content["runs"]
    return Finding(f"at least {fewest:,} of {runs:,} runs", exactly(2 * fewest >= runs))


EXPERIMENT = Experiment(
    name="errors_before_stopping",
    source="appendix, empirical errors before stopping",
    title="Errors before stopping, random instances, K = 10",
    points=fig1a.points,
    figures=(
        Figure(
            "errors_before_stopping",
            "errors",
            "Wrong recommendations before stopping: random instances, K = 10",
            "Among the runs still going, up to the median stopping time; shaded: Wilson's 95 % intervals.",
        ),
    ),
    claims=(
        Claim("Up to its median stopping time, each rate averages at least half of the runs.", "appendix", _instances),
        Claim("Uniform sampling and DKM perform the worst in terms of empirical error.", "appendix", _worst),
        Claim("At all times, the smallest errors are achieved by EB-TCI, TTTS and LUCB.", "appendix", _smallest),
        Claim(
            "TTUCB is at first as bad as FWS [within 1.5 times], then matches the best for larger time [within 1 %].",
            "appendix",
            _at_first,
        ),
        Claim("For TaS and T3C, the trend is reversed.", "appendix", _reversed),
    ),
    note="The runs are those of fig1a.",
)
