"""Figures in the documents are those that were saved when they were measured."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

PAGES = {
    "docs/betting.md": ("betting.md", "betting_without_a_model.md"),
    "docs/what-a-guarantee-costs.md": ("guarantee.md", "oracle.md"),
}
"""Pages with tables, and the saved results that their rows are taken from."""


def rows(text):
    """The rows of all tables, by first cell."""
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line[:1] == "|"]
    return [(row[0], row[1:]) for row in cells if row[0] not in ("", "instance", "---")]


def is_measured(cell):
    return re.fullmatch(r"[\d,]+\.\d+( ± [\d.]+)?", cell) is not None


def strangers(page, saved):
    """Rows of a page with a measured figure that no saved row of that name holds; and how many rows were found."""
    known, compared, wrong = rows(saved), 0, []
    for name, cells in rows(page):
        of_that_name = [set(held) for label, held in known if label == name]
        measured = {cell for cell in cells if is_measured(cell)}
        if of_that_name and measured:
            compared += 1
            wrong += [] if any(measured <= held for held in of_that_name) else [(name, cells)]
    return wrong, compared


@pytest.mark.parametrize("page", PAGES)
def test_tables_hold_what_was_saved(page):
    saved = "\n".join((ROOT / "benchmarks" / name).read_text(encoding="utf-8") for name in PAGES[page])
    text = (ROOT / page).read_text(encoding="utf-8")
    wrong, compared = strangers(text, saved)
    assert wrong == []
    assert compared >= 6
    figure = next(cell for _, cells in rows(text) for cell in cells if " ± " in cell)
    assert strangers(text.replace(figure, "9" + figure), saved)[0], "a figure that was not measured is found"
