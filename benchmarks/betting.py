"""What the betting rule costs in pulls and in time: the tables of docs/betting.md.

TTUCB with random ties; every threshold sees the same rewards, so ratios are paired run by run. `--runs 0.1` takes a
tenth of the runs, `--save` writes benchmarks/betting.md. `--without-a-model` takes bounded rewards and unknown
variances in the place of the others (benchmarks/betting_without_a_model.md).
"""

import argparse
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console

import toptwo as tt
from benchmarks.__main__ import machine, markdown, show
from benchmarks.bounded import AtTheEnds
from benchmarks.measure import Table, take_turns, verdict
from benchmarks.players import Player

SEED = 2
RESULTS = Path(__file__).with_name("betting.md")
WITHOUT_A_MODEL = Path(__file__).with_name("betting_without_a_model.md")
RULES = ("heuristic", "betting", "mixture", "proven")


class Instance(NamedTuple):
    """A problem of the table: one row of means per run."""

    label: str
    means: Any
    delta: float
    limit: float
    """The promise: pulls relative to those of `heuristic`, or of the rule named last."""
    family: Any = tt.Gaussian()
    margin: float = 0.0
    against: str = "heuristic"


def fixed(runs: int, *means: float) -> Any:
    """Return the same means for every run, the best arm not the first."""
    return np.tile(np.array((*means[1:], means[0])), (runs, 1))


def low_rates(runs: int, arms: int) -> Any:
    """Return conversion rates near .02, drawn once for each run; the best is .025."""
    rates = np.random.default_rng(SEED).uniform(0.015, 0.02, (runs, arms))
    rates[:, arms // 2] = 0.025
    return rates


def instances(share: float) -> list[Instance]:
    """Return the problems with this share of the runs."""

    def of(runs: int) -> int:
        return max(20, round(share * runs))

    five = fixed(of(1000), 0.6, 0.5, 0.45, 0.4, 0.3)
    random = {"means": tt.problems.random_gaussian(of(5000), seed=SEED)}
    return [
        Instance("random (paper), K = 10", delta=0.1, limit=1.15, **random),
        Instance("random (paper), K = 10", delta=0.05, limit=1.2, **random),
        Instance("random (paper), K = 10", delta=0.01, limit=1.2, **random),
        Instance("1-sparse, K = 100", np.tile(tt.problems.one_sparse(100), (of(200), 1)), 0.1, 1.1),
        Instance("equal means, K = 35", np.tile(tt.problems.equal_means(), (of(2000), 1)), 0.1, 1.1),
        Instance("gaps of ½, K = 2", fixed(of(5000), 0.5, 0.0), 0.1, 1.25),
        Instance("gaps of ½, K = 3", fixed(of(5000), 0.5, 0.0, 0.0), 0.1, 1.25),
        Instance("gaps of ½, K = 5", fixed(of(5000), 0.5, *[0.0] * 4), 0.1, 1.25),
        Instance("gaps of 2, K = 5", fixed(of(5000), 2.0, *[0.0] * 4), 0.1, 1.6),
        Instance("gaps of 0.03, K = 5", fixed(of(100), 0.03, *[0.0] * 4), 0.1, 1.6),
        Instance("random (paper), K = 10, ε = 0.05", delta=0.1, limit=1.6, margin=0.05, **random),
        Instance("tie of 3, ε = 0.1", fixed(of(1000), 0.0, 0.0, 0.0), 0.1, 2.2, margin=0.1),
        Instance("Bernoulli .6 .5 .45 .4 .3", five, 0.1, 1.3, tt.Bernoulli()),
        Instance("Bernoulli near .02, K = 5", low_rates(of(100), 5), 0.1, 1.3, tt.Bernoulli()),
        Instance("Poisson .6 .5 .45 .4 .3", five, 0.1, 1.35, tt.Poisson()),
        Instance("exponential .6 .5 .45 .4 .3", five, 0.1, 1.35, tt.Exponential()),
        Instance("Gamma of shape 3, .6 .5 .45 .4 .3", five, 0.1, 1.35, tt.Gamma(shape=3.0)),
    ]


def instances_without_a_model(share: float) -> list[Instance]:
    """Return problems of bounded rewards and of unknown variances with this share of the runs."""

    def of(runs: int) -> int:
        return max(20, round(share * runs))

    unknown = {"family": tt.GaussianUnknownVariance(), "against": "mixture"}
    return [
        Instance("bounded, 0 or 1", fixed(of(400), 0.6, 0.5, 0.4, 0.3), 0.1, 0.8, AtTheEnds(), against="mixture"),
        Instance("bounded, rare", fixed(of(400), 0.06, 0.03, 0.02, 0.01), 0.1, 0.8, AtTheEnds(), against="mixture"),
        Instance("bounded, spread out", fixed(of(400), 0.6, 0.5, 0.4, 0.3), 0.1, 0.8, tt.Bounded(), against="mixture"),
        Instance(
            "bounded, tight", fixed(of(400), 0.5, 0.48, 0.45, 0.4), 0.1, 0.8, tt.Bounded(spread=0.2), 0.0, "mixture"
        ),
        Instance(
            "σ unknown: random (paper), K = 10", tt.problems.random_gaussian(of(400), seed=SEED), 0.1, 1.0, **unknown
        ),
        Instance("σ unknown: gaps of ½, K = 2", fixed(of(1000), 0.5, 0.0), 0.1, 1.0, **unknown),
        Instance("σ unknown: gaps of ½, K = 3", fixed(of(1000), 0.5, 0.0, 0.0), 0.1, 1.0, **unknown),
        Instance("σ unknown: gaps of 2, K = 5", fixed(of(1000), 2.0, *[0.0] * 4), 0.1, 1.0, **unknown),
        Instance("σ unknown: gaps of 10, K = 4", fixed(of(1000), 10.0, *[0.0] * 3), 0.1, 1.0, **unknown),
        Instance("σ unknown: gaps of 0.05, K = 4", fixed(of(100), 0.05, *[0.0] * 3), 0.1, 1.0, **unknown),
        Instance("σ unknown: tie of 3, ε = 0.3", fixed(of(400), 0.0, 0.0, 0.0), 0.1, 1.0, margin=0.3, **unknown),
    ]


def pulls(instance: Instance, threshold: str) -> Any:
    """Return the stopping times of TTUCB and the number of wrong answers."""
    result = tt.simulate(
        "TTUCB",
        instance.means,
        delta=instance.delta,
        epsilon=instance.margin,
        threshold=threshold,
        family=instance.family,
        seed=SEED,
        progress=False,
    )
    return result.stopping_times, int(result.wrong.sum())


def ratio(times: Any, reference: Any) -> str:
    """Return the ratio of two means over the same runs and its standard error (delta method)."""
    value = times.mean() / reference.mean()
    error = np.std(times - value * reference, ddof=1) / np.sqrt(len(times)) / reference.mean()
    return f"{value:.3f} ± {error:.3f}"


def pulls_table(problems: list[Instance], console: Console) -> Table:
    """Return pulls of every rule relative to the heuristic, and whether the promises are kept."""
    table = Table(
        "Pulls of TTUCB until it stops",
        ("instance", "δ", "runs", "heuristic", "betting", "/ heuristic", "/ mixture", "/ proven", "bar", "", "wrong"),
        note="± is one standard error of the paired ratio; `wrong` counts answers of `betting`.",
    )
    for instance in problems:
        found = {}
        for rule in (rule for rule in RULES if rule == "heuristic" or rule in instance.family.levels()):
            started = time.perf_counter()
            found[rule], wrong = pulls(instance, rule)
            console.print(f"{instance.label} {instance.delta:g} {rule}: {time.perf_counter() - started:.0f} s")
            if rule == "betting":
                mistakes = wrong
        times, reference = found["betting"], found["heuristic"]
        value = times.mean() / found[instance.against].mean()
        table.rows.append(
            (
                instance.label,
                f"{instance.delta:g}",
                str(len(times)),
                f"{reference.mean():.1f}",
                f"{times.mean():.1f}",
                *(ratio(times, found[rule]) if rule in found else "" for rule in ("heuristic", "mixture", "proven")),
                f"{instance.limit:g} × {instance.against}",
                verdict(value, instance.limit),
                str(mistakes),
            )
        )
    return table


def time_table(turns: int) -> Table:
    """Return the time per round with the betting rule, relative to the heuristic."""
    table = Table(
        "Time per round of TTUCB until it stops, one thread",
        ("instance", "heuristic, ns", "betting, ns", "betting / heuristic", "bar", ""),
        note="Whole runs, looks included; median of the ratios of turns.",
    )
    for label, means in (
        ("random (paper), K = 10", tt.problems.random_gaussian(10, seed=3)),
        ("gaps of ½, K = 3", fixed(200, 0.5, 0.0, 0.0)),
        ("1-sparse, K = 100", np.tile(tt.problems.one_sparse(100), (2, 1))),
    ):
        players = {rule: Player("TTUCB", means, 10**9, threshold=rule) for rule in ("heuristic", "betting")}
        measured = take_turns({rule: player.play for rule, player in players.items()}, turns)
        each = {rule: 1e9 * measured[rule] / player.rounds for rule, player in players.items()}
        value = float(np.median(each["betting"] / each["heuristic"]))
        judged = "K = 10" in label and "100" not in label
        table.rows.append(
            (
                label,
                *(f"{np.median(each[rule]):.0f}" for rule in players),
                f"{value:.2f}",
                "1.5" if judged else "",
                verdict(value, 1.5) if judged else "",
            )
        )
    return table


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.betting", description=__doc__)
    parser.add_argument("--runs", type=float, default=1.0, help="share of the runs")
    parser.add_argument("--without-a-model", action="store_true", help="bounded rewards and unknown variances")
    parser.add_argument("--save", action="store_true", help=f"write {RESULTS.name} or {WITHOUT_A_MODEL.name}")
    options = parser.parse_args()
    console, file = Console(width=170), WITHOUT_A_MODEL if options.without_a_model else RESULTS
    if options.without_a_model:
        tables = [pulls_table(instances_without_a_model(options.runs), console)]
    else:
        tables = [pulls_table(instances(options.runs), console), time_table(30)]
    for table in tables:
        show(table, console)
    console.print(machine())
    if options.save:
        page = markdown(tables).replace("-m benchmarks ", "-m benchmarks.betting ", 1)
        file.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
