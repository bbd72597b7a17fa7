"""Which data break which family, and whether the verdict says so: the tables of docs/diagnostics.md.

Two arms, the second one better by a little, δ = 0.1. A run counts as wrong if the first arm is declared the winner.
`--values` prints the second table only: how many values it takes until a diagnostic speaks. `--runs 0.1` takes a tenth
of the runs, `--save` writes benchmarks/broken.md.
"""

import argparse
import math
import random
import statistics
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console

import toptwo as tt
from benchmarks.__main__ import markdown, show
from benchmarks.measure import Table
from toptwo.families.numerics.draws import poisson
from toptwo.study.diagnostics import Diagnostics

RESULTS = Path(__file__).with_name("broken.md")
DELTA = 0.1
BUDGET = 1000
RUNS = 100

Draw = Callable[[random.Random, int, int], float]
"""A value from a stream, an arm and the number of the pull."""


class Data(NamedTuple):
    """Two arms that a family may not fit."""

    label: str
    draw: Draw
    low: float
    high: float
    """Ends between which all values lie, or nearly all: others are clipped for `Bounded`."""
    coins: bool = False


def spiky(stream: random.Random, arm: int, number: int) -> float:
    """Return noise of σ = 1; the second arm's has a spike of 30 in 1 % of its values, and a mean of 0.3."""
    if arm == 0:
        return stream.gauss(0.28, 1.0)
    return stream.gauss(0.0, 1.0) + 30.0 * (stream.random() < 0.01)


def tight_or_skewed(stream: random.Random, arm: int, number: int) -> float:
    """Return a tight arm of mean 0.52; the second is near 0.5, or near 1 in 5 % of its values: mean 0.525."""
    near = 0.52 if arm == 0 else (1.0 if stream.random() < 0.05 else 0.5)
    return stream.gauss(near, 0.005)


DATA = (
    Data("Gaussian, σ = 1, gap 0.02", lambda s, arm, n: s.gauss(0.02 * arm, 1.0), -6.0, 6.0),
    Data("Gaussian, σ = 10, gap 0.2", lambda s, arm, n: s.gauss(0.2 * arm, 10.0), -60.0, 60.0),
    Data("exponential, means 1 and 1.02", lambda s, arm, n: s.expovariate(1.0 / (1.0 + 0.02 * arm)), 0.0, 20.0),
    Data("tight against skewed", tight_or_skewed, 0.4, 1.1),
    Data("1 % spikes of 30 σ", spiky, -6.0, 36.0),
    Data("0 or 1, rates 0.02 and 0.025", lambda s, arm, n: float(s.random() < 0.02 + 0.005 * arm), 0.0, 1.0, True),
    Data("drift of 3 σ over the budget", lambda s, arm, n: s.gauss(0.02 * arm + 3.0 * n / BUDGET, 1.0), -6.0, 9.0),
)


def families(data: Data) -> list[tuple[str, Any]]:
    """Return what somebody may have told of the data."""
    bounded = (f"Bounded({data.low:g}, {data.high:g})", tt.Bounded(data.low, data.high))
    gaussian = [("Gaussian(1)", tt.Gaussian(1.0)), ("GaussianUnknownVariance()", tt.GaussianUnknownVariance())]
    return [*gaussian, bounded, *([("Bernoulli()", tt.Bernoulli())] if data.coins else [])]


def play(data: Data, family: Any, seed: int) -> Any:
    """Return the verdict of a study of the data under a family."""
    stream, clip = random.Random(seed), isinstance(family, tt.Bounded)
    study = tt.create_study(2, delta=DELTA, family=family, max_samples=BUDGET)
    while study.running:
        pull = study.ask()
        value = data.draw(stream, pull.index, pull.number)
        study.tell(pull, min(max(value, data.low), data.high) if clip else value)
    return study.verdict


def table_of_errors(runs: int) -> Table:
    """Return how often verdicts are wrong, and how often they say what is wrong."""
    table = Table(
        "Data and families",
        ("data", "family", "wrong", "decided", "a diagnostic speaks"),
        note=f"{runs} runs of at most {BUDGET:,} pulls, default algorithm and threshold, δ = {DELTA}.",
    )
    for data in DATA:
        for name, family in families(data):
            verdicts = [play(data, family, seed) for seed in range(runs)]
            wrong = sum(verdict.decided and verdict.arm == 0 for verdict in verdicts) / runs
            decided = sum(verdict.decided for verdict in verdicts) / runs
            told = sum(bool(verdict.diagnostics) for verdict in verdicts) / runs
            table.rows.append((data.label, f"`{name}`", f"{wrong:.0%}", f"{decided:.0%}", f"{told:.0%}"))
    return table


def remembering(strength: float) -> Draw:
    """Return noise of σ = 1 in which each value remembers a part of the one before."""
    last = [0.0]

    def draw(stream: random.Random, arm: int, number: int) -> float:
        kick = math.sqrt(1.0 - strength * strength) * stream.gauss(0.0, 1.0)
        last[0] = kick if number == 1 else strength * last[0] + kick
        return last[0]

    return draw


UNKNOWN = tt.GaussianUnknownVariance()


def moody(mood: float) -> Draw:
    """Return shares of 200 visitors, of whom 10 % buy, times 1 ± mood in each batch anew."""

    def draw(stream: random.Random, arm: int, number: int) -> float:
        rate = 0.1 * (1.0 + stream.choice((-mood, mood)))
        return sum(stream.random() < rate for _ in range(200)) / 200

    return draw


def uneven(stream: random.Random, arm: int, number: int) -> float:
    """Return counts of mean 5, of Poisson laws of means 2.5 and 7.5."""
    return float(poisson(stream.choice((2.5, 7.5)), stream.getrandbits(64)))


KNOWN = tt.Gaussian(1.0)

SIGNS: tuple[tuple[str, str, Any, Draw, int], ...] = (
    ("standard deviation 1.2 σ", "spread", KNOWN, lambda s, arm, n: s.gauss(0.0, 1.2), 1),
    ("standard deviation 1.5 σ", "spread", KNOWN, lambda s, arm, n: s.gauss(0.0, 1.5), 1),
    ("standard deviation 2 σ", "spread", KNOWN, lambda s, arm, n: s.gauss(0.0, 2.0), 1),
    ("standard deviation 10 σ", "spread", KNOWN, lambda s, arm, n: s.gauss(0.0, 10.0), 1),
    ("the same, averages of 25", "spread", KNOWN, lambda s, arm, n: s.gauss(0.0, 2.0), 25),
    ("exponential", "skew", UNKNOWN, lambda s, arm, n: s.expovariate(1.0), 1),
    ("lognormal", "skew", UNKNOWN, lambda s, arm, n: math.exp(s.gauss(0.0, 1.0)), 1),
    ("drift of 1 σ in 300 values", "drift", UNKNOWN, lambda s, arm, n: s.gauss(n / 300.0, 1.0), 1),
    ("remembers 0.5 of the value before", "autocorrelation", UNKNOWN, remembering(0.5), 1),
    ("remembers 0.9 of the value before", "autocorrelation", UNKNOWN, remembering(0.9), 1),
    ("200 visitors, rates of 5 and 15 %", "overdispersion", tt.Bernoulli(), moody(0.5), 200),
    ("200 visitors, rates of 7 and 13 %", "overdispersion", tt.Bernoulli(), moody(0.3), 200),
    ("counts of means 2.5 and 7.5", "overdispersion", tt.Poisson(), uneven, 1),
)
"""Data, the diagnostic that is to speak, the family, and how many measurements a value is the average of."""


def values_until(kind: str, family: Any, draw: Draw, size: int, seed: int, most: int = 1 << 15) -> int:
    """Return after how many values of one of ten arms a diagnostic speaks, or `most`."""
    stream, watch = random.Random(seed), Diagnostics(family, 10)
    for number in range(1, most):
        watch.see(0, draw(stream, 0, number), size)
        if any(diagnosis.kind == kind for diagnosis in watch.read()):
            return number
    return most


def table_of_values(studies: int) -> Table:
    """Return how many values it takes until a diagnostic speaks."""
    table = Table("Values until a diagnostic speaks", ("data", "diagnostic", "values"))
    for label, kind, family, draw, size in SIGNS:
        counts = [values_until(kind, family, draw, size, seed) for seed in range(studies)]
        table.rows.append((label, kind, f"{statistics.median(counts):,.0f}"))
    return table


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.broken", description=__doc__)
    parser.add_argument("--runs", type=float, default=1.0, help="share of the runs")
    parser.add_argument("--values", action="store_true", help="only the values until a diagnostic speaks")
    parser.add_argument("--save", action="store_true", help=f"write {RESULTS.name}")
    options = parser.parse_args()
    tables = [table_of_values(15)]
    if not options.values:
        tables.insert(0, table_of_errors(max(10, round(options.runs * RUNS))))
    for table in tables:
        show(table, Console())
    if options.save:
        RESULTS.write_text(markdown(tables), encoding="utf-8")


if __name__ == "__main__":
    main()
