"""A study in the terminal while it runs: arms, means, shares, confidence, and what is left."""

import sys
import time
from types import TracebackType
from typing import Any

from toptwo.study.study import Study
from toptwo.study.verdict import TOP, Verdict, between, decimals, forecast, gap_decimals, percent
from toptwo.words import counted, one_line

INTERVAL = 0.15
"""Seconds between two pictures."""

ROOMY = 10_000
"""Columns in which every table fits."""

BAR = 30
"""Characters of the bar of an arm that got all pulls."""

LAYOUTS = (
    ("mean between", "behind by", "pulls", "bar"),
    ("mean between", "behind by", "pulls"),
    ("behind by", "pulls"),
    ("pulls",),
    (),
)
"""Columns beside arms and means, from what is shown where there is room to what is left where there is none."""


class LiveView:
    """Redraws a table of the arms a few times a second; does nothing off a terminal unless told to."""

    def __init__(self, study: Study, wanted: bool | None) -> None:
        self._study = study
        self._wanted = sys.stderr.isatty() if wanted is None else wanted
        self._last = time.monotonic()
        self._live: Any = None

    def __enter__(self) -> "LiveView":
        return self

    def show(self, *, last: bool = False) -> None:
        """Draw, unless it was done a moment ago."""
        if not self._wanted or (not last and time.monotonic() - self._last < INTERVAL):
            return
        if last and self._live is None:
            return  # it was over before anybody could look: the verdict says it all
        from rich.console import Console
        from rich.live import Live

        self._last = time.monotonic()
        console = Console(stderr=True)
        picture = table_of(self._study.verdict, console.width)
        if self._live is None:
            self._live = Live(picture, console=console, auto_refresh=False, transient=console.is_terminal)
            self._live.start()
        self._live.update(picture, refresh=True)

    def interrupted(self) -> None:
        """Say that the user stopped it."""
        if self._live is not None:
            self._live.console.print("Interrupted: this is what was measured so far.")

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()


def table_of(verdict: Verdict, width: int = 80) -> Any:
    """Return a rich table of the arms, best first, with the state of the answer below it.

    Arms that are out of the question are dim. As many columns are shown as the terminal has room for.
    """
    from rich.console import Console, Group
    from rich.measure import Measurement
    from rich.text import Text

    console, tables = Console(width=ROOMY), (_table(verdict, layout) for layout in LAYOUTS)
    table = next((table for table in tables if Measurement.get(console, console.options, table).maximum <= width), None)
    if table is None:  # long names: they are broken, numbers are not
        table = _table(verdict, LAYOUTS[-1])
        table.columns[0].no_wrap = False
    return Group(table, Text(_caption(verdict)))


def _table(verdict: Verdict, layout: tuple[str, ...]) -> Any:
    """Return the table of the arms with these columns."""
    from rich.table import Table
    from rich.text import Text

    table = Table()
    table.add_column("arm", no_wrap=True, overflow="fold")
    table.add_column("mean", justify="right", min_width=9, no_wrap=True)
    for name in layout:  # of a width that numbers seldom outgrow: the table must not jump about
        header, room = ("share", BAR + 6) if name == "bar" else (name, 7 if name == "pulls" else 20)
        table.add_column(header, justify="left" if name == "bar" else "right", min_width=room, no_wrap=True)
    ranked, contenders = verdict.ranked(), set(verdict.contenders)
    digits, gap_digits = decimals(verdict.arms), gap_decimals(verdict.arms)
    for report in ranked[:TOP]:
        share = report.pulls / max(1, verdict.pulls)
        style = "bold green" if report.arm == verdict.arm else "" if report.arm in contenders else "dim"
        cells = {
            "mean between": between(report.interval, digits) if "mean between" in layout else "",
            "behind by": between(report.gap, gap_digits) if "behind by" in layout else "",
            "pulls": f"{report.pulls:,}",
            "bar": f"{'█' * round(BAR * share)} {share:.0%}",
        }
        mean = f"{report.mean:z.{digits}f}" if report.pulls else "–"
        table.add_row(Text(one_line(report.arm)), mean, *(cells[name] for name in layout), style=style)
    if len(ranked) > TOP:
        table.add_row(f"and {len(ranked) - TOP} more")
    return table


def _caption(verdict: Verdict) -> str:
    kind = "confidence" if verdict.proven else "confidence (heuristic, no proof)"
    taken = counted(verdict.pulls, "measurement")
    head = f"{one_line(verdict.arm)}: {percent(verdict.confidence)} {kind} after {taken}"
    if verdict.failed:
        return f"{verdict.failed}\n{head}"
    return head + (forecast(verdict.remaining) if verdict.status == "running" else "")
