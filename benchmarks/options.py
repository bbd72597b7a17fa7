"""`python -m benchmarks.options`: what it costs to do without those parts of Numba that it does not promise.

Every figure comes from a process of its own with an empty compile cache; variants take turns, and the best turn counts.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict

from rich.console import Console

from benchmarks.__main__ import machine, show
from benchmarks.measure import Table

VARIANTS = {
    "as expected": "",
    "without a compiler of parts": "import numba.core.codegen; del numba.core.codegen.JITCodeLibrary",
    "and without unpromised options": """
import numba.core.codegen; del numba.core.codegen.JITCodeLibrary
from numba.core.cpu import CPUTargetOptions
for owner in CPUTargetOptions.__mro__:
    for name in {"_nrt", "forceinline", "no_cfunc_wrapper"} & set(vars(owner)):
        delattr(owner, name)
""",
}

MEASURE = """
import json, sys, time
from benchmarks.measure import take_turns
from benchmarks.players import Player
from toptwo.families import FAMILIES
from toptwo.problems import random_gaussian

found = []
for name, family in (("TTUCB", "gaussian"), ("T3C", "gaussian"), ("TTUCB", "bernoulli")):
    means = random_gaussian(40, 10, seed=3)
    if family != "gaussian":
        means = 0.5 + 0.2 * means / abs(means).max()
    started = time.process_time()
    player = Player(name, means, 2_000, FAMILIES[family]())
    player.play()
    compiled = time.process_time() - started
    nanoseconds = take_turns({"it": player.play}, 10)["it"].min() / player.rounds * 1e9
    found.append([f"{name}, {family}", compiled, nanoseconds])
print(json.dumps(found))
"""


def measured(variant: str) -> list[tuple[str, float, float]]:
    """Return name, seconds to compile and nanoseconds per round of each contestant, in a process of its own."""
    with tempfile.TemporaryDirectory() as cache:
        done = subprocess.run(
            [sys.executable, "-c", VARIANTS[variant] + MEASURE],
            env=os.environ | {"NUMBA_CACHE_DIR": cache},
            check=True,
            capture_output=True,
            text=True,
        )
    return [(name, compiled, nanoseconds) for name, compiled, nanoseconds in json.loads(done.stdout)]


def table(turns: int) -> Table:
    """Return compile time and time per round of all variants."""
    seconds: dict[tuple[str, str], list[float]] = defaultdict(list)
    nanoseconds: dict[tuple[str, str], list[float]] = defaultdict(list)
    for _ in range(turns):
        for variant in VARIANTS:
            for name, compiled, each in measured(variant):
                seconds[name, variant].append(compiled)
                nanoseconds[name, variant].append(each)
    made = Table(
        "With less of Numba, K = 10, one thread",
        ("algorithm", "Numba", "compiling", "x", "ns/round", "x"),
        note="Processor time. Compiling includes the first 40 runs and, for the first algorithm, Numba's own start.",
    )
    for name, variant in seconds:
        compiled, each = min(seconds[name, variant]), min(nanoseconds[name, variant])
        usual = min(seconds[name, "as expected"]), min(nanoseconds[name, "as expected"])
        factors = f"{compiled / usual[0]:.2f}", f"{each / usual[1]:.2f}"
        made.rows.append((name, variant, f"{compiled:.1f} s", factors[0], f"{each:.0f}", factors[1]))
    made.rows.sort(key=lambda row: row[0])  # in a stable order: variants stay as they are
    return made


if __name__ == "__main__":
    console = Console(width=120)
    show(table(2), console)
    console.print(f"[dim]{machine()}[/dim]")
