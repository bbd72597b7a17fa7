"""The algorithms as a table: for the terminal, for machines, and for docs/algorithms.md, which is made of it."""

import sys
from pathlib import Path

from rich.table import Table
from rich.text import Text

from toptwo.algorithms import algorithms
from toptwo.algorithms.registry import Listing
from toptwo.engine.question import make_setup
from toptwo.errors import InputError
from toptwo.families import FAMILIES
from toptwo.report.terminal import Fitted

LEGEND = (
    "Leaders: UCB upper confidence bound, TS Thompson sampling, EB empirical best, EI expected improvement, PS "
    "probability of being best. Challengers: TC transportation cost, TCI the same plus ln N, RS resampling. Prefixes "
    "for Top Two rules: T- tracking, S- sampling, A- adaptive proportions (IDS). U: upper bound. δ-correct by the "
    "threshold: if the threshold is (mixture and proven are, heuristic is not). Optimal: pulls / ln(1/δ) → T* as "
    "δ → 0; β-optimal: T*_β, if all means are distinct. Finite time: what does not depend on δ in the bound on pulls."
)

TITLES = ("name", "paper", "what", "δ-correct", "optimal", "finite time", "deterministic", "cost", "families")

MARKS = ("<!-- table -->\n", "<!-- end -->")
"""What stands around the table in docs/algorithms.md."""


def runs_on(name: str) -> list[str]:
    """Return the families for which an algorithm makes sense.

    Examples
    --------
    >>> "gaussian" in runs_on("TTUCB")
    True
    """
    return [family for family in FAMILIES if _accepted(name, family)]


def _accepted(name: str, family: str) -> bool:
    try:
        make_setup(name, 3, delta=0.1, threshold="mixture", family=family, epsilon=0.0, max_samples=None)
    except InputError:
        return False
    return True


def _row(entry: Listing) -> tuple[str, ...]:
    supported = runs_on(entry.name)
    return (
        entry.name,
        entry.paper,
        entry.rules,
        entry.correct,
        entry.optimal or "–",
        entry.finite or "–",
        "yes" if entry.deterministic else "no",
        entry.cost,
        "all" if len(supported) == len(FAMILIES) else ", ".join(supported),
    )


def catalogue() -> list[dict[str, str]]:
    """Return a row per algorithm, as plain data."""
    return [dict(zip(TITLES, _row(entry), strict=True)) for entry in algorithms().values()]


def catalogue_table() -> Fitted:
    """Return the columns that matter most for a terminal; where they do not fit, two entries of text for each row."""
    entries = list(algorithms().values())
    narrow = Table.grid(padding=(0, 2))
    narrow.add_column(no_wrap=True)
    for entry in entries:
        narrow.add_row(Text(entry.name), Text(f"{entry.rules} ({entry.paper})"))
        narrow.add_row("", Text(f"δ-correct {entry.guarantee}", style="dim"))
    return Fitted(TITLES[:6], [_row(entry)[:6] for entry in entries], "", f"\n{LEGEND}", range(6), narrow)


def catalogue_markdown() -> str:
    """Return the whole table in Markdown."""
    lines = ["| " + " | ".join(TITLES) + " |", "|" + "---|" * len(TITLES)]
    lines += ["| " + " | ".join(row.values()) + " |" for row in catalogue()]
    return "\n".join(lines) + "\n"


def with_table(page: str) -> str:
    r"""Return a page with the table of today between the marks.

    Examples
    --------
    >>> with_table("above\n<!-- table -->\nstale<!-- end -->").startswith("above\n<!-- table -->\n| name |")
    True
    """
    before, start, rest = page.partition(MARKS[0])
    _, end, after = rest.partition(MARKS[1])
    return before + start + catalogue_markdown() + end + after


if __name__ == "__main__":  # make docs
    for name in sys.argv[1:]:
        Path(name).write_text(with_table(Path(name).read_text("utf-8")), "utf-8")
