"""Functions that race: quick ones are called many times a run, and what a clock cannot tell is never told."""

import itertools
import os
import random
import sys
import time

import pytest

import toptwo as tt
from toptwo.racing.executors import callable as calling
from toptwo.racing.executors.callable import InProcess
from toptwo.racing.executors.mock import Mock
from toptwo.racing.outcome import Outcome


class Clock:
    """A clock that only the functions move on, and the look at it: 100 ns."""

    def __init__(self):
        self.now, self.noise = 0.0, random.Random(5)

    def perf_counter_ns(self):
        self.now += 100.0
        return int(self.now)

    def monotonic(self):
        return 1e-9 * self.now

    def function(self, nanoseconds, first=0.0):
        """A function that takes so long, and counts its calls; the first one may take longer."""

        def call():
            self.now += nanoseconds * self.noise.uniform(0.9, 1.1) + (0.0 if call.times else first)
            call.times += 1

        call.times = 0
        return call


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(calling, "time", clock)
    return clock


def test_functions_quicker_than_the_clock_are_told_apart(clock):
    quick, slow = clock.function(37), clock.function(203)
    result = tt.race({"quick": quick, "slow": slow})
    assert result.winner == "quick"
    pair = result.standing.pairs[1]
    assert 5.2 < pair.low < 203 / 37 < pair.high < 5.8
    assert result.summary(0).mean == pytest.approx(37e-9, rel=0.02)
    assert "a run is the mean of several calls: 2,000 of quick, 500 of slow." in str(result)


def test_a_run_lasts_long_enough_for_the_clock_and_no_longer(clock):
    call = clock.function(37)
    result = tt.race({"one": call, "other": clock.function(37)}, runs=10)
    assert all(40e-6 < run.cost < 250e-6 for run in result.runs[2:])
    assert call.times < 15 * 2000, "what finding the number takes is small"


def test_equal_functions_are_called_equally_often(clock):
    """At 51 µs for 500 calls, noise decides whether 500 or 1,000 are enough; means of more calls spread less."""
    numbers = set()
    for _ in range(20):
        executor = InProcess()
        tt.race({"a": clock.function(100), "b": clock.function(100)}, executor=executor, runs=4)
        numbers.add(tuple(sorted(set(executor._calls.values()))))
    assert all(len(found) == 1 for found in numbers)


def test_a_slow_function_is_called_once_a_run(clock):
    slow, slower = clock.function(2e8), clock.function(3e8)
    tt.race({"slow": slow, "slower": slower}, runs=3)
    assert (slow.times, slower.times) == (3, 3)


@pytest.mark.parametrize("first", [1e5, 1e7, 3e9])
def test_a_first_call_that_is_slow_does_not_mislead(clock, first):
    """Something is loaded, or a result is kept: calls take 50 ns from then on."""
    executor = InProcess()
    result = tt.race({"cold": clock.function(50, first), "b": clock.function(500)}, executor=executor, min_runs=9)
    assert executor._calls["cold"] >= 1000
    assert all(run.value < 60e-9 for run in result.runs_of(0)[1:])


def test_with_something_before_each_call_there_is_one_call_a_run_and_that_is_said(clock):
    quick = clock.function(37)
    result = tt.race({"quick": quick, "slow": clock.function(2e5)}, prepare="true", runs=2)
    assert quick.times == 2
    assert "reading the clock is part of the time of quick; without prepare" in str(result)


def test_numbers_returned_are_of_one_call_each():
    scores = iter(range(1, 100))
    result = tt.race([lambda: next(scores), lambda: 200 + next(scores)], metric="returned", runs=3)
    assert sorted(run.value for run in result.runs_of(0) + result.runs_of(1))[-1] < 210
    assert next(scores) == 7


def test_processor_time_of_quick_functions_is_told():
    values = list(range(300))
    result = tt.race({"once": lambda: sum(values), "nine": lambda: [sum(values) for _ in range(9)]}, metric="cpu")
    assert result.winner == "once"
    assert 1e-7 < result.summary(0).mean < 1e-4


def failing(function):
    """Race a function that fails at its third call; return the failure."""
    calls = itertools.count()

    def call():
        if next(calls) >= 2:
            function()
        time.sleep(0.15)

    with pytest.raises(tt.MeasurementError) as failure:
        tt.race({"odd": call, "fine": lambda: time.sleep(0.15)})
    return failure.value


def test_a_function_that_ends_the_program_is_a_failed_measurement():
    failure = failing(lambda: sys.exit(3))
    assert str(failure) == "odd called sys.exit(3), which would end this program: let it return."
    assert [len(failure.result.runs_of(arm)) for arm in (0, 1)] in ([2, 2], [2, 3])


def test_a_function_that_takes_its_folder_away_is_a_failed_measurement(tmp_path, monkeypatch):
    place = tmp_path / "gone"
    place.mkdir()
    monkeypatch.chdir(place)
    failure = failing(place.rmdir)
    assert str(failure).startswith(
        f"odd took the folder away in which functions are called: '{place}' cannot be entered"
    )
    assert len(failure.result.runs_of(0)) == 2
    assert tt.race({"one": lambda: 1, "other": lambda: 2}, runs=2).runs, "without a folder there is none to lose"


def test_functions_are_called_in_the_folder_of_the_beginning(tmp_path, monkeypatch):
    seen = set()

    def wander():
        seen.add(os.getcwd())
        os.chdir("/")

        return 1

    monkeypatch.chdir(tmp_path)
    tt.race([wander, lambda: 2], metric="returned", runs=3)
    assert seen == {str(tmp_path)}


# --- values at the floor of the clock ---------------------------------------------------------------------------------
def at_floor(low, high=lambda run: 0.004 + 0.0001 * (run % 3), **options):
    laws = {"low": low, "high": high}
    mock = Mock({name: (lambda run, law=law: Outcome(1.0, user=law(run))) for name, law in laws.items()})
    return tt.race(list(laws), executor=mock, metric="user", compare="log", **options)


def test_two_that_take_no_time_for_the_clock_are_no_tie():
    result = at_floor(lambda run: 0.0, lambda run: 0.0)
    assert (result.status, result.exit_status, result.standing.confidence) == ("undecided", 4, 0.0)
    assert "equal within" not in str(result)
    assert "No time that the clock can tell from none: low (8 of 8 runs), high (8 of 8 runs)." in str(result)
    assert "--compare mean or wins" in str(result)


def test_no_ratio_is_told_of_values_at_the_floor():
    times = itertools.cycle([0.0001, 0.0])
    result = at_floor(lambda run: next(times))
    assert result.winner == "low"
    assert result.standing.pairs == (None, None)
    assert "×" not in str(result)
    control = at_floor(lambda run: 0.0001 + 0.00001 * (run % 2))
    assert "×" in str(control)


def test_differences_of_times_that_may_be_none_are_told_as_they_are():
    noise = random.Random(3)
    laws = {"none": lambda run: Outcome(1.0, user=0.0), "some": lambda run: Outcome(1.0, user=noise.gauss(0.01, 0.001))}
    result = tt.race(list(laws), executor=Mock(laws), metric="user")
    assert (result.winner, result.question.compare) == ("none", "mean")
    assert result.standing.pairs[1].low < 0.01 < result.standing.pairs[1].high


def test_a_study_takes_no_value_at_the_floor(tmp_path):
    kept = {"storage": f"sqlite:///{tmp_path / 'races.db'}", "study_name": "none"}
    with pytest.raises(tt.MeasurementError, match=r'low took no time that the clock can tell.*compare="mean" or wins'):
        at_floor(lambda run: 0.0, **kept)


def test_the_clock_of_this_machine_tells_a_length_from_five():
    """The real thing: no false tie between 20 and 60 ns."""
    values = list(range(10))
    began = time.monotonic()
    result = tt.race(
        {"one": lambda: len(values), "five": lambda: [len(values), len(values), len(values), len(values), len(values)]},
        max_time=20,
    )
    assert result.winner == "one"
    assert time.monotonic() - began < 20.0
