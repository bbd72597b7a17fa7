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

WIDE = 75
"""Columns of a terminal in which there is room for bars."""

WIDER = 120
"""Columns in which there is room for intervals too."""


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

    Arms that are out of the question are dim. A narrow table has no bars, and only a wide one has intervals.
    """
    from rich.table import Table
    from rich.text import Text

    table, wide = Table(caption=Text(_caption(verdict)), caption_justify="left"), width >= WIDE
    table.add_column("arm")
    table.add_column("mean", justify="right", min_width=9)
    table.add_column("pulls", justify="right", min_width=7)
    if wide:
        table.add_column("share", min_width=36)  # of fixed width: the table must not jump about
    if width >= WIDER:
        table.add_column("mean between", justify="right", min_width=20)
        table.add_column("behind by", justify="right", min_width=20)
    ranked, contenders = verdict.ranked(), set(verdict.contenders)
    digits, gap_digits = decimals(verdict.arms), gap_decimals(verdict.arms)
    for report in ranked[:TOP]:
        share = report.pulls / max(1, verdict.pulls)
        style = "bold green" if report.arm == verdict.arm else "" if report.arm in contenders else "dim"
        bar = "█" * round(30 * share)
        mean = f"{report.mean:z.4g}" if report.pulls else "–"
        cells: list[str | Text] = [Text(one_line(report.arm)), mean, f"{report.pulls:,}", f"{bar} {share:.0%}"]
        ends = [between(report.interval, digits), between(report.gap, gap_digits)] if width >= WIDER else []
        table.add_row(*cells[: 3 + wide], *ends, style=style)
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
