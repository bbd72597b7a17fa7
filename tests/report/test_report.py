"""Figures and the report come from tables alone, and need nothing from outside."""

import re

import pytest
from made_up import table_of

from toptwo.experiments.files import write_whole
from toptwo.experiments.registry import REGISTRY
from toptwo.experiments.runner import Job
from toptwo.experiments.tables import read_table
from toptwo.report.figures import draw
from toptwo.report.markdown import MARK, write_markdown
from toptwo.report.page import chapters, judge, write_report
from toptwo.report.style import STYLES, style


def keep(experiment, folder):
    table = table_of(experiment)
    write_whole(folder / experiment.name / table.file_name, table.text().encode())
    write_whole(folder / experiment.name / "provenance.json", b'{"processor_seconds": 1.0}')
    return table


@pytest.mark.parametrize("name", REGISTRY)
def test_every_experiment_is_drawn_and_reported(tmp_path, name):
    experiment = REGISTRY[name]
    keep(experiment, tmp_path)
    table = read_table(tmp_path / name)
    figures = draw(experiment, table, tmp_path)
    assert len(figures) == len(experiment.figures) > 0
    first = [figure.read_bytes() for figure in figures]
    assert all(content.startswith(b"\x89PNG") for content in first)
    assert [figure.read_bytes() for figure in draw(experiment, table, tmp_path)] == first
    page = write_report(tmp_path, [experiment], "smoke", 1).read_text("utf-8")
    assert page.count("data:image/png;base64,") == len(figures)
    assert not re.findall(r"<script|<link|src=\"(?!data:)|url\(|@import|https?://", page)
    for entry in judge(chapters(tmp_path, [experiment], "smoke", 1)):
        assert entry.finding.judgement.value in page
        assert "nan" not in entry.finding.number


def test_markdown_keeps_what_stands_above_the_mark(tmp_path):
    experiment = REGISTRY["ties"]
    draw(experiment, keep(experiment, tmp_path), tmp_path)
    page = tmp_path / "docs" / "reproduction.md"
    write_markdown(page, tmp_path, [experiment], "smoke", 1)
    assert "TTUCB, closest" in page.read_text("utf-8")
    page.write_text("# Ours\n\nWords.\n\n" + MARK + "\nstale words", "utf-8")
    text = write_markdown(page, tmp_path, [experiment], "smoke", 1).read_text("utf-8")
    assert text.startswith("# Ours\n\nWords.\n\n" + MARK)
    assert "stale words" not in text.partition(MARK)[2]
    assert "(reproduction/ties.png)" in text
    assert (tmp_path / "docs" / "reproduction" / "ties.png").read_bytes().startswith(b"\x89PNG")


def test_measurements_are_kept_apart(tmp_path):
    assert keep(REGISTRY["cpu_time"], tmp_path).file_name == "measurement.json"
    assert keep(REGISTRY["fig1a"], tmp_path).file_name == "table.json"


def test_other_sizes_and_seeds_do_not_mix(tmp_path):
    keep(REGISTRY["fig1a"], tmp_path)
    assert len(chapters(tmp_path, list(REGISTRY.values()), "smoke", 1)) == 1
    assert chapters(tmp_path, list(REGISTRY.values()), "paper", 1) == []
    assert chapters(tmp_path, list(REGISTRY.values()), "smoke", 2) == []


def test_algorithms_can_be_told_apart():
    from toptwo.algorithms import algorithms

    drawn = [style(name) for name in algorithms()]
    assert len({look.colour for look in drawn}) == len(drawn)
    looks = [(look.marker, look.line) for look in STYLES.values()]
    assert len({look.colour for look in STYLES.values()}) == len(STYLES)
    assert len(set(looks)) == len(looks), "in grey, marker and line must do"
    assert style("A-T-TTUCB").colour == style("TTUCB").colour != style("nobody").colour
    assert style("nobody") == style("nobody") != style("somebody")


def test_a_job_knows_its_place(tmp_path):
    assert Job((), "smoke", 1, tmp_path).store.folder == tmp_path / "cells"
