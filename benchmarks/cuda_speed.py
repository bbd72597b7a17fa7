"""A GPU beside two threads of its machine, on the same runs: `python -m benchmarks.cuda speed`."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.measure import Table, verdict
from toptwo import problems
from toptwo.engine.cuda import device
from toptwo.engine.cuda.kernel import SHORT_TURN, TURN
from toptwo.engine.runs import UNDECIDED, Output, output_for
from toptwo.engine.simulation import Task, make_task
from toptwo.families import Bernoulli

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
    Case("TTUCB", "heuristic", 100, arms=100, runs=135_168, beside=400, cut=4_000),
    Case("TTUCB", "heuristic", 150, beside=1_000, family=Bernoulli()),
    Case("T3C", "heuristic", 200, runs=100_000),
)


def task_of(case: Case, engine: str, means: NDArray[np.float64]) -> Task:
    """Return the runs of a case for an engine, cut at the same length on each."""
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
            f"are compared on the runs played beside. {setting()}"
        ),
    )
    for case in cases:
        found.rows.append(measured(case))
        yield found


def setting() -> str:
    """Return how the engine is set: figures of one setting say nothing of another."""
    if device.simulated():
        return f"Turns of {TURN} samples, {SHORT_TURN} for rules that bet."
    from toptwo.engine.cuda.compiling import FEW_REGISTERS

    return (
        f"Turns of {TURN} samples, {SHORT_TURN} for rules that bet; where rows do not fit in the fast memory, at most "
        f"{FEW_REGISTERS['max_registers']} registers; numba-cuda {version('numba-cuda')}."
    )
