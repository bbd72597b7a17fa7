"""How often every proven rule is wrong where errors are easiest: the tables of benchmarks/verify.md.

python -m benchmarks.verify --save
python -m benchmarks.verify --runs 10000000 --engine cuda --law gaussian --threshold betting
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console

import toptwo as tt
from benchmarks.__main__ import machine, markdown, show
from benchmarks.measure import Table
from toptwo.engine.verification import Verification
from toptwo.rules.thresholds import THRESHOLDS

RESULTS = Path(__file__).with_name("verify.md")
ALGORITHM = "TTUCB"
DELTAS = (0.1, 0.01)
ARMS = (2, 5)
SAMPLES = 1000
"""After which a run at a near tie is given up."""

LAWS = {
    "gaussian": tt.Gaussian(),
    "bernoulli": tt.Bernoulli(),
    "poisson": tt.Poisson(),
    "exponential": tt.Exponential(),
    "gamma": tt.Gamma(2.0),
    "bounded": tt.Bounded(0.0, 1.0),
    "unknown variance": tt.GaussianUnknownVariance(),
}

SHARES = {"bounded": 0.05}
"""Of the runs: a law whose rounds take long."""


def proven(laws: list[str], thresholds: list[str]) -> list[tuple[str, str]]:
    """Return every family with every threshold that has a proof under it."""
    pairs = []
    for law in laws:
        for threshold in thresholds:
            try:
                tt.simulate(ALGORITHM, [0.3, 0.6], threshold=threshold, family=LAWS[law], runs=1, engine="python")
            except tt.InputError:  # no proof under this family
                continue
            pairs.append((law, threshold))
    return pairs


def counted(pairs: list[tuple[str, str]], runs: int, engine: str) -> Iterator[tuple[str, Verification]]:
    """Yield what was counted for every family, rule, number of arms and δ."""
    for law, threshold in pairs:
        for arms in ARMS:
            for delta in DELTAS:
                yield (
                    law,
                    tt.verify(
                        ALGORITHM,
                        delta=delta,
                        threshold=threshold,
                        arms=arms,
                        runs=round(runs * SHARES.get(law, 1.0)),
                        max_samples=SAMPLES,
                        family=LAWS[law],
                        seed=11,
                        engine=engine,
                        progress=False,
                    ),
                )


def row(law: str, found: Verification) -> tuple[str, ...]:
    """Return a row of the table."""
    low, high = found.interval
    return (
        law,
        found.threshold,
        str(len(found.means)),
        f"{found.delta:g}",
        f"{found.runs:,}",
        f"{found.wrong:,}",
        f"{low:.2g} to {high:.2g}",
        found.verdict,
        f"{found.seconds:.1f}",
    )


def main() -> None:
    thresholds = [name for name in THRESHOLDS if name != "heuristic"]
    parser = argparse.ArgumentParser(prog="python -m benchmarks.verify", description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=20_000, help="of a row; fewer where rounds take long")
    parser.add_argument("--law", choices=LAWS, action="append", help="some families only")
    parser.add_argument("--threshold", choices=thresholds, action="append", help="some rules only")
    parser.add_argument("--engine", default="cpu", help="cpu, cuda or auto")
    parser.add_argument("--save", action="store_true", help=f"write {RESULTS.name}")
    options = parser.parse_args()
    table = Table(
        f"{ALGORITHM} where all arms but one are alike, and that one is better by 1e-9",
        ("family", "rule", "K", "δ", "runs", "wrong", "error rate, 95 % interval", "verdict", "seconds"),
        note=f"A run is given up after {SAMPLES:,} samples, and counts as not wrong. Engine: {options.engine}.",
    )
    for law, found in counted(
        proven(options.law or list(LAWS), options.threshold or thresholds), options.runs, options.engine
    ):
        table.rows.append(row(law, found))
        print(*table.rows[-1], sep=" | ", flush=True)
    show(table, Console())
    print(machine())
    if options.save:
        RESULTS.write_text(markdown([table]).replace("-m benchmarks ", "-m benchmarks.verify ", 1), encoding="utf-8")


if __name__ == "__main__":
    main()
