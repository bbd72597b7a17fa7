"""Races kept in a study: gone on with where they ended, and mixed with no other."""

import re

import pytest
from mock_races import law, raced

import toptwo as tt
from toptwo.racing.executors.mock import Mock


def test_a_stored_race_goes_on_where_it_ended(tmp_path):
    """An interrupted race, gone on with, finds what it knew and drops the block that was left half made."""
    kept = {"storage": f"sqlite:///{tmp_path / 'races.db'}", "study_name": "letters", "margin": "0%"}
    first, _ = raced([1.0, 1.02], max_time=20.5, **kept)
    assert (first.status, first.why) == ("undecided", "time")
    second, mock = raced([1.0, 1.02], seed=0, **kept)
    assert second.winner == "a"
    assert [run.value for run in second.runs[: len(first.runs)]] == [run.value for run in first.runs]
    assert len(second.runs) == len(first.runs) + len(mock.ran)
    third, mock = raced([1.0, 1.02], **kept)
    assert (third.winner, mock.ran) == ("a", [])
    assert third.standing == second.standing


def test_two_races_at_once_on_a_study_are_told_apart(tmp_path):
    """The second gives up the block of the first, which then ends and says why."""
    kept = {"storage": f"sqlite:///{tmp_path / 'races.db'}", "study_name": "letters"}

    rivals = iter([lambda: raced([1.0, 1.02], max_runs=6, **kept)])

    def law_with_a_rival(number):
        if number >= 5:
            next(rivals, lambda: None)()
        return 1.0 + 0.01 * number % 3

    mock = Mock({"a": law_with_a_rival, "b": law(1.02)})
    with pytest.raises(tt.MeasurementError, match="one race at a time works on a study"):
        tt.race(["a", "b"], executor=mock, seed=0, progress=False, **kept)


def test_runs_of_other_commands_are_not_taken_for_those_of_a_stored_race(tmp_path):
    kept = {"storage": f"sqlite:///{tmp_path / 'races.db'}", "study_name": "ab", "progress": False}
    laws = {"sleep 1": law(1.0), "sleep 2": law(2.0), "sleep 3": law(3.0)}
    tt.race({"a": "sleep 1", "b": "sleep 2"}, executor=Mock(laws), max_time=30, **kept)
    for changed, options in (
        ("the command of 'b'", {"commands": {"a": "sleep 1", "b": "sleep 3"}}),
        ("timeout", {"timeout": 5}),
        ("prepare, shell", {"shell": "sh", "prepare": "sync"}),
        ("environment, items", {"items": ["x", "y"], "environment": {"A": "1"}}),
    ):
        asked = {"commands": {"a": "sleep 1", "b": "sleep 2"}, **options}
        with pytest.raises(tt.InputError, match=re.escape(f"({changed} differ)")):
            tt.race(executor=Mock(laws), **asked, **kept)


def test_a_stored_race_begins_no_block_that_its_time_does_not_hold(tmp_path):
    """To go on after runs that were cut short for being long would make slow commands look fast."""
    kept = {"storage": f"sqlite:///{tmp_path / 'races.db'}", "study_name": "letters", "margin": "0%"}
    first, mock = raced([1.0, 1.0], spread=0.0, max_time=7.5, **kept)
    assert (first.why, mock.clock()) == ("time", 6.0)
    assert "cut short" not in str(first)


def test_runs_that_were_cut_short_are_named_in_what_a_stored_race_assumes(tmp_path):
    kept = {"storage": f"sqlite:///{tmp_path / 'races.db'}", "study_name": "letters", "margin": "0%"}
    raced([1.0, 1.0], spread=0.0, max_time=1.5, **kept)  # nothing is known of the second one yet
    again, _ = raced([1.0, 1.02], max_time=50.0, **kept)
    assert "cut short by an interrupt (2 runs) would have been like the others." in str(again)


def test_a_stored_race_remembers_which_runs_hit_the_limit(tmp_path):
    kept = {"storage": f"sqlite:///{tmp_path / 'races.db'}", "study_name": "letters", "timeout": 5, "margin": "0%"}
    first, _ = raced([1.0, 9.0], max_time=13.0, **kept)
    assert [run.outcome.timed_out for run in first.runs_of(1)] == [True, True]
    second, _ = raced([1.0, 9.0], max_time=0.001, **kept)
    assert [run.outcome.timed_out for run in second.runs] == [run.outcome.timed_out for run in first.runs]


def test_a_seed_is_drawn_and_kept(tmp_path):
    kept = {"storage": f"sqlite:///{tmp_path / 'races.db'}", "study_name": "letters", "margin": "0%", "progress": False}

    def seed_of(**options):
        return tt.race(["a", "b"], executor=Mock({"a": law(1.0), "b": law(1.0)}), max_time=9, **options).seed

    assert len({seed_of() for _ in range(4)}) == 4
    assert seed_of(**kept) == seed_of(**kept)
    assert seed_of(seed=7) == 7
    with pytest.raises(tt.InputError, match="seed"):
        seed_of(seed=-1)


def test_the_library_has_what_the_command_line_has(tmp_path):
    mark = tmp_path / "mark"
    result = tt.race(
        ["sh -c 'exit 3'", "true"],
        confidence="90%",
        ignore_failure=3,
        setup=f"touch {mark}",
        cleanup=f"rm -f {mark}",
        max_runs=3,
        progress=False,
    )
    assert result.question.delta == 0.1
    assert len(result.runs) == 6
    assert not mark.exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"margin": 0.02}, "margin 0.02 needs a unit: 2%"),
        ({"confidence": 95}, r"95 % is written 95%"),
        ({"delta": 0.1, "confidence": "90%"}, "delta and confidence say the same"),
        ({"ignore_failure": "1"}, "ignore_failure must be True, or exit codes"),
        ({"runs": 2, "min_runs": 1}, "leave min_runs and max_runs out"),
        ({"output": "nowhere"}, "output must be null, pipe, inherit or a file"),
    ],
)
def test_arguments_are_named_as_in_python(options, words):
    with pytest.raises(tt.InputError, match=words) as caught:
        tt.race(["true", "false"], progress=False, **options)
    assert "--" not in str(caught.value)


def test_a_failure_names_the_argument_that_allows_it():
    with pytest.raises(tt.MeasurementError, match=r"ignore_failure=1 this one") as caught:
        tt.race(["true", "false"], progress=False)
    assert "--" not in str(caught.value)


def test_a_stored_race_asks_one_question(tmp_path):
    kept = {"storage": f"sqlite:///{tmp_path / 'races.db'}", "study_name": "letters"}
    raced([1.0, 1.5], **kept)
    for other in ({"margin": "5%"}, {"metric": "cpu"}, {"delta": 0.01}, {"maximize": True}):
        with pytest.raises(tt.InputError, match="exists and asks another question"):
            raced([1.0, 1.5], **kept, **other)
    with pytest.raises(tt.InputError, match="belong together"):
        raced([1.0, 1.5], storage=kept["storage"])
    with pytest.raises(tt.InputError, match="leave storage out"):
        raced([1.0, 1.5], runs=3, **kept)
