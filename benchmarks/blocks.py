"""Races in blocks: measurements until the best arm is known, and how often the answer is wrong.

`python -m benchmarks.blocks` prints the tables, with --save they are kept in blocks.md. Rewards are made by Python's
own generator: an arm's mean, noise, and a drift that all arms share, AR(1) from one measurement to the next. The best
arm is at a random index. Round robin measures all arms in every block and stops by the same rule.
"""

import argparse
import math
import random
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
from scipy.stats import binom

from benchmarks.__main__ import keep, show
from benchmarks.measure import Table, verdict
from toptwo.blocks import Blocks, evidence, student
from toptwo.blocks.budget import log_part
from toptwo.blocks.schedule import LARGEST

DELTA = 0.1
MEMORY = 0.99
"""Of the drift, from one measurement to the next; its standard deviation is `drift`."""

LIMIT = 200
"""Blocks after which a race that is only watched for wrong answers is given up."""

ENDLESS = 3000
"""Blocks after which a race that is to be decided is given up: if the best arm was ruled out, which δ allows, and those
that remain are equal, it never ends."""

RESULTS = Path(__file__).with_name("blocks.md")


def gaussian(rng: random.Random) -> float:
    return rng.gauss(0.0, 1.0)


def heavy_tailed(rng: random.Random) -> float:
    """Return a Student variable of three degrees of freedom, standard deviation √3."""
    return rng.gauss(0.0, 1.0) / math.sqrt(sum(rng.gauss(0.0, 1.0) ** 2 for _ in range(3)) / 3.0)


def lognormal(rng: random.Random) -> float:
    """Return e^Z − √e for a normal Z: skewed, of mean zero."""
    return math.exp(rng.gauss(0.0, 1.0)) - math.exp(0.5)


def on_two_levels(rng: random.Random) -> float:
    """Return 0 or 40, each half of the time, and hardly any noise: fast and slow cores, caches warm or not."""
    return 40.0 * (rng.random() < 0.5) + rng.gauss(0.0, 1.0)


NOISES: dict[str, Callable[[random.Random], float]] = {
    "Gaussian": gaussian,
    "Student, 3 degrees of freedom": heavy_tailed,
    "lognormal": lognormal,
    "two levels": on_two_levels,
}


class Case(NamedTuple):
    """Gaps to the best arm, and what the measurements are like."""

    gaps: tuple[float, ...]
    drift: float = 1.0
    noise: str = "Gaussian"
    compare: str = "mean"
    largest: int = LARGEST
    round_robin: bool = False
    limit: float = math.inf
    delta: float = DELTA
    place: float = 0.0
    """What the first arm of a block loses by its place."""
    undivided: bool = False
    """Whether each pair may spend all of δ: that must be found out."""


class Run(NamedTuple):
    """How one race ended."""

    measurements: int
    decided: bool
    wrong: bool
    lost: bool
    """Whether the best arm, or of equal ones the first, was ruled out: the event that the theorem bounds by δ."""


def undivided(start: int, winner: int, loser: int) -> float:
    """Return ln 1: all of δ for each pair."""
    return 0.0


def race(case: Case, seed: int) -> Run:
    """Return how a race ends. With equal arms any winner counts as wrong: none is better."""
    evidence.log_part = undivided if case.undivided else log_part
    rng = random.Random(f"{seed} {case.gaps} {case.noise}")
    arms = len(case.gaps)
    order = rng.sample(range(arms), arms)
    means = {arm: -gap for arm, gap in zip(order, case.gaps, strict=True)}
    tied = case.gaps.count(0.0) > 1
    blocks = Blocks(arms, delta=case.delta, compare=case.compare, largest=case.largest, seed=seed)
    drift = rng.gauss(0.0, case.drift)
    step = case.drift * math.sqrt(1.0 - MEMORY**2)
    while not blocks.over and blocks.read < case.limit:
        row = blocks.ordered(range(arms), blocks.asked_blocks) if case.round_robin else blocks.choose()
        block = blocks.asked(row)
        values = []
        for place, arm in enumerate(block.arms):
            drift = MEMORY * drift + rng.gauss(0.0, step)
            value = means[arm] + drift + NOISES[case.noise](rng) - case.place * (place == 0)
            values.append(math.exp(0.1 * value) if case.compare == "log" else value)
        blocks.tell_block(block, values)
    standing = blocks.standing()
    wrong = blocks.over and (tied or standing.arm != order[0])
    lost = blocks.evidence.ruled_out[order[0]] >= blocks.level
    return Run(standing.measurements, blocks.over, wrong, lost)


def played(case: Case, runs: int) -> list[Run]:
    """Return how so many races end, on two processors."""
    with ProcessPoolExecutor(2) as pool:
        return list(pool.map(race, [case] * runs, range(runs), chunksize=max(1, runs // 20)))


def mean_and_error(values: list[int]) -> tuple[float, float]:
    mean = sum(values) / len(values)
    return mean, math.sqrt(sum((value - mean) ** 2 for value in values)) / len(values)


LADDER = (0.0, *(0.3 + 1.1 * step / 18 for step in range(19)))
"""Twenty arms: gaps from .3 to 1.4 standard deviations."""

PROBLEMS: tuple[tuple[str, tuple[float, ...], float], ...] = (
    ("K = 20, gaps .3σ to 1.4σ, drift of 1σ", LADDER, 1.0),
    ("the same without drift", LADDER, 0.0),
    ("K = 5, gaps .3σ, drift of 1σ", (0.0, 0.3, 0.3, 0.3, 0.3), 1.0),
    ("K = 3, the same", (0.0, 0.3, 0.3), 1.0),
    ("K = 2, the same", (0.0, 0.3), 1.0),
)


def chance(errors: int, runs: int, delta: float) -> float:
    """Return the chance of at least so many errors at probability δ, by the exact binomial law."""
    return float(binom.sf(errors - 1, runs, delta))


def measurements(runs: int, baseline: int) -> Table:
    """Return measurements until the best arm is known, against round robin."""
    table = Table(
        "Measurements until the best arm is known, δ = 0.1",
        ("instance", "blocks of 12", "of 6", "of 20", "round robin", "blocks of 12 / round robin", "bar", "", "wrong",
         "given up", "best arm ruled out", "chance of so many at δ"),
        note=f"{runs:,} runs of blocks of 12, which are the default, a tenth of that of others, {baseline} of round "
        "robin; ± is one standard error. Wrong and given up: of blocks of 12. Given up after "
        f"{ENDLESS:,} blocks, which count: the best arm was ruled out, and those that remain are equal. "
        "These are errors, too: that the best arm is ruled out, by whomever, is what δ bounds (docs/blocks.md, section "
        "2).",
    )  # fmt: skip
    for name, gaps, drift in PROBLEMS:
        case = Case(gaps, drift, limit=ENDLESS)
        found = played(case, runs)
        mean, error = mean_and_error([run.measurements for run in found])
        others = [
            mean_and_error([run.measurements for run in played(case._replace(largest=size), max(runs // 10, 2))])
            for size in (6, 20)
        ]
        robin = played(case._replace(round_robin=True), baseline)
        whole, spread = mean_and_error([run.measurements for run in robin])
        ratio = mean / whole
        noise = ratio * math.hypot(error / mean, spread / whole)
        bar = ("0.3", verdict(ratio, 0.3)) if len(gaps) == 20 and drift else ("", "")
        wrong, endless = sum(run.wrong for run in found), sum(not run.decided for run in found)
        lost = sum(run.lost for run in found)
        table.rows.append(
            (name, f"{mean:.0f} ± {error:.0f}", *(f"{other:.0f} ± {width:.0f}" for other, width in others),
             f"{whole:.0f} ± {spread:.0f}", f"{ratio:.3f} ± {noise:.3f}", *bar, str(wrong), str(endless),
             str(lost), f"{chance(lost, runs, DELTA):.2g}")
        )  # fmt: skip
    return table


WATCHED: tuple[tuple[str, Case], ...] = (
    ("two equal arms", Case((0.0, 0.0), limit=LIMIT)),
    ("three equal arms", Case((0.0, 0.0, 0.0), limit=LIMIT)),
    ("eight equal arms", Case((0.0,) * 8, limit=LIMIT)),
    ("a gap of .05σ, K = 3", Case((0.0, 0.05, 0.05), limit=LIMIT)),
    ("two equal arms, heavy tails", Case((0.0, 0.0), noise="Student, 3 degrees of freedom", limit=LIMIT)),
    ("two equal arms, lognormal noise", Case((0.0, 0.0), noise="lognormal", limit=LIMIT)),
    ("two equal arms, the first of a block loses σ", Case((0.0, 0.0), place=1.0, limit=LIMIT)),
    ("two equal arms, the first of a block loses 10σ", Case((0.0, 0.0), drift=0.0, place=10.0, limit=LIMIT)),
    ("two equal arms on two levels", Case((0.0, 0.0), drift=0.0, noise="two levels", limit=LIMIT)),
    ("two equal arms, compared by logarithms", Case((0.0, 0.0), compare="log", limit=LIMIT)),
    ("two equal arms, compared by wins", Case((0.0, 0.0), noise="lognormal", compare="wins", limit=LIMIT)),
    ("three equal arms, compared by wins", Case((0.0, 0.0, 0.0), compare="wins", limit=LIMIT)),
    ("eight equal arms, δ not divided: must fail", Case((0.0,) * 8, limit=LIMIT, undivided=True)),
)


def errors(runs: int) -> Table:
    """Return how often the best arm is ruled out, and a wrong answer given, where it is easy to be wrong."""
    table = Table(
        f"Wrong answers within {LIMIT} blocks, δ = 0.1, drift of 1σ",
        ("measured", "runs", "wrong winner", "best arm ruled out", "share", "at most", "chance of so many", ""),
        note="With equal arms any winner is wrong, and the first arm stands for the best. That the best arm is ruled "
        "out, by whomever, is what the theorem of docs/blocks.md bounds: by δ(K − 1)/K. A wrong winner takes more: all "
        "but one of the equal arms must be ruled out. The chance is that of at least so many of so many runs at that "
        "bound (exact binomial); below 1e-6 the guarantee is broken.",
    )
    for name, case in WATCHED:
        found = played(case, runs)
        wrong, lost = sum(run.wrong for run in found), sum(run.lost for run in found)
        most = DELTA * (len(case.gaps) - 1) / len(case.gaps)
        likely = chance(lost, runs, most)
        cells = (f"{lost / runs:.3f}", f"{most:.3f}", f"{likely:.2g}", "ok" if likely > 1e-6 else "NO")
        table.rows.append((name, f"{runs:,}", str(wrong), str(lost), *cells))
    return table


SCALES: tuple[tuple[str, tuple[float, ...]], ...] = (
    ("2, 0.4, 0.08", (2.0, 0.4, 0.08)),
    ("4.5, 0.6, 0.1 (ours)", student.EFFECTS),
    ("30, 1, 0.1", (30.0, 1.0, 0.1)),
)

EIGHT = (0.0, 0.336, 0.405, 0.47, 0.69, 1.10, 1.61, 2.08)
"""Logarithms of 1, 1.4, 1.5, 1.6, 2, 3, 5 and 8."""

CLOSER = (0.0, 0.095, 0.262, 0.47, 0.69, 1.10, 1.61, 2.08)
"""The same of 1, 1.1, 1.3, 1.6, 2, 3, 5 and 8."""


def scales(runs: int) -> Table:
    """Return what betting on larger effects saves, and what it risks where differences are not Gaussian."""
    table = Table(
        "Effects that are bet on, δ = 0.05",
        ("scales τ", "eight at 1.4, σ = 2 %", "at 1.1, σ = 10 %", "two at .3σ", "best of eight ruled out, two levels"),
        note=f"Measurements, {runs} runs each. Eight take from 1 to 8 times as long, the next best 1.4 or 1.1 times. "
        "On two levels every measurement of every arm is one of two values, 40 times as far apart as the noise, each "
        "half of the time; looked at for 25 blocks.",
    )
    noisy = [
        Case(tuple(gap / spread for gap in gaps), drift=0.0, delta=0.05)
        for gaps, spread in ((EIGHT, 0.02), (CLOSER, 0.1), ((0.0, 0.3), 1.0))
    ]
    levels = Case((0.0,) * 8, drift=0.0, noise="two levels", delta=0.05, limit=25)
    ours = student.EFFECTS
    for name, effects in SCALES:
        student.EFFECTS = effects  # the processes below are forked, and see it
        cells = [mean_and_error([run.measurements for run in played(case, runs)]) for case in noisy]
        lost = sum(run.lost for run in played(levels, runs))
        table.rows.append((name, *(f"{mean:.1f} ± {error:.1f}" for mean, error in cells), f"{lost / runs:.1%}"))
    student.EFFECTS = ours
    return table


def costs(runs: int) -> Table:
    """Return what races cost where slow arms are the bad ones, by who is told the costs."""
    table = Table(
        "Processor time of a race of 12 programs, 1 s to 6.5 s, spread 10 %, δ = 0.05",
        ("schedule", "time, s", "runs of the slowest", "measurements"),
        note=f"{runs:,} runs; logarithms are compared. ± is one standard error.",
    )
    for name, told, robin in (
        ("blocks, costs told", True, False),
        ("blocks, costs not told", False, False),
        ("round robin", False, True),
    ):
        with ProcessPoolExecutor(2) as pool:
            found = list(pool.map(priced, [told] * runs, [robin] * runs, range(runs), chunksize=max(1, runs // 20)))
        cells = [mean_and_error([each[k] for each in found]) for k in range(3)]
        table.rows.append((name, *(f"{mean:.1f} ± {error:.1f}" for mean, error in cells)))
    return table


def priced(told: bool, robin: bool, seed: int) -> tuple[Any, ...]:
    """Return seconds, runs of the slowest program and measurements of one race."""
    rng = random.Random(f"costs {seed}")
    arms = 12
    order = rng.sample(range(arms), arms)
    seconds = {arm: 1.0 + 0.5 * place for place, arm in enumerate(order)}
    blocks = Blocks(arms, delta=0.05, compare="log", direction="minimize", seed=seed)
    spent = 0.0
    while not blocks.over:
        block = blocks.asked(blocks.ordered(range(arms), blocks.asked_blocks) if robin else blocks.choose())
        values = [seconds[arm] * math.exp(rng.gauss(0.0, 0.1)) for arm in block.arms]
        spent += sum(values)
        blocks.tell_block(block, values, values if told else None)
    return spent, blocks.counts[order[-1]], blocks.measurements


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.blocks", description=__doc__)
    parser.add_argument("topics", nargs="*", help="some of measurements, scales, errors, costs; all by default")
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--baseline", type=int, default=60, help="runs of round robin")
    parser.add_argument("--save", action="store_true", help=f"write {RESULTS.name}; other topics stay there")
    options = parser.parse_args()
    console, started = Console(width=150), time.perf_counter()
    makers: dict[str, Callable[[], Table]] = {
        "measurements": lambda: measurements(options.runs, options.baseline),
        "scales": lambda: scales(max(options.runs // 2, 2)),
        "errors": lambda: errors(options.runs),
        "costs": lambda: costs(max(options.runs // 4, 2)),
    }
    if unknown := sorted(set(options.topics) - set(makers)):
        parser.error(f"unknown topic {', '.join(unknown)}: choose from {', '.join(makers)}")
    for topic in options.topics or makers:
        table = makers[topic]()
        show(table, console)
        if options.save:
            keep(table, RESULTS)
    console.print(f"[dim]{time.perf_counter() - started:.0f} s[/dim]")


if __name__ == "__main__":
    main()
