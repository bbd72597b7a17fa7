"""Two threads against one, as a user runs them: `simulate`, wall-clock time."""

import os
import time
from concurrent.futures import ThreadPoolExecutor

import toptwo as tt
from benchmarks import native
from benchmarks.measure import Table, take_turns, verdict
from benchmarks.players import Player

BAR = 1.8
RUNS, CHUNKS = 1600, 16


def tables(quick: bool) -> list[Table]:
    """Return the speed-up of two threads, beside what the C program gains from them in the same turns."""
    means = tt.problems.random_gaussian(RUNS, seed=3)

    def simulate(threads: int) -> None:
        tt.simulate("TTUCB", means, delta=0.1, threshold="heuristic", seed=5, threads=threads, progress=False)

    contestants = {"toptwo 1": lambda: simulate(1), "toptwo 2": lambda: simulate(2)}
    if native.compiler() is not None:
        library = native.load()
        chunks = [native.NativePlayer(library, Player("TTUCB", means[k::CHUNKS])) for k in range(CHUNKS)]

        def control(threads: int) -> None:
            with ThreadPoolExecutor(threads) as pool:
                list(pool.map(lambda chunk: chunk.play(), chunks))

        contestants |= {"C 1": lambda: control(1), "C 2": lambda: control(2)}
    times = take_turns(contestants, 4 if quick else 12, time.perf_counter)
    table = Table(
        "Two threads against one, TTUCB at K = 10",
        ("program", "one thread", "two threads", "speed-up", "bar", ""),
        note=(
            "Best turn of each. The C program has nothing to share but the machine: where it gains nothing, others "
            f"hold the processors (load {os.getloadavg()[0]:.1f} on {os.cpu_count()})."
        ),
    )
    for name in ("toptwo", "C"):
        if f"{name} 1" in times:
            one, two = (float(times[f"{name} {threads}"].min()) for threads in (1, 2))
            judged = (f"≥ {BAR}", verdict(one / two, BAR, at_least=True)) if name == "toptwo" else ("control", "")
            table.rows.append((name, f"{one:.3f} s", f"{two:.3f} s", f"{one / two:.2f}", *judged))
    return [table]
