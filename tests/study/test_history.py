"""What became of each pull: records, data frames of pandas and polars, figures."""

import random
import sys

import pytest

import toptwo as tt
from toptwo.study.history import PullRecord
from toptwo.study.plots import confidence_over_time, shares_of

MEANS = {"rye": 1.0, "spelt": 1.5, "wheat": 0.8}


@pytest.fixture
def study():
    """A study that went through everything."""
    noise = random.Random(1)
    made = tt.create_study(list(MEANS), family=tt.Gaussian(0.5), failures="drop", delta=1e-4)
    made.add("rye", [1.1, 0.9])
    made.give_back(made.ask())
    made.ask()
    made.fail(0 + 2, "no flour")
    while made.running:
        pull = made.ask()
        made.tell(pull, MEANS[pull.arm] + noise.gauss(0, 0.5), cost=0.25)
    return made


def test_history_says_what_became_of_each_pull(study):
    first, second, failed, *others = study.pulls
    assert (first.state, first.value, first.times_lent) == ("brought along", 1.1, 0)
    assert (second.arm, second.number) == ("rye", 1)
    assert (failed.state, failed.reason, failed.times_lent, failed.value) == ("failed", "no flour", 2, None)
    assert {record.state for record in others} == {"told"}
    assert {record.cost for record in others} == {0.25}
    assert [record.number for record in study.pulls] == list(range(len(study.pulls)))
    assert all(record.asked_at <= record.told_at for record in study.pulls)
    assert all(":" in record.by for record in others)
    assert isinstance(first, PullRecord)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_data_frames_have_a_row_per_pull(study, library):
    frame = study.pulls_dataframe(library)
    assert type(frame).__module__.startswith(library)
    assert len(frame) == len(study.pulls)
    assert list(frame.columns)[:4] == ["number", "arm", "state", "value"]
    assert list(frame["arm"])[:2] == ["rye", "rye"]
    told = [value for value, state in zip(frame["value"], frame["state"], strict=True) if state == "told"]
    assert sum(told) == pytest.approx(sum(record.value for record in study.pulls if record.state == "told"))


def test_arms_that_are_no_plain_values_are_text_in_tables():
    study = tt.create_study([("a", 1), None], family=tt.Gaussian(1.0))
    study.ask(2)
    assert list(study.pulls_dataframe("polars")["arm"]) == ["('a', 1)", None]


def test_what_is_missing_is_said(study, monkeypatch):
    for name in ("pandas", "polars"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(tt.InputError, match="pip install pandas"):
        study.pulls_dataframe()
    with pytest.raises(tt.InputError, match="did you mean 'polars'"):
        study.pulls_dataframe("polar")


def test_figures_show_the_tables_they_are_made_of(study, tmp_path):
    for figure in (study.plot_arms(), study.plot_allocation(), study.plot_confidence()):
        figure.savefig(tmp_path / "figure.png")
        assert (tmp_path / "figure.png").stat().st_size > 5000
    places, shares = shares_of(study.pulls)
    assert places[-1] == len(study.pulls)
    assert sum(values[-1] for values in shares.values()) == pytest.approx(1.0)
    counts = {arm: sum(record.arm == arm for record in study.pulls) for arm in MEANS}
    assert {arm: values[-1] * places[-1] for arm, values in shares.items()} == pytest.approx(counts)
    over_time = confidence_over_time(study._journal.entries(), study._journal.question)
    assert over_time.pulls[-1] == study.verdict.pulls
    assert over_time.confidence[-1] == study.verdict.confidence
    assert over_time.leader[-1] == study.verdict.arm == "spelt"
    (line,) = study.plot_allocation().axes[0].lines[:1]
    assert list(line.get_xdata()) == places


def test_figures_of_nothing_say_so():
    study = tt.create_study(2)
    for draw in (study.plot_arms, study.plot_allocation, study.plot_confidence):
        with pytest.raises(tt.StudyError, match="nothing to show yet"):
            draw()
