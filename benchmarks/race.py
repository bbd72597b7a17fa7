"""`toptwo race` beside hyperfine, round robins and busy machines: the tables of benchmarks/race.md.

`python -m benchmarks.race --save` writes them; with topics (`start`, `hyperfine`, ...) it measures those anew and keeps
the others. `--races 0.1` takes a tenth of the races. Comparisons with hyperfine need it on PATH (`apt-get install
hyperfine`) and are left out without it. Simulated races use the mock executor: times come from a table, and so does the
load of the machine.
"""

import argparse
import json
import math
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from rich.console import Console

from benchmarks.__main__ import keep, machine, show
from benchmarks.measure import Table, verdict
from toptwo.racing.api import run
from toptwo.racing.commands import Command, expand
from toptwo.racing.executors.direct import Direct
from toptwo.racing.executors.mock import Mock
from toptwo.racing.metrics import WALL_CLOCK
from toptwo.racing.options import Budget, RaceQuestion, RaceSettings
from toptwo.racing.result import RaceResult
from toptwo.racing.self_test import at_least, self_test
from toptwo.racing.units import Margin

RESULTS = Path(__file__).with_name("race.md")
DELTA = 0.05
EXACT = RaceQuestion(delta=DELTA, margin=Margin(0.0, "%"))
"""No margin: a winner or nothing."""


def loop(size: int) -> str:
    """Return a command that keeps the processor busy for a time in proportion to the size."""
    return f"sh -c 'i=0; while [ $i -lt {size} ]; do i=$((i+1)); done'"


# --- against hyperfine ------------------------------------------------------------------------------------------------
def hyperfine_times(program: str, commands: Sequence[str], runs: int) -> list[list[float]]:
    """Return the times that hyperfine measures."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "times.json"
        arguments = [program, "-N", "--style", "none", "-r", str(runs), "--export-json", str(path), *commands]
        subprocess.run(arguments, check=True, capture_output=True)
        return [entry["times"] for entry in json.loads(path.read_text())["results"]]


def our_times(command: str, runs: int) -> list[float]:
    """Return the times that the direct executor measures."""
    executor = Direct()
    try:
        return [executor.run(Command(command, command), WALL_CLOCK, None).wall for _ in range(runs)]
    finally:
        executor.close()


def agreement(program: str, rounds: int) -> Table:
    """Compare single runs, hyperfine and ours taking turns of ten."""
    table = Table(
        "Single runs, toptwo and hyperfine taking turns",
        (
            "command",
            "hyperfine, ms",
            "toptwo, ms",
            "means differ by, ms",
            "quick runs differ by, ms",
            "bar",
            "",
            "agree",
        ),
        note="± is one standard error over turns of ten runs. They agree if the means differ by less than three of "
        "their errors. The bar is half a millisecond more than hyperfine, at the quickest tenth of the runs, which "
        "other programs on the machine have not held up.",
    )
    for label, command in (
        ("true", "true"),
        ("sleep 0.01", "sleep 0.01"),
        ("a loop of the shell", loop(3000)),
        ("python -S -c pass", f"{sys.executable} -S -c pass"),
    ):
        theirs, ours = [], []
        for turn in range(rounds):
            for first in (turn % 2 == 0, turn % 2 == 1):
                if first:
                    theirs.append(hyperfine_times(program, [command], 10)[0])
                else:
                    ours.append(our_times(command, 10))
        them, us = 1e3 * np.array(theirs), 1e3 * np.array(ours)
        steps = us.mean(axis=1) - them.mean(axis=1)
        error = steps.std(ddof=1) / math.sqrt(rounds)
        quick = float(np.quantile(us, 0.1) - np.quantile(them, 0.1))
        table.rows.append(
            (
                label,
                f"{them.mean():.3f} ± {them.mean(axis=1).std(ddof=1) / math.sqrt(rounds):.3f}",
                f"{us.mean():.3f} ± {us.mean(axis=1).std(ddof=1) / math.sqrt(rounds):.3f}",
                f"{steps.mean():+.3f} ± {error:.3f}",
                f"{quick:+.3f}",
                "0.5",
                verdict(max(quick, 1e-9), 0.5),
                "yes" if abs(steps.mean()) < 3.0 * error else "NO",
            )
        )
    return table


# --- one clear winner of eight ----------------------------------------------------------------------------------------
def lognormal(mean: float, spread: float, noise: random.Random) -> Callable[[int], float]:
    """Return a law of times."""
    return lambda number: mean * math.exp(spread * noise.gauss(0.0, 1.0))


def eight_with(best: float) -> tuple[float, ...]:
    """Return how long eight commands take in units of the fastest, given the next best."""
    return (max(1.3, best + 0.1), 1.0, best, 1.6, 2.0, 3.0, 5.0, 8.0)


class Raced(NamedTuple):
    """What a race took."""

    runs: int
    seconds: float
    ten_of_each: float
    """Seconds that ten runs of each command would have taken."""
    spread: float
    """Deviation of a typical command's run from one to the next, as a share."""
    decided: bool
    wrong: bool


def raced(result: RaceResult, winner: str) -> Raced:
    """Return what a race took, and whether it named the winner."""
    times = [np.array([run.value for run in result.runs_of(arm)]) for arm in range(len(result.commands))]
    steps = [np.median(np.abs(np.diff(np.log(each)))) / 0.954 for each in times if len(each) > 1]
    ten = 10.0 * sum(float(each.mean()) for each in times)
    spread, decided = float(np.median(steps)), result.winner is not None
    return Raced(len(result.runs), result.seconds, ten, spread, decided, decided and result.winner != winner)


def simulated_race(ratios: Sequence[float], spread: float, everyone: bool, seed: int) -> Raced:
    """Race commands whose times come from a table."""
    commands = expand([f"command {ratio}" for ratio in ratios])
    noise = random.Random(f"{seed} {everyone}")
    laws = {c.line: lognormal(ratio, spread, noise) for c, ratio in zip(commands, ratios, strict=True)}
    settings = RaceSettings(EXACT, Budget(everyone=everyone), seed=seed)
    return raced(run(commands, settings, executor=Mock(laws)), "command 1.0")


def real_race(ratios: Sequence[float], everyone: bool, seed: int) -> Raced:
    """Race loops of the shell."""
    commands = expand([loop(int(4000 * ratio)) for ratio in ratios], names=[f"{ratio:g}" for ratio in ratios])
    return raced(run(commands, RaceSettings(EXACT, Budget(everyone=everyone, seconds=60.0), seed=seed)), "1")


ROUND_ROBIN = (
    "The round robin runs all eight in every block and looks at the same evidence after each, until the same rule "
    "stops it. Ten of each is the least that hyperfine does (by default it goes on for three seconds of each), and "
    "gives no verdict. Four blocks are the least that is believed, whoever takes them (docs/blocks.md, section 9): "
    "where a round robin needs four to six, all eight commands need nearly as many, and little is left to save."
)
COLUMNS = (
    "next best", "spread", "races", "runs", "of round robin", "wall time of round robin", "bar", "",
    "blocks of round robin", "runs of 10 of each", "wall time of 10 of each", "wrong", "undecided",
)  # fmt: skip


def eight(races: int) -> Table:
    """Compare racing with a round robin that has the same guarantee, on simulated commands."""
    table = Table(
        "Eight simulated commands, one winner: runs and wall time relative to a round robin with the same guarantee",
        COLUMNS,
        note=f"δ = {DELTA}; the winner takes 1, the others from next best to 8 times as long. {ROUND_ROBIN}",
    )
    for best, spreads in ((1.1, (0.02, 0.05, 0.1, 0.2, 0.3)), (1.4, (0.02, 0.1))):
        for spread in spreads:
            play = partial(simulated_race, eight_with(best), spread)
            table.rows.append((f"{best:g}", f"{spread:.0%}", *_shares([_both(play, seed) for seed in range(races)])))
    return table


def real(races: int) -> Table:
    """Compare racing with a round robin that has the same guarantee, on real commands."""
    table = Table(
        "Eight real commands, one winner: runs and wall time relative to a round robin with the same guarantee",
        COLUMNS,
        note=f"δ = {DELTA}; loops of the shell, the winner of about 4 ms, the others from next best to 8 times as "
        "long. Each race is followed or preceded by one by round robin. The spread is that of a typical command from "
        "one run to the next. A race has a minute; a pair of which either took longer is left out of all but the last "
        f"column (races, round robins). {ROUND_ROBIN}",
    )
    for best in (1.04, 1.1, 1.4):
        both = [_both(partial(real_race, eight_with(best)), seed) for seed in range(races)]
        spread = np.median([robin.spread for _, robin in both])
        table.rows.append((f"{best:g}", f"{spread:.0%}", *_shares(both)))
    return table


def _both(play: Callable[[bool, int], Raced], seed: int) -> tuple[Raced, Raced]:
    """Return a race and a round robin, of which either is the first now and then."""
    if seed % 2:
        robin = play(True, seed)
        return play(False, seed), robin
    return play(False, seed), play(True, seed)


def _shares(both: Sequence[tuple[Raced, Raced]]) -> tuple[str, ...]:
    """Return the columns from the races on, of those in which both were decided."""
    undecided = [sum(not pair[k].decided for pair in both) for k in (0, 1)]
    last = (str(sum(race.wrong for race, _ in both)), "0" if not any(undecided) else "{}, {}".format(*undecided))
    decided = [pair for pair in both if pair[0].decided and pair[1].decided]
    if not decided:
        return (str(len(both)), *["–"] * 8, *last)
    ours, theirs = (np.array([pair[k][:3] for pair in decided]) for k in (0, 1))
    runs, seconds, ten = ours.mean(axis=0)
    of_runs, of_seconds = runs / theirs[:, 0].mean(), seconds / theirs[:, 1].mean()
    return (
        str(len(both)),
        f"{runs:.1f}",
        f"{of_runs:.2f}",
        f"{of_seconds:.2f}",
        "0.50",
        verdict(max(float(of_runs), float(of_seconds)), 0.5),
        f"{theirs[:, 0].mean() / 8.0:.1f}",
        f"{runs / 80.0:.2f}",
        f"{seconds / ten:.2f}",
        *last,
    )


# --- a machine that is busy now and then ------------------------------------------------------------------------------
class BusyMachine:
    """Simulated commands on a machine whose load comes and goes, moved on by the runs themselves."""

    def __init__(self, ratios: Sequence[float], seed: int) -> None:
        self._noise = random.Random(f"load {seed}")
        self._left, self._busy = 0.0, False
        self.laws = {f"command {ratio}": self._law(ratio) for ratio in ratios}

    def _law(self, ratio: float) -> Callable[[int], float]:
        def seconds(number: int) -> float:
            while self._left <= 0.0:
                self._busy = not self._busy
                self._left += self._noise.expovariate(1.0 / 20.0)
            value = ratio * (1.5 if self._busy else 1.0) * math.exp(0.03 * self._noise.gauss(0.0, 1.0))
            self._left -= value
            return value

        return seconds


class Load:
    """Keeps a processor busy now and then, as long as it is entered."""

    def __init__(self, seed: int) -> None:
        self._noise = random.Random(seed)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._work)

    def _work(self) -> None:
        while not self._over.wait(self._noise.expovariate(1.0 / 0.3)):
            seconds = self._noise.expovariate(1.0 / 0.3)
            burn = f"import time\nend = time.monotonic() + {seconds}\nwhile time.monotonic() < end: pass"
            workers = [subprocess.Popen([sys.executable, "-S", "-c", burn]) for _ in range(3)]
            for worker in workers:
                worker.wait()

    def __enter__(self) -> "Load":
        self._thread.start()
        return self

    def __exit__(self, *problem: object) -> None:
        self._over.set()
        self._thread.join()


RATIOS = (1.02, 1.0, 1.03, 1.05)


def busy(races: int, program: str | None) -> Table:
    """Count wrong winners under a load that comes and goes: ten runs each, command by command, and ours."""
    table = Table(
        "A load that comes and goes: wrong fastest commands",
        ("commands", "who", "races", "named the fastest", "named a wrong one", "share wrong", "undecided", "at most δ"),
        note="Four commands that take 1, 1.02, 1.03 and 1.05. Under load everything takes 1.5 times as long "
        "(simulated), or three more programs run (real); load and quiet last 20 runs on average (simulated), .3 s "
        "(real). hyperfine's default is ten runs of each, command by command, and the least mean is called fastest. "
        "Ours has no margin and a budget of 1000 runs of each (simulated) or 10 s (real), "
        f"δ = {DELTA}; the last column is the exact binomial test at 10⁻³.",
    )
    commands = expand([f"command {ratio}" for ratio in RATIOS])
    blocks, racing = [], []
    for seed in range(races):
        machine_now = BusyMachine(RATIOS, seed)
        means = [sum(machine_now.laws[c.line](0) for _ in range(10)) for c in commands]
        blocks.append(commands[means.index(min(means))].line)
        settings = RaceSettings(EXACT, Budget(most=1000), seed=seed)
        racing.append(run(commands, settings, executor=Mock(BusyMachine(RATIOS, seed).laws)).winner)
    table.rows += [_counted("simulated", "10 runs each", blocks), _counted("simulated", "toptwo race", racing)]
    if program is not None:
        real = expand([loop(int(2500 * ratio)) for ratio in RATIOS], names=[f"command {ratio}" for ratio in RATIOS])
        blocks, racing = [], []
        for seed in range(max(3, races // 25)):
            with Load(seed):
                times = hyperfine_times(program, [command.line for command in real], 10)
            means = [sum(each) for each in times]
            blocks.append(real[means.index(min(means))].name)
            with Load(1000 + seed):
                racing.append(run(real, RaceSettings(EXACT, Budget(seconds=10.0), seed=seed)).winner)
        table.rows += [_counted("real", "hyperfine -r 10", blocks), _counted("real", "toptwo race", racing)]
    return table


def _counted(commands: str, who: str, named: Sequence[str | None]) -> tuple[str, ...]:
    right = sum(name == "command 1.0" for name in named)
    undecided = sum(name is None for name in named)
    wrong = len(named) - right - undecided
    fine = at_least(wrong, len(named), DELTA) >= 1e-3
    return (
        commands,
        who,
        str(len(named)),
        str(right),
        str(wrong),
        f"{wrong / len(named):.1%}",
        str(undecided),
        "yes" if fine else "NO",
    )


# --- a command against itself -----------------------------------------------------------------------------------------
def against_itself(races: int, real_races: int) -> Table:
    """Count false winners of equal commands."""
    table = Table(
        "A command against itself: false winners",
        ("command", "races", "runs", "false winners", "δ", "chance of so many", ""),
        note="Forty runs of each side in a race, a look after each block; the chance is the exact binomial one at δ.",
    )
    settings = RaceSettings(replace(EXACT, delta=DELTA), Budget(runs=40, seconds=1e9))
    for label, laws in (
        ("simulated, lognormal σ = 20 %", lognormal(1.0, 0.2, random.Random(1))),
        ("simulated, busy machine", BusyMachine((1.0,), 1).laws["command 1.0"]),
    ):
        found = self_test(Command("it", "it"), settings, None, Mock({"it": laws}), races)
        table.rows.append(_false(label, found.races, found.runs, found.false_winners))
    found = self_test(Command("true", "true"), settings, None, races=real_races)
    table.rows.append(_false("true", found.races, found.runs, found.false_winners))
    return table


def _false(label: str, races: int, runs: int, wrong: int) -> tuple[str, ...]:
    chance = at_least(wrong, races, DELTA)
    return (label, str(races), f"{runs:,}", str(wrong), f"{DELTA:g}", f"{chance:.2g}", "ok" if chance > 1e-6 else "NO")


# --- the start --------------------------------------------------------------------------------------------------------
def start(times: int) -> Table:
    """Measure how long it takes until the first run begins."""
    table = Table(
        "From the command line to the first run",
        ("what", "least, s", "median, s", "bar", ""),
        note="Wall time until the first command runs, of the whole process, Python's own start included. The bar is "
        "held against the least: the others waited for the machine.",
    )
    seconds = []
    with tempfile.TemporaryDirectory() as folder:
        note = Path(folder) / "note"
        command = f"{sys.executable} -S -c \"import time; open('{note}', 'a').write(str(time.time()) + chr(10))\""
        bare = min(_begun(note, [sys.executable, "-S", "-c", command.split('"')[1]]) for _ in range(5))
        line = [
            sys.executable,
            "-c",
            "from toptwo.cli import main; main()",
            "race",
            command,
            "true",
            "-r",
            "1",
            "--style",
            "none",
        ]
        seconds = sorted(_begun(note, line) - bare for _ in range(times))
    least, middle = seconds[0], seconds[len(seconds) // 2]
    table.rows.append(("toptwo race", f"{least:.3f}", f"{middle:.3f}", "0.3", verdict(least, 0.3)))
    return table


def _begun(note: Path, line: list[str]) -> float:
    """Return the seconds until the first line of a note is written."""
    note.unlink(missing_ok=True)
    began = time.time()
    subprocess.run(line, check=False, capture_output=True)
    return float(note.read_text().split()[0]) - began


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.race", description=__doc__)
    parser.add_argument("topics", nargs="*", help="some of start, hyperfine, eight, real, busy, itself; all by default")
    parser.add_argument("--races", type=float, default=1.0, help="share of the races")
    parser.add_argument("--hyperfine", default=shutil.which("hyperfine"), help="where hyperfine is")
    parser.add_argument("--save", action="store_true", help=f"write {RESULTS.name}")
    options = parser.parse_args()
    console = Console(width=200)

    def of(number: int) -> int:
        return max(3, round(options.races * number))

    makers: dict[str, Callable[[], Table]] = {
        "start": lambda: start(of(20)),
        "hyperfine": lambda: agreement(options.hyperfine, of(40)),
        "eight": lambda: eight(of(200)),
        "real": lambda: real(of(10)),
        "busy": lambda: busy(of(500), options.hyperfine),
        "itself": lambda: against_itself(of(1000), max(200, of(200))),
    }
    if options.hyperfine is None:
        del makers["hyperfine"]
    if unknown := sorted(set(options.topics) - set(makers)):
        parser.error(f"unknown topic {', '.join(unknown)}: choose from {', '.join(makers)}")
    for topic in options.topics or makers:
        table = makers[topic]()
        show(table, console)
        if options.save:
            keep(table, RESULTS)
    console.print(machine())


if __name__ == "__main__":
    main()
