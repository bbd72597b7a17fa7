"""Figures and the report come from tables alone, and need nothing from outside."""

import json
import re
from collections import Counter

import pytest
from made_up import table_of

from toptwo.experiments.paper.bounds import BOUNDS
from toptwo.experiments.paper.three_thresholds import ENTRANTS
from toptwo.experiments.paper.ties import VARIANTS
from toptwo.experiments.registry import REGISTRY
from toptwo.experiments.runner import Job
from toptwo.report.figures import draw
from toptwo.report.markdown import MARK, write_markdown
from toptwo.report.page import OUTDATED, chapters, judge, many, write_report
from toptwo.report.style import STYLES, style
from toptwo.sweeps.files import write_whole
from toptwo.sweeps.statistics import Judgement
from toptwo.sweeps.tables import read_table


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
        assert entry.finding.number != OUTDATED


def test_claims_can_be_picked_by_verdict(tmp_path):
    experiments = [REGISTRY[name] for name in ("fig1a", "fig1b", "ratio")]
    for experiment in experiments:
        keep(experiment, tmp_path)
    judged = judge(chapters(tmp_path, experiments, "smoke", 1))
    page = write_report(tmp_path, experiments, "smoke", 1).read_text("utf-8")
    marks = Counter(re.findall(r'<tr class="(\w+)">', page))
    assert sum(marks.values()) == len(judged)
    assert set(re.findall(r'type="radio" name="shown" id="show-(\w+)"', page)) == {"all", *marks}
    for kind, number in marks.items():
        label = re.search(rf'<label for="show-{kind}" class="{kind}">(\d+) ', page)
        assert int(label[1]) == number
        assert f"#show-{kind}:checked ~ .wide tbody tr:not(.{kind})" in page
    for needed in ("width=device-width", "max-width: 640px", "prefers-color-scheme: dark", 'data-name="our number"'):
        assert needed in page


def test_a_table_of_an_earlier_version_does_not_stop_the_report_on_others(tmp_path):
    for name in ("bounds", "ties"):
        keep(REGISTRY[name], tmp_path)
    path = tmp_path / "bounds" / "table.json"
    old = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps(old | {"theory": {}}), "utf-8")
    page = write_report(tmp_path, [REGISTRY["bounds"], REGISTRY["ties"]], "smoke", 1).read_text("utf-8")
    assert 0 < page.count(OUTDATED) < len(REGISTRY["bounds"].claims) + len(REGISTRY["ties"].claims)


def test_numbers_go_with_their_words():
    assert many(Judgement.HOLDS, 24) == "24 hold"
    assert many(Judgement.HOLDS, 1) == "1 holds"
    assert many(Judgement.CORRECTED, 2) == "2 hold with a correction"
    assert many(Judgement.FAILS, 3) == "3 do not hold"
    assert many(Judgement.OPEN, 20) == "20 not decided by this size"


def test_two_variants_of_an_algorithm_in_one_figure_differ():
    for names in (BOUNDS, [entrant.label for entrant in VARIANTS], [entrant.label for entrant in ENTRANTS]):
        assert len({(style(name).colour, style(name).hatch) for name in names}) == len(names)


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
