"""The table of docs/algorithms.md is the one that the registry makes."""

from pathlib import Path

from toptwo.algorithms import algorithms
from toptwo.report.catalogue import TITLES, catalogue, with_table

PAGE = Path(__file__).parents[2] / "docs" / "algorithms.md"


def test_the_page_holds_the_table_of_the_registry():
    page = PAGE.read_text(encoding="utf-8")
    assert with_table(page) == page, "make docs writes it anew"
    assert with_table(page.replace("| TTUCB |", "| TTUBC |", 1)) == page


def test_every_algorithm_has_a_complete_row():
    rows = catalogue()
    assert [row["name"] for row in rows] == list(algorithms())
    assert all(tuple(row) == TITLES and all(row.values()) for row in rows)
    assert all("gaussian" in row["families"] or row["families"] == "all" for row in rows)
