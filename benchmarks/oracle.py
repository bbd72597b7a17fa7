"""Between the default of studies and half of the pulls of what it replaced (docs/what-a-guarantee-costs.md).

The paper's random instances, K = 10, as in `benchmarks.samplers`. Beside the default, the same with an oracle who knows
from the start which arm is best, and bets on it alone; and the least that any δ-correct algorithm takes on average,
T* kl(δ, 1 − δ), the means being known. `--runs 0.1` takes a tenth of the runs, `--save` writes benchmarks/oracle.md.
"""

import argparse
import math
from pathlib import Path

import numpy as np
from rich.console import Console

import toptwo as tt
from benchmarks.__main__ import machine, markdown, show
from benchmarks.betting import ratio
from benchmarks.measure import Table
from benchmarks.samplers_suite import SETS, random_last
from toptwo.rules.betting import Betting, mark
from toptwo.rules.parts import Seen
from toptwo.study.defaults import default_algorithm

RESULTS = Path(__file__).with_name("oracle.md")
SEED = SETS["reporting"][1]
ARMS = 10
DELTAS = (0.1, 0.05, 0.01)


class KnowsTheBest(Betting):
    """Betting as if it were known that the last arm is best: all its pulls are marked, and no others."""

    __slots__ = ()

    def learn(self, seen: Seen) -> None:
        """Mark a pull of the last arm."""
        last = len(seen.state.means) - 1
        arm, value, size = seen.arm, seen.value, seen.size
        mark(self, Seen(seen.leader, arm, value, size, last, math.inf, seen.state, seen.family, seen.mine))


def oracle(delta: float, arms: int) -> KnowsTheBest:
    """Return the oracle as a `threshold=`."""
    return KnowsTheBest(-math.log(delta))


def pulls_table(runs: int) -> Table:
    """Return the pulls relative to those of TTUCB + mixture."""
    table = Table(
        "Pulls on the paper's random instances, K = 10, relative to TTUCB + mixture",
        ("δ", "runs", "TTUCB + mixture", "default: A-TTUCB, betting", "the best arm known", "T* kl(δ, 1 − δ)"),
        note="± is one standard error of the paired ratio.",
    )
    means = random_last(ARMS, runs, SEED)
    least = float(np.mean(tt.theory.characteristic_time(means)))
    for delta in DELTAS:
        shared = {"delta": delta, "family": tt.Gaussian(), "seed": SEED, "progress": False, "threads": 1}
        before = tt.simulate(tt.TTUCB(ties="closest"), means, threshold="mixture", **shared).stopping_times
        sampler = default_algorithm(tt.Gaussian(), ARMS)
        found = [tt.simulate(sampler, means, threshold=rule, **shared).stopping_times for rule in ("betting", oracle)]
        odds = (1.0 - 2.0 * delta) * math.log((1.0 - delta) / delta)
        table.rows.append(
            (
                f"{delta:g}",
                str(runs),
                f"{before.mean():,.0f}",
                *(ratio(times, before) for times in found),
                f"{least * odds / before.mean():.3f}",
            )
        )
    return table


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.oracle", description=__doc__)
    parser.add_argument("--runs", type=float, default=1.0, help="share of 5000 runs")
    parser.add_argument("--save", action="store_true", help=f"write {RESULTS.name}")
    options = parser.parse_args()
    console, table = Console(width=150), pulls_table(max(20, round(5000 * options.runs)))
    show(table, console)
    console.print(machine())
    if options.save:
        page = markdown([table]).replace("-m benchmarks ", "-m benchmarks.oracle ", 1)
        RESULTS.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
