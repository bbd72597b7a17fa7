"""What a GPU does, in three topics; --save puts each on benchmarks/cuda_saved.md, and touches no other page.

python -m benchmarks.cuda --save
python -m benchmarks.cuda speed --only 0 8
python -m benchmarks.cuda errors --runs 20000 --engine cpu

speed    a GPU beside two threads of its machine, on the same runs
errors   how often `betting` is wrong at a near tie, in batches, with the exact interval
figure   figure 1(a) of the paper at its size, from the command to the report
"""

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import toptwo as tt
from benchmarks import cuda_speed
from benchmarks.__main__ import keep
from benchmarks.measure import Table
from toptwo.engine.cuda import device
from toptwo.engine.results import exact_interval
from toptwo.engine.verification import NEAR_TIE_SAMPLES

SAVED = Path(__file__).with_name("cuda_saved.md")
"""Written by --save alone. The page that explains it is cuda.md, which no program writes."""

TOPICS = ("speed", "errors", "figure")
RUNS, BATCH = 100_000_000, 10_000_000
DELTA, SEED = 0.01, 11
EXPERIMENT = "fig1a"


def where(engine: str) -> str:
    """Return in words what an engine runs on."""
    return device.name() if engine == "cuda" else "this machine's processors"


def errors(engine: str, runs: int, batch: int = BATCH) -> Iterator[Table]:
    """Yield the count of errors at a near tie, grown by a batch at a time: what is done survives an end of time."""
    found = Table(
        f"Errors of betting at a near tie on {where(engine)}",
        ("runs", "wrong", "undecided", "error rate, 95 % interval", "verdict", "seconds"),
        note=(
            f"TTUCB, betting, δ = {DELTA:g}, two arms 10⁻⁹ apart, unit variance; a run is given up after "
            f"{NEAR_TIE_SAMPLES:,} samples and counts as not wrong. A row counts all runs up to it. How many are to be "
            "played is fixed before, so that the interval of the last row is exact. Its seconds include compiling."
        ),
    )
    done = wrong = undecided = 0
    seconds = 0.0
    for number, first in enumerate(range(0, runs, batch)):
        part = tt.verify(
            "TTUCB",
            delta=DELTA,
            threshold="betting",
            runs=min(batch, runs - first),
            seed=SEED + number,
            engine=engine,
            progress=False,
        )
        done, wrong, undecided = done + part.runs, wrong + part.wrong, undecided + part.undecided
        seconds += part.seconds
        found.rows.append(error_row(done, wrong, undecided, seconds))
        yield found
        if part.interrupted:
            return


def error_row(done: int, wrong: int, undecided: int, seconds: float) -> tuple[str, ...]:
    """Return the row of what was counted so far."""
    low, high = exact_interval(wrong, done)
    verdict = "at most δ" if high <= DELTA else "above δ" if low > DELTA else "open"
    return f"{done:,}", f"{wrong:,}", f"{undecided:,}", f"{low:.3g} to {high:.3g}", verdict, f"{seconds:.1f}"


def figure(engine: str, size: str = "paper") -> Iterator[Table]:
    """Yield the time of figure 1(a), start, compiling and report included, and what became of its claims."""
    asked = ["reproduce", EXPERIMENT, "--size", size, "--engine", engine]
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-c", "from toptwo.cli import main; main()", *asked, "--out", folder],
            capture_output=True,
            text=True,
            check=False,
        )
        seconds = time.perf_counter() - started
    if done.returncode:
        raise SystemExit(f"toptwo {' '.join(asked)} ends with status {done.returncode}: {done.stderr.strip()}")
    said = [line for line in done.stdout.splitlines() if line.strip() and not line.startswith("Report:")]
    yield Table(
        f"Figure 1(a) at {size} size on {where(engine)}",
        ("command", "seconds", "claims"),
        [(f"toptwo {' '.join(asked)}", f"{seconds:.1f}", said[-1])],
        note="Into an empty folder; start, compiling or loading, drawing and report are included.",
    )


def tables(topic: str, options: argparse.Namespace) -> Iterator[Table]:
    """Yield the table of a topic, again whenever it has grown."""
    if topic == "speed":
        return cuda_speed.table(tuple(cuda_speed.CASES[row] for row in options.only or range(len(cuda_speed.CASES))))
    return errors(options.engine, options.runs) if topic == "errors" else figure(options.engine)


def read(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Return what is asked for, or end with a sentence."""
    last = len(cuda_speed.CASES) - 1
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.cuda", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("topics", nargs="*", metavar="topic", help=f"some of {', '.join(TOPICS)}; all by default")
    parser.add_argument("--only", metavar="ROW", type=int, nargs="+", help=f"of speed, these rows alone: 0 to {last}")
    parser.add_argument("--runs", type=int, default=RUNS, help=f"of errors, {RUNS:,} by default")
    parser.add_argument("--engine", choices=("cuda", "cpu"), default="cuda", help="of errors and figure")
    parser.add_argument("--save", action="store_true", help=f"write {SAVED.name}")
    options = parser.parse_args(arguments)
    options.topics = list(dict.fromkeys(options.topics or TOPICS))
    if unknown := sorted(set(options.topics) - set(TOPICS)):
        parser.error(f"unknown topic {', '.join(unknown)}: choose from {', '.join(TOPICS)}")
    if any(not 0 <= row <= last for row in options.only or ()):
        parser.error(f"--only takes rows 0 to {last}")
    if options.only and options.save:
        parser.error("--save with --only would put some rows in the place of the whole table")
    if options.runs < 1:
        parser.error("--runs must be at least 1")
    if "speed" in options.topics and options.engine != "cuda":
        parser.error("speed holds a GPU against processors: ask for errors or figure with --engine cpu")
    if options.engine == "cuda" and (reason := device.why_none()):
        parser.error(reason)
    return options


def main(arguments: Sequence[str] | None = None, saved: Path = SAVED) -> None:
    """Measure, print row by row, and save as far as it has come."""
    options = read(arguments)
    for topic in options.topics:
        for found in tables(topic, options):
            print(*found.rows[-1], sep=" | ", flush=True)
            if options.save:
                keep(found, saved)


if __name__ == "__main__":
    main()
