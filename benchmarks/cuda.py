"""`python -m benchmarks.cuda`: a GPU beside two threads of its machine, on the same runs; --save writes cuda.md."""

import argparse
import platform
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.measure import Table, verdict
from toptwo import problems
from toptwo.engine.cuda import device
from toptwo.engine.runs import UNDECIDED, Output, output_for
from toptwo.engine.simulation import Task, make_task
from toptwo.families import Bernoulli

RESULTS = Path(__file__).with_name("cuda.md")
THREADS = 2
SEED = 5
DELTA = 0.1


@dataclass(frozen=True)
class Case:
    """A row of the table: so many runs on the GPU, the first `beside` of them on the processor too."""

    algorithm: str
    threshold: str
    bar: float
    arms: int = 10
    runs: int = 1_000_000
    beside: int = 4_000
    family: Any = None
    cut: int | None = None
    """Samples at which runs are cut."""

    @property
    def label(self) -> str:
        """Return what the row is called."""
        law = "" if self.family is None else f", {type(self.family).__name__}"
        cut = "" if self.cut is None else f", cut at {self.cut:,}"
        return f"{self.algorithm}, {self.threshold}, K = {self.arms}{law}{cut}"

    def means(self) -> NDArray[np.float64]:
        """Return the paper's random instances; their means are between 0 and 1."""
        return problems.random_gaussian(self.runs, self.arms, seed=3)


CUT = 20_000
"""Where the longest of so many runs takes hundreds of times the usual one: a lane alone is slow."""

CASES = (
    Case("TTUCB", "heuristic", 300),
    Case("TTUCB", "betting", 150),
    Case("T3C", "heuristic", 200, cut=CUT),
    Case("EB-TCI", "heuristic", 200, cut=CUT),
    Case("uniform", "heuristic", 200),
    Case("TaS", "heuristic", 100, runs=300_000, beside=2_000, cut=CUT),
    Case("FWS", "heuristic", 100, runs=1_000_000, beside=2_000, cut=CUT),
    Case("TTUCB", "heuristic", 100, arms=100, runs=400_000, beside=200, cut=CUT),
    Case("TTUCB", "heuristic", 150, beside=1_000, family=Bernoulli()),
    Case("T3C", "heuristic", 200, runs=100_000),
)


def task_of(case: Case, engine: str, means: NDArray[np.float64]) -> Task:
    """Return the runs of a case for an engine."""
    return make_task(
        case.algorithm,
        means,
        len(means),
        delta=DELTA,
        threshold=case.threshold,
        seed=SEED,
        family=case.family,
        epsilon=0.0,
        max_samples=case.cut,
        engine=engine,
        threads=THREADS,
    )


def played(task: Task) -> tuple[float, Output]:
    """Play runs, and return the seconds it took and the results."""
    output = output_for(task.share.last, task.instances.shape[1])
    started = time.perf_counter()
    task.engine.play(task.instances, task.share, output, task.workers, lambda finished: None)
    seconds = time.perf_counter() - started
    assert (output.status >= UNDECIDED).all()
    return seconds, output


def compiled(task: Task) -> float:
    """Compile for a task, or load what was compiled, and return the seconds it took."""
    return played(task._replace(share=task.share._replace(last=1)))[0]


def measured(case: Case) -> tuple[str, ...]:
    """Return the row of a case."""
    means = case.means()
    ours = task_of(case, "cuda", means)
    first = compiled(ours)
    seconds, output = played(ours)
    theirs = task_of(case, "cpu", means[: case.beside])
    compiled(theirs)
    beside, expected = played(theirs)
    fast, slow = seconds / output.samples.sum() * 1e9, beside / expected.samples.sum() * 1e9
    same = float((output.samples[: case.beside] == expected.samples).mean())
    return (
        case.label,
        f"{case.runs:,}",
        f"{seconds:.2f}",
        f"{fast:.3f}",
        f"{slow:.1f}",
        f"{slow / fast:.0f}",
        f"≥ {case.bar:g}",
        verdict(slow / fast, case.bar, at_least=True),
        f"{same:.2%}",
        f"{first:.1f}",
    )


def table(cases: tuple[Case, ...] = CASES) -> Iterator[Table]:
    """Yield the table, grown by a row at a time."""
    found = Table(
        f"{device.name()} beside {THREADS} threads of the same machine",
        (
            "runs of",
            "runs",
            "seconds",
            "ns/round",
            "ns/round beside",
            "ratio",
            "bar",
            "",
            "same stopping times",
            "first run, s",
        ),
        note=(
            f"δ = {DELTA:g}, the paper's random instances. Seconds from the means in memory to the results in memory, "
            "compiling excluded; the first run, compiling or loading included, is in the last column. Stopping times "
            "are compared on the runs played beside."
        ),
    )
    for case in cases:
        found.rows.append(measured(case))
        yield found


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cuda", description=__doc__)
    parser.add_argument("--only", metavar="ROW", type=int, nargs="+", help="measure these rows alone, counted from 0")
    parser.add_argument("--save", action="store_true", help=f"write {RESULTS.name}")
    options = parser.parse_args()
    if reason := device.why_none():
        parser.error(reason)
    for found in table(CASES if options.only is None else tuple(CASES[row] for row in options.only)):
        print(*found.rows[-1], sep=" | ", flush=True)
        if options.save:
            RESULTS.write_text(page(found))


def page(found: Table) -> str:
    """Return the results as a page."""
    head = "| " + " | ".join(found.columns) + " |\n|" + " --- |" * len(found.columns)
    rows = "\n".join("| " + " | ".join(row) + " |" for row in found.rows)
    where = f"{time.strftime('%Y-%m-%d')}, {device.name()}, {platform.machine()}, Python {platform.python_version()}"
    title = f"# The CUDA engine, measured\n\n`python -m benchmarks.cuda --save`, {where}."
    return f"{title}\n\n## {found.title}\n\n{head}\n{rows}\n\n{found.note}\n"


if __name__ == "__main__":
    main()
