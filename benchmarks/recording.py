"""The recording at the top of the README: a real race of four commands, drawn as it looked, as an animated SVG.

`python -m benchmarks.recording` writes docs/race.svg. Pictures are taken while the race runs; the last one is the
verdict and stays. Viewers without animation show the last one alone.
"""

import io
import os
import re
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

from toptwo.racing.api import run
from toptwo.racing.commands import expand
from toptwo.racing.live import table_of
from toptwo.racing.options import RaceSettings
from toptwo.racing.report import show
from toptwo.racing.result import RaceResult
from toptwo.racing.scheduler import Scheduler

PICTURE = Path(__file__).parents[1] / "docs" / "race.svg"
COMMANDS = ("md5sum data", "sha1sum data", "sha256sum data", "b2sum data")
LINE = "$ toptwo race " + " ".join(f"'{command}'" for command in COMMANDS)
WIDTH = 86
SIZE = 4_000_000
"""Bytes of the file whose checksum is taken."""

FRAMES = 10
SECONDS = 0.7
"""Time for which each picture stands; the verdict stands five times as long."""


class Camera:
    """Keeps how the race stood after every so many runs."""

    def __init__(self) -> None:
        self.results: list[RaceResult] = []

    def begin(self, race: Scheduler) -> None:
        """Take no picture: there is nothing to see."""

    def look(self, race: Scheduler) -> None:
        if len(race.runs) % len(COMMANDS) == 0:
            self.results.append(race.result())

    def finish(self, result: RaceResult) -> None:
        self.results.append(result)


def raced() -> list[RaceResult]:
    """Return how a real race stood as it went on, the verdict last."""
    camera = Camera()
    folder = os.getcwd()
    with tempfile.TemporaryDirectory() as place:
        os.chdir(place)
        try:
            Path("data").write_bytes(os.urandom(SIZE))
            run(expand(COMMANDS), RaceSettings(seed=1), watchers=[camera], alone=True)
        finally:
            os.chdir(folder)
    *before, last = camera.results
    step = max(1, len(before) // FRAMES)
    return [*before[::step][:FRAMES], last]


def drawn(result: RaceResult, number: int, last: bool, height: int) -> str:
    """Return one picture as SVG: the command line, and what the terminal shows below it."""
    console = Console(record=True, width=WIDTH, height=height, file=io.StringIO(), force_terminal=True)
    console.print(Text(LINE, style="bold"), soft_wrap=False)
    console.print()
    if last:
        show(result, console)
    else:
        console.print(table_of(result))
    blank = height - console.export_text(clear=False).count("\n")
    console.print("\n" * max(0, blank - 1))
    return console.export_svg(title="toptwo race", unique_id=f"picture{number}")


def animated(pictures: list[str]) -> str:
    """Return pictures shown one after the other, over and over."""
    box = re.search(r'viewBox="([^"]+)"', pictures[-1])
    assert box is not None
    steps = len(pictures) - 1 + 5
    rules, groups = [], []
    for number, picture in enumerate(pictures):
        begin = 100.0 * number / steps
        final = number == len(pictures) - 1
        end = 100.0 if final else 100.0 * (number + 1) / steps
        rules.append(
            f"@keyframes show{number} {{ 0%, {begin:.3f}% {{ opacity: 0 }} {begin + 0.001:.3f}%, {end - 0.001:.3f}% "
            f"{{ opacity: 1 }} {end:.3f}%, 100% {{ opacity: {int(final)} }} }}\n"
            f".frame{number} {{ opacity: {int(final)}; "
            f"animation: show{number} {steps * SECONDS:.1f}s step-end infinite }}"
        )
        groups.append(f'<g class="frame{number}">{picture}</g>')
    style = "\n".join(rules)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box[1]}"><style>\n{style}\n</style>\n'
        + "\n".join(groups)
        + "\n</svg>\n"
    )


def main() -> None:
    results = raced()
    height = 9 + 2 * len(COMMANDS) + len(results[-1].notes)
    pictures = [drawn(result, number, result is results[-1], height) for number, result in enumerate(results)]
    PICTURE.write_text(animated(pictures), encoding="utf-8")
    print(f"{PICTURE}: {len(pictures)} pictures, {PICTURE.stat().st_size / 1024:.0f} KiB; {results[-1]}")


if __name__ == "__main__":
    main()
