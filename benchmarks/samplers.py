"""All samplers under the betting rule: means, tails and errors, relative to what studies did before.

    python -m benchmarks.samplers --workers 16 --save

Every cell (a sampler on an instance) is computed in a process of its own and kept in out/samplers, so that a run that
was killed goes on where it was; cells of other code are not read. `--set choosing` computes one set of instances only,
`--runs 0.1` takes a tenth of the runs, `--only A-TTUCB TTUCB` some of the samplers, and `--save` writes
benchmarks/samplers.md.
"""

import argparse
import hashlib
import math
import multiprocessing
import os
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console

import toptwo as tt
from benchmarks.__main__ import machine, markdown, show
from benchmarks.measure import Table
from benchmarks.samplers_suite import BEFORE, CANDIDATES, LONGEST, MOST_ARMS, SAMPLERS, SETS, Instance

RESULTS = Path(__file__).with_name("samplers.md")
CELLS = Path("out/samplers")


class Cell(NamedTuple):
    """A sampler on an instance."""

    group: str
    place: int
    """Which instance of the group."""
    sampler: str
    runs: int

    @property
    def instance(self) -> Instance:
        """Return the instance."""
        return SETS[self.group][0][self.place]

    def file(self, code: str) -> Path:
        """Return where the cell is kept: under a name that says what was asked, and of which code."""
        asked = repr((self, self.instance.label, self.instance.delta, self.instance.family, LONGEST, code))
        return CELLS / f"{hashlib.sha256(asked.encode()).hexdigest()[:24]}.npz"


class Found(NamedTuple):
    """What a cell came to."""

    times: Any
    wrong: int
    undecided: int
    seconds: float


def digest_of_code() -> str:
    """Return a digest of the sources that decide what a simulation comes to."""
    package = Path(tt.__file__).parent
    parts = ("algorithms", "engine", "families", "rules")
    files = sorted([*package.glob("s*.py"), *(file for part in parts for file in (package / part).rglob("*.py"))])
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]


def compute(cell: Cell, file: Path) -> None:
    """Play a cell and write its file."""
    instance, seed = cell.instance, SETS[cell.group][1]
    before = cell.sampler == BEFORE
    started = time.process_time()
    result = tt.simulate(
        SAMPLERS["TTUCB" if before else cell.sampler],
        instance.means(cell.runs, seed),
        delta=instance.delta,
        threshold="mixture" if before else "betting",
        family=instance.family,
        seed=seed,
        max_samples=LONGEST,
        threads=1,
        progress=False,
    )
    file.parent.mkdir(parents=True, exist_ok=True)
    partial = file.with_name(f"{file.stem}.{os.getpid()}.partial.npz")
    np.savez(
        partial,
        times=result.stopping_times,
        wrong=int(result.wrong.sum()),
        undecided=int((~result.decided).sum()),
        seconds=time.process_time() - started,
    )
    partial.replace(file)


def load(file: Path) -> Found:
    """Return what a cell came to."""
    with np.load(file) as kept:
        return Found(kept["times"], int(kept["wrong"]), int(kept["undecided"]), float(kept["seconds"]))


def played(group: str, samplers: list[str]) -> list[str]:
    """Return those samplers that play a set of instances."""
    return [name for name in samplers if group != "checking" or name in CANDIDATES]


def cells_of(groups: list[str], samplers: list[str], share: float) -> list[Cell]:
    """Return the cells, those of slow samplers and many arms first."""
    found = []
    for group in groups:
        for place, instance in enumerate(SETS[group][0]):
            runs = max(20, round(share * instance.runs))
            arms = instance_arms(instance)
            found += [
                Cell(group, place, sampler, runs)
                for sampler in [BEFORE, *played(group, samplers)]
                if arms <= MOST_ARMS.get(sampler, math.inf)
            ]
    return sorted(found, key=lambda cell: -instance_arms(cell.instance))


def instance_arms(instance: Instance) -> int:
    """Return the number of arms of an instance."""
    return int(instance.means(1, 0).shape[1])


def play_all(cells: list[Cell], code: str, workers: int, console: Console) -> None:
    """Compute the cells that are missing."""
    missing = [cell for cell in cells if not cell.file(code).exists()]
    console.print(f"{len(cells)} cells, {len(missing)} to compute, {workers} workers")
    with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn")) as pool:
        waiting = {pool.submit(compute, cell, cell.file(code)): cell for cell in missing}
        for number, done in enumerate(as_completed(waiting), 1):
            done.result()
            cell = waiting[done]
            seconds = load(cell.file(code)).seconds
            console.print(f"{number}/{len(missing)} {cell.sampler} on {cell.instance.label}: {seconds:.0f} s")


def ratio(times: Any, reference: Any) -> tuple[float, float]:
    """Return the ratio of two means over the same runs and its standard error (delta method)."""
    value = float(times.mean() / reference.mean())
    return value, float(np.std(times - value * reference, ddof=1) / math.sqrt(len(times)) / reference.mean())


Results = dict[Cell, Found]


def instances_table(group: str, samplers: list[str], found: Results) -> Table:
    """Return mean pulls of every sampler relative to those before, one column an instance."""
    instances = SETS[group][0]
    columns = [f"{instance.label}, δ = {instance.delta:g}" for instance in instances]
    table = Table(
        f"Instances for {group}: mean pulls under `betting`, relative to {BEFORE}",
        ("sampler", "geometric mean", "worst", *columns),
        note=f"First row: mean pulls of {BEFORE}. + : some runs were cut at {LONGEST:,} samples, the ratio is too low.",
    )
    cells = {(cell.place, cell.sampler): found[cell] for cell in found if cell.group == group}
    base = [cells[place, BEFORE] for place in range(len(instances))]
    table.rows.append((BEFORE, "1", "1", *(f"{one.times.mean():,.0f}" for one in base)))
    rows = []
    for sampler in samplers:
        mine = [cells.get((place, sampler)) for place in range(len(instances))]
        ratios = [ratio(one.times, other.times)[0] if one else math.nan for one, other in zip(mine, base, strict=True)]
        shown = [
            f"{value:.3f}{'+' if one.undecided else ''}" if one else "–"
            for value, one in zip(ratios, mine, strict=True)
        ]
        rows.append((math.exp(np.nanmean(np.log(ratios))), float(np.nanmax(ratios)), (sampler, *shown)))
    for mean, worst, (name, *rest) in sorted(rows, key=lambda row: row[0]):
        table.rows.append((name, f"{mean:.3f}", f"{worst:.3f}", *rest))
    return table


def tails_table(group: str, sampler: str, found: Results) -> Table:
    """Return mean, tails and errors of one sampler on every instance."""
    table = Table(
        f"{sampler} + betting on the instances for {group}",
        ("instance", "δ", "runs", "mean", "95 %", "99 %", "longest", "wrong", "/ before", "95 %", "99 %", "longest"),
        note=f"The last four columns are relative to {BEFORE}; ± is one standard error of the paired ratio.",
    )
    for cell, mine in found.items():
        if cell.group != group or cell.sampler != sampler:
            continue
        other = found[cell._replace(sampler=BEFORE)].times
        ends = [float(np.quantile(mine.times, share)) for share in (0.95, 0.99, 1.0)]
        others = [float(np.quantile(other, share)) for share in (0.95, 0.99, 1.0)]
        value, error = ratio(mine.times, other)
        table.rows.append(
            (
                cell.instance.label,
                f"{cell.instance.delta:g}",
                str(cell.runs),
                f"{mine.times.mean():,.0f}",
                *(f"{end:,.0f}" for end in ends),
                str(mine.wrong),
                f"{value:.3f} ± {error:.3f}",
                *(f"{end / of:.2f}" for end, of in zip(ends, others, strict=True)),
            )
        )
    return table


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.samplers", description=__doc__.split("\n")[0])
    parser.add_argument("--workers", type=int, default=2, help="processes")
    parser.add_argument("--runs", type=float, default=1.0, help="share of the runs")
    parser.add_argument("--set", choices=SETS, help="one set of instances only")
    parser.add_argument("--only", nargs="+", choices=SAMPLERS, default=list(SAMPLERS), help="some samplers only")
    parser.add_argument("--tails", nargs="+", choices=SAMPLERS, default=["A-TTUCB"], help="samplers shown with tails")
    parser.add_argument("--save", action="store_true", help=f"write {RESULTS.name}")
    options = parser.parse_args()
    console, code = Console(width=250), digest_of_code()
    groups = [options.set] if options.set else list(SETS)
    cells = cells_of(groups, options.only, options.runs)
    play_all(cells, code, options.workers, console)
    in_order = sorted(cells, key=lambda cell: (cell.group, cell.place))
    found = {cell: load(cell.file(code)) for cell in in_order}
    tables = [instances_table(group, played(group, options.only), found) for group in groups]
    tables += [tails_table(group, sampler, found) for sampler in options.tails for group in groups]
    for table in tables:
        show(table, console)
    console.print(machine())
    if options.save:
        page = markdown(tables).replace("-m benchmarks ", "-m benchmarks.samplers ", 1)
        RESULTS.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
