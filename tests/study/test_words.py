"""What a study says, in words that fit what has happened."""

import io
import re

import pytest
from rich.console import Console

import toptwo as tt
from toptwo.study.live import table_of


def told(study, values):
    for value in values:
        study.tell(study.ask(), value)
    return study.verdict


def test_a_fresh_study_says_that_nothing_is_measured():
    assert str(tt.create_study(["a", "b"]).verdict).startswith("Nothing measured yet.\n")


def test_one_is_singular():
    study = tt.create_study(["a", "b"], delta=1e-9)
    assert "after 1 measurement:" in str(told(study, [0.5]))
    assert "1 pull\n" in str(study.verdict)
    assert repr(study) == "<Study of 2 arms, 1 measurement, running>"
    assert "after 2 measurements:" in str(told(study, [0.2]))


def test_one_answer_waits():
    study = tt.create_study(["a", "b"])
    _, second = study.ask(2)
    study.tell(second, 1.0)
    assert str(study.verdict).startswith("Nothing is known yet: 1 answer waits for a pull that was asked before.")


def test_no_mean_is_minus_nothing():
    study = tt.create_study(["a", "b"], delta=1e-9)
    assert "-0.0" not in str(told(study, [1.0, -1e-9]))


def test_a_name_of_several_lines_stays_in_its_row():
    study = tt.create_study(["rye\nbread", "[red]spelt"], delta=1e-9)
    text = str(told(study, [1.0, 0.5]))
    assert "  rye\\nbread       1.000         1 pull\n" in text
    assert len(text.splitlines()) == 4
    screen = io.StringIO()
    Console(file=screen, width=80).print(table_of(study.verdict))
    assert "rye\\nbread" in screen.getvalue()
    assert "[red]spelt" in screen.getvalue()


def pictured(verdict, width):
    screen = io.StringIO()
    Console(file=screen, width=width).print(table_of(verdict, width))
    assert max(map(len, screen.getvalue().splitlines())) <= width
    return screen.getvalue()


@pytest.mark.parametrize("width", [40, 60, 75, 80, 130])
def test_the_live_table_fits_the_terminal(width):
    study = tt.create_study(["a", "b"], delta=1e-9)
    picture = pictured(told(study, [123.456, -0.25]), width)
    assert "123.5" in picture
    assert "…" not in picture
    assert ("behind by" in picture) == (width >= 60), "gaps are worth more than bars"
    assert ("█" in picture) == (width >= 120)


@pytest.mark.parametrize("width", [30, 40, 60, 80, 100, 120, 125, 160])
def test_long_names_cost_columns_but_cut_no_number(width):
    arms = [f"configuration-number-{number:03d}" for number in range(3)]
    study = tt.create_study(arms, delta=1e-9, family=tt.Gaussian())
    verdict = told(study, [1234.5, 1233.25, 1230.0] * 4)
    picture, gap = pictured(verdict, width), verdict.arms[0].gap
    assert "…" not in picture
    assert all(f"{report.mean:.1f}" in picture for report in verdict.arms)
    assert all(arm in "".join(re.split(r"[^\w-]+", picture)) for arm in arms) or width < 60
    if "behind by" in picture:
        assert f"{gap.low:.1f} to {gap.high:.1f}" in picture
    assert f"about {verdict.remaining:,.0f} more to go" in " ".join(picture.split())


def test_the_difference_that_decides_is_seen_in_the_table():
    study = tt.create_study(["a", "b", "c"], family=tt.Gaussian(0.02), delta=0.05)
    while study.running:
        pull = study.ask()
        study.tell(pull, 1000.0 + {"a": 0.0, "b": 0.05, "c": 0.02}[pull.arm])
    gaps = re.findall(r"behind by (\S+) to (\S+)", str(study.verdict))
    assert len(gaps) == 2
    assert all(0.0 <= float(low) < float(high) for low, high in gaps)
    assert "1000.050" in str(study.verdict)


def test_one_large_mean_does_not_hide_what_the_others_are():
    study = tt.create_study(["a", "b", "c"], family=tt.Gaussian(0.5), delta=0.05)
    while study.running:
        pull = study.ask()
        study.tell(pull, {"a": -1234.0, "b": 1.5, "c": 0.25}[pull.arm])
    assert "1.5" in str(study.verdict)
    assert "0.2" in str(study.verdict)


def test_equal_values_say_nothing_of_a_variance():
    noisy = {"a": [1.0, 1.1, 1.2], "b": [0.0, 0.0, 0.0], "c": [0.5, 0.4, 0.6]}
    study = tt.create_study(list(noisy), family=tt.GaussianUnknownVariance(), delta=1e-9)
    for number in range(9):
        pull = study.ask()
        study.tell(pull, noisy[pull.arm][number % 3] if pull.arm != "b" else 0.0)
    assert study.verdict.constant == ("b",)
    assert "All values of b are equal: nothing can be said of its variance" in str(study.verdict)
    known = tt.create_study(["a", "b"], delta=1e-9, family=tt.Gaussian())
    assert told(known, [1.0] * 6).constant == (), "a variance that is given needs no estimate"


def test_a_measurement_without_noise_does_not_go_on_for_ever():
    values = {"a": 1.0, "b": 2.0}
    with pytest.raises(tt.MeasurementError, match=r"values of arm 'a' are equal, .* variance") as caught:
        tt.identify(values.get, list(values), family=tt.GaussianUnknownVariance())
    assert caught.value.study.verdict.constant == ("a", "b")
    verdict = tt.identify(values.get, list(values), family=tt.GaussianUnknownVariance(), max_samples=300)
    assert (verdict.status, verdict.constant) == ("undecided", ("a", "b"))


def test_the_first_line_says_which_pull_failed_and_what_to_do():
    study = tt.create_study(["a", "b"], family=tt.Gaussian(1.0), delta=1e-9)
    first, second, third, last = study.ask(4)
    study.tell(second, 1.0)
    study.fail(first, "out of\nmemory")
    said = f"Pull 0 of {first.arm} failed (out of\\nmemory): study.retry(), or tell its value."
    assert str(study.verdict).splitlines()[0] == said
    assert study.verdict.as_dict()["failed"] == said
    assert "was asked before" not in str(study.verdict)
    study.fail(last, "")
    assert ", and so did 1 more: study.retry()" in str(study.verdict)
    study.retry()
    assert study.verdict.failed == ""
    for pull in (first, third):
        study.tell(pull, 1.0)
    study.fail(last, "out of memory")
    lines = str(study.verdict).splitlines()
    assert lines[0] == f"Pull 3 of {last.arm} failed (out of memory): study.retry(), or tell its value."
    assert "leads after 3 measurements" in lines[1]
    assert lines[0] in " ".join(pictured(study.verdict, 200).split())


def test_a_settled_verdict_says_nothing_of_failures():
    study = tt.create_study(["a", "b"], family=tt.Gaussian(1.0))
    *early, late = study.ask(60)
    study.fail(late, "out of memory")
    for pull in early:
        study.tell(pull, 5.0 * pull.index)
    assert study.verdict.decided
    assert study.verdict.failed == ""
