"""Ask and tell: microseconds a pull, the measurement itself not counted."""

import random
import time
from typing import Any

import toptwo as tt
from benchmarks.measure import Table, verdict

BARS = {10: 30.0, 1000: 150.0}
"""Arms, and microseconds a pull."""

DEFAULT_BARS = {"unknown variance": 50.0, "σ known": 30.0}
"""Of a study with the defaults: A-TTUCB and betting, with 10 arms."""

WARM_UP = {10: 0, 1000: 6000}
"""Pulls before the clock starts: of many arms, until the study has compiled its steps."""


def tables(quick: bool) -> list[Table]:
    """Return the time of one ask and one tell, for several algorithms."""
    table = Table(
        "ask + tell",
        ("algorithm", "law", "K", "µs a pull", "bar", ""),
        note=(
            "Processor time, best of many short stretches of a study told one by one, with `mixture`; the first two "
            "rows are what `create_study(10)` gives, without a σ and with one: A-TTUCB and `betting`. K = 10 is "
            f"plain Python, without Numba; K = 1000 is measured once the study has compiled its "
            f"steps ({WARM_UP[1000]:,} pulls)."
        ),
    )
    stretches = 40 if quick else 150
    for law, family in (("unknown variance", None), ("σ known", tt.Gaussian())):
        best, bar = microseconds(None, 10, stretches, family, threshold=None), DEFAULT_BARS[law]
        table.rows.append(("the default", law, "10", f"{best:.1f}", f"< {bar:.0f}", verdict(best, bar)))
    for name in ("TTUCB", "T3C", "TTTS", "EB-TCI", "uniform"):
        for arms, bar in BARS.items():
            if arms == 10 or name == "TTUCB":
                best = microseconds(name, arms, stretches, tt.Gaussian())
                judged = (f"< {bar:.0f}", verdict(best, bar)) if name == "TTUCB" else ("", "")
                table.rows.append((name, "σ known", str(arms), f"{best:.1f}", *judged))
    best = microseconds("TTUCB", 10, stretches, tt.GaussianUnknownVariance())
    table.rows.append(("TTUCB", "unknown variance", "10", f"{best:.1f}", "", ""))
    return [table]


def microseconds(
    name: str | None, arms: int, stretches: int, family: Any, pulls: int = 40, threshold: str | None = "mixture"
) -> float:
    """Return the least time per pull of some stretches of a study that does not end."""
    noise, best = random.Random(1), float("inf")
    study = tt.create_study(arms, algorithm=name, delta=1e-300, family=family, threshold=threshold)
    for _ in range(max(arms, WARM_UP[arms])):
        study.tell(study.ask(), noise.gauss(0.5, 1.0))
    for _ in range(stretches):
        values = [noise.gauss(0.5, 1.0) for _ in range(pulls)]
        started = time.process_time()
        for value in values:
            study.tell(study.ask(), value)
        best = min(best, (time.process_time() - started) / pulls * 1e6)
    return best
