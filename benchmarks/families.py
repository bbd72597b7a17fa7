"""Families: time per round against the Gaussian, and what the two proven thresholds cost in pulls.

`python -m benchmarks.families` prints the table of pulls in docs/families.md; `make bench` runs the times.
"""

import numpy as np

import toptwo as tt
from benchmarks.measure import Table, ratio, take_turns, verdict
from benchmarks.players import Player
from toptwo.problems import random_gaussian

BAR = 4.0
"""Bernoulli TTUCB at K = 10, in units of the Gaussian time per round."""

ROUNDS, RUNS = 4_000, 12

LAWS = {
    "gaussian": tt.Gaussian(),
    "gaussian, σ per arm": tt.Gaussian(sigma=[1.0] * 10),
    "bernoulli": tt.Bernoulli(),
    "poisson": tt.Poisson(),
    "exponential": tt.Exponential(),
    "gamma": tt.Gamma(shape=2.0),
}
"""On the paper's random instances, whose means lie between 0.2 and 0.6."""

PRICES = {
    "bernoulli": {"(.6, .5, .45, .4, .3)": (0.6, 0.5, 0.45, 0.4, 0.3), "(.05, .02, .01)": (0.05, 0.02, 0.01)},
    "poisson": {"(3, 2.5, 2, 1)": (3.0, 2.5, 2.0, 1.0), "(.3, .2, .1)": (0.3, 0.2, 0.1)},
    "exponential": {"(2, 1.5, 1.2, .5)": (2.0, 1.5, 1.2, 0.5), "(30, 20, 10)": (30.0, 20.0, 10.0)},
    "gamma": {"(2, 1.5, 1.2, .5)": (2.0, 1.5, 1.2, 0.5), "(30, 20, 10)": (30.0, 20.0, 10.0)},
}


def times(turns: int) -> Table:
    """Return the time per round of TTUCB under every one-parameter law."""
    table = Table(
        "TTUCB by family, K = 10, one thread",
        ("family", "ns/round", "x Gaussian", "bar", ""),
        note="Median of the ratios of turns; heuristic threshold, the paper's random instances.",
    )
    means = random_gaussian(RUNS, 10, seed=3)
    halved = 0.5 * means + 0.25  # σ is about ½ for Bernoulli rewards: as hard as the Gaussian instances
    unit = Player("TTUCB", means, 10 + ROUNDS)
    for name, family in LAWS.items():
        player = (
            unit
            if name == "gaussian"
            else Player("TTUCB", halved if name == "bernoulli" else means, 10 + ROUNDS, family)
        )
        measured = take_turns({"unit": unit.play, "it": player.play}, turns)
        value = ratio(measured, "it", "unit") * unit.rounds / player.rounds
        nanoseconds = float(np.median(measured["it"])) / player.rounds * 1e9
        bar = (f"≤ {BAR:g}", verdict(value, BAR)) if name == "bernoulli" else ("", "")
        table.rows.append((name, f"{nanoseconds:.0f}", f"{value:.2f}", *bar))
    return table


def prices(runs: int = 2000) -> Table:
    """Return the mean pulls of TTUCB under the thresholds, the same rewards for all."""
    table = Table(
        "Pulls of TTUCB at δ = 0.1",
        ("family", "means", "proven", "mixture", "mixture / proven", "heuristic / proven"),
        note=f"{runs} runs, seed 1; heuristic has no proof and is shown for scale.",
    )
    for name, instances in PRICES.items():
        for label, means in instances.items():
            pulls = {
                threshold: tt.simulate("TTUCB", means, family=LAWS[name], threshold=threshold, runs=runs, seed=1)
                for threshold in ("proven", "mixture", "heuristic")
            }
            mean = {threshold: float(result.stopping_times.mean()) for threshold, result in pulls.items()}
            shares = [mean[threshold] / mean["proven"] for threshold in ("mixture", "heuristic")]
            table.rows.append(
                (name, label, f"{mean['proven']:.0f}", f"{mean['mixture']:.0f}", *(f"{share:.3f}" for share in shares))
            )
    return table


def tables(quick: bool) -> list[Table]:
    """Return the table of times."""
    return [times(15 if quick else 60)]


if __name__ == "__main__":
    from rich.console import Console

    from benchmarks.__main__ import show

    show(prices(), Console(width=120))
