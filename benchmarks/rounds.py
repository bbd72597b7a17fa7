"""Nanoseconds per round: TTUCB against the C program, and every registered algorithm against TTUCB."""

import numpy as np

from benchmarks import native
from benchmarks.measure import Table, ratio, take_turns, verdict
from benchmarks.players import DELTA, Player
from toptwo.algorithms import algorithms
from toptwo.engine.question import UNLIMITED
from toptwo.problems import random_gaussian

SIZES = {10: (40, UNLIMITED, 1.25), 100: (6, 6_000, 1.2), 1000: (1, 6_000, 1.2)}
"""Arms: runs of one piece, samples at most in a run, and the bar of the ratio."""

ROUNDS = 2_000
"""Rounds of a run, at most, when algorithms are compared."""

BARS = {"TaS": 6.0, "TaS-C": 6.0, "FWS": 12.0, "DKM": 10.0, "TTTS": 12.0, "LUCB": 1.0, "TTEI": 6.0}
"""Time per round, at most, in units of TTUCB's."""

TIGHT = 1e-6
"""A δ at which TTTS redraws in vain nearly always."""

PIECE = 0.015
"""Seconds that one turn of an algorithm should take."""


def against_c(turns: int) -> Table:
    """Return TTUCB's time per round beside that of the C program."""
    table = Table(
        "TTUCB against C, one thread",
        ("K", "toptwo ns/round", "C ns/round", "ratio", "bar", "", "same stopping times"),
        note="Median of the ratios of turns; aim at K = 10: 1.2.",
    )
    if native.compiler() is None:
        table.note = "No C compiler found: set CC, or install cc."
        return table
    library = native.load()
    for arms, (runs, most, bar) in SIZES.items():
        ours = Player("TTUCB", random_gaussian(runs, arms, seed=3), most)
        theirs = native.NativePlayer(library, ours)
        times = take_turns({"ours": ours.play, "C": theirs.play}, turns)
        value = ratio(times, "ours", "C")
        nanoseconds = [float(np.median(times[name])) / ours.rounds * 1e9 for name in ("ours", "C")]
        table.rows.append(
            (
                str(arms),
                f"{nanoseconds[0]:.1f}",
                f"{nanoseconds[1]:.1f}",
                f"{value:.2f}",
                f"≤ {bar}",
                verdict(value, bar),
                "yes" if theirs.agrees() else "NO",
            )
        )
    return table


def _sized(name: str, arms: int, delta: float = DELTA, most: int = ROUNDS) -> Player:
    """Return a player whose turn takes about a piece of time."""
    trial = Player(name, random_gaussian(1, arms, seed=3), 300, delta=delta)
    seconds = float(take_turns({name: trial.play}, 3)[name].min()) / trial.rounds
    rounds = int(min(most, max(100, 4 * PIECE / seconds)))
    runs = max(1, round(PIECE / (seconds * rounds)))
    return Player(name, random_gaussian(runs, arms, seed=3), arms + rounds, delta=delta)


def by_algorithm(turns: int) -> Table:
    """Return the time per round of every registered algorithm."""
    table = Table(
        f"Every algorithm, K = 10, one thread, runs of up to {ROUNDS} rounds",
        ("algorithm", "ns/round", "x TTUCB", "bar", ""),
        note=(
            f"Each beside TTUCB in the same turns; δ = {DELTA:g}, in the last row {TIGHT:g} and whole runs. A round "
            "is a pull; phased methods draw a phase's pulls at once."
        ),
    )
    unit = _sized("TTUCB", 10)
    for name in algorithms():
        table.rows.append(_beside(unit, name, unit if name == "TTUCB" else _sized(name, 10), turns))
    whole = [_sized(name, 10, TIGHT, UNLIMITED) for name in ("TTUCB", "TTTS")]
    label, *rest = _beside(whole[0], "TTTS", whole[1], turns)
    table.rows.append((f"{label}, δ = {TIGHT:g}", *rest))
    return table


def _beside(unit: Player, name: str, player: Player, turns: int) -> tuple[str, ...]:
    """Return the row of an algorithm, measured in turns with TTUCB."""
    times = take_turns({"unit": unit.play, "it": player.play}, turns)
    factor = ratio(times, "it", "unit") * unit.rounds / player.rounds
    nanoseconds = float(np.median(times["it"])) / player.rounds * 1e9
    bar = BARS.get(name)
    judged = (f"≤ {bar:g}", verdict(factor, bar)) if bar else ("", "")
    return (name, f"{nanoseconds:,.2g}" if nanoseconds < 1 else f"{nanoseconds:,.0f}", f"{factor:.2f}", *judged)


def tables(quick: bool) -> list[Table]:
    """Return both tables."""
    return [against_c(15 if quick else 80), by_algorithm(5 if quick else 20)]
