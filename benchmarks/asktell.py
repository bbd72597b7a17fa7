"""Ask and tell in plain Python: microseconds a pull, the measurement itself not counted."""

import random
import time

import toptwo as tt
from benchmarks.measure import Table, verdict

ARMS, BAR = 10, 50.0


def tables(quick: bool) -> list[Table]:
    """Return the time of one ask and one tell, for several algorithms."""
    table = Table(
        f"ask + tell, plain Python, K = {ARMS}",
        ("algorithm", "µs a pull", "bar", ""),
        note="Mean over a study told one by one, best of several; no Numba is loaded for it.",
    )
    for name in ("TTUCB", "T3C", "TTTS", "EB-TCI", "uniform"):
        best = min(microseconds(name, 1000) for _ in range(3 if quick else 7))
        judged = (f"< {BAR:.0f}", verdict(best, BAR)) if name == "TTUCB" else ("", "")
        table.rows.append((name, f"{best:.1f}", *judged))
    return [table]


def microseconds(name: str, pulls: int) -> float:
    """Return the time per pull of a study that does not end within `pulls`."""
    noise = random.Random(1)
    values = [noise.gauss(0.5, 1.0) for _ in range(pulls)]
    study = tt.create_study(ARMS, algorithm=name, delta=1e-9)
    started = time.perf_counter()
    for value in values:
        study.tell(study.ask(), value)
    return (time.perf_counter() - started) / pulls * 1e6
