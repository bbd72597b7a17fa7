"""What `python -m benchmarks.cuda` does where there is no GPU: its arguments, its saved page, its count of errors."""

import pytest

from benchmarks import cuda, cuda_speed
from benchmarks.__main__ import keep
from benchmarks.measure import Table
from toptwo import problems
from toptwo.engine.cuda import device
from toptwo.engine.question import UNLIMITED


@pytest.fixture
def with_device(monkeypatch):
    monkeypatch.setattr(device, "why_none", lambda: "")


@pytest.fixture
def without_device(monkeypatch):
    monkeypatch.setattr(device, "why_none", lambda: "There is no GPU.")


def test_all_topics_are_measured_unless_some_are_named(with_device):
    assert cuda.read([]).topics == ["speed", "errors", "figure"]
    assert cuda.read(["errors", "speed", "errors"]).topics == ["errors", "speed"]
    assert cuda.read([]).runs == 100_000_000


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["volume"], "unknown topic volume: choose from speed, errors, figure"),
        (["speed", "--only", "99"], "--only takes rows 0 to"),
        (["speed", "--only", "0", "--save"], "in the place of the whole table"),
        (["errors", "--runs", "0"], "--runs must be at least 1"),
        (["speed", "--engine", "cpu"], "ask for errors or figure"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(with_device, capsys, arguments, sentence):
    with pytest.raises(SystemExit):
        cuda.read(arguments)
    assert sentence in capsys.readouterr().err


def test_without_a_gpu_the_reason_is_said_at_once(without_device, capsys):
    with pytest.raises(SystemExit):
        cuda.read(["errors"])
    assert "There is no GPU." in capsys.readouterr().err
    assert cuda.read(["errors", "--engine", "cpu"]).engine == "cpu"


def test_a_topic_saved_again_leaves_the_others_as_they_are(tmp_path):
    page = tmp_path / "saved.md"
    keep(Table("Speed on a made-up GPU", ("runs of", "ns/round"), [("TTUCB", "0.140")], note="In one call."), page)
    keep(Table("Errors on a made-up GPU", ("runs", "wrong"), [("10", "0")]), page)
    keep(Table("Errors on a made-up GPU", ("runs", "wrong"), [("10", "0"), ("20", "1")]), page)
    text = page.read_text(encoding="utf-8")
    assert text.count("| TTUCB | 0.140 |") == text.count("| 20 | 1 |") == text.count("In one call.") == 1
    assert text.count("## ") == text.count("Measured on") == 2


def test_the_page_that_explains_is_not_the_page_that_is_written():
    by_hand = cuda.SAVED.with_name("cuda.md").read_text(encoding="utf-8")
    assert cuda.SAVED.name in by_hand
    assert "## What was tried" in by_hand
    assert cuda.SAVED.name == "cuda_saved.md"


def test_errors_are_counted_in_batches_with_the_interval_of_all_of_them(tmp_path, capsys):
    tables = [list(table.rows) for table in cuda.errors("cpu", 2500, batch=1000)]
    assert [len(rows) for rows in tables] == [1, 2, 3]
    assert [row[0] for row in tables[-1]] == ["1,000", "2,000", "2,500"]
    wrong = [int(row[1]) for row in tables[-1]]
    assert wrong == sorted(wrong)
    assert wrong[-1] <= 25
    counts = [int(cell.replace(",", "")) for cell in tables[-1][-1][:3]]
    assert tables[-1][-1] == cuda.error_row(*counts, float(tables[-1][-1][5]))
    cuda.main(["errors", "--engine", "cpu", "--runs", "500", "--save"], saved=tmp_path / "saved.md")
    assert capsys.readouterr().out.startswith("500 | ")
    assert "| 500 | " in (tmp_path / "saved.md").read_text(encoding="utf-8")


def test_an_error_rate_is_judged_by_its_interval():
    assert cuda.error_row(1000, 0, 10, 1.0)[3:5] == ("0 to 0.00368", "at most δ")
    assert cuda.error_row(100, 1, 10, 1.0)[4] == "open"
    assert cuda.error_row(1000, 100, 10, 1.0)[4] == "above δ"


def test_a_figure_that_cannot_be_made_ends_with_the_reason(monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    monkeypatch.delenv("NUMBA_ENABLE_CUDASIM", raising=False)
    with pytest.raises(SystemExit, match=r"toptwo reproduce fig1a --size paper --engine cuda ends with status 2"):
        list(cuda.figure("cuda"))


def test_runs_are_cut_at_the_same_length_on_both_sides():
    for case in cuda_speed.CASES:
        means = problems.random_gaussian(2, case.arms, seed=3)
        ours, theirs = (cuda_speed.task_of(case, engine, means) for engine in ("python", "cpu"))
        assert ours.setup == theirs.setup
        assert ours.setup.max_samples == (UNLIMITED if case.cut is None else case.cut)
