"""The algorithms as a table: for the terminal, for machines, and for docs/algorithms.md, which is made of it."""

from typing import Any

from rich import box
from rich.table import Table

from toptwo.algorithms import algorithms
from toptwo.algorithms.registry import Entry
from toptwo.engine.question import make_setup
from toptwo.errors import InputError
from toptwo.families import FAMILIES

LEGEND = (
    "Leaders: UCB upper confidence bound, TS Thompson sampling, EB empirical best, EI expected improvement, PS "
    "probability of being best. Challengers: TC transportation cost, TCI the same plus ln N, RS resampling. Prefixes "
    "for Top Two rules: T- tracking, S- sampling, A- adaptive proportions (IDS). U: upper bound. δ-correct by the "
    "threshold: if the threshold is (mixture and proven are, heuristic is not). Optimal: pulls / ln(1/δ) → T* as "
    "δ → 0; β-optimal: T*_β, if all means are distinct. Finite time: what does not depend on δ in the bound on pulls."
)

TITLES = ("name", "paper", "what", "δ-correct", "optimal", "finite time", "deterministic", "cost", "families")


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


def _row(entry: Entry) -> tuple[str, ...]:
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


def catalogue_table() -> Table:
    """Return the columns that matter most as a table for the terminal."""
    table = Table(caption=LEGEND, caption_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    shown = TITLES[:6]
    for title in shown:
        table.add_column(title, no_wrap=title == "name")
    for row in catalogue():
        table.add_row(*(row[title] for title in shown))
    return table


def catalogue_markdown() -> str:
    """Return the whole table in Markdown."""
    lines: list[Any] = ["| " + " | ".join(TITLES) + " |", "|" + "---|" * len(TITLES)]
    lines += ["| " + " | ".join(row.values()) + " |" for row in catalogue()]
    return "\n".join(lines) + "\n"
