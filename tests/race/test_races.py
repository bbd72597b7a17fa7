"""Whole races on the mock executor: instant, exact, and judged against naive ways of racing."""

import json
import math
import os
import random
import re
import shutil
import time

import pytest
from mock_races import law, raced

import toptwo as tt
from toptwo.racing.api import run
from toptwo.racing.commands import expand
from toptwo.racing.executors.mock import Mock
from toptwo.racing.exporters.json import json_two
from toptwo.racing.metrics import parse_metric
from toptwo.racing.options import Budget, Hooks, RaceQuestion, RaceSettings
from toptwo.racing.outcome import Outcome
from toptwo.racing.saving import Export, Saver
from toptwo.racing.self_test import at_least
from toptwo.racing.sentences import relative


def test_the_fastest_wins_by_the_ratio_that_is_true():
    result, _ = raced([1.4, 1.0, 1.3])
    assert (result.status, result.winner, result.exit_status) == ("winner", "b", 0)
    low, high = result.standing.pairs[0].low, result.standing.pairs[0].high
    assert 1.0 < low < 1.4 < high
    assert str(result).startswith("b is fastest, 9")
    assert "× faster than a [" in str(result)
    assert "Assumes that ratios" in str(result)


def test_the_highest_wins_when_asked_for():
    result, _ = raced([1.0, 1.4, 1.3], maximize=True)
    assert result.winner == "b"
    assert "b is highest" in str(result)
    assert "× higher than c [" in str(result)


def test_what_is_behind_is_told_with_its_sign():
    highest, _ = raced([1.0, 1.5], maximize=True, compare="mean")
    lowest, _ = raced([1.0, 1.5], compare="mean")
    assert re.fullmatch(r"-0?\.?\d+.* \[-.*, -.*\]", relative(highest, 0))
    assert re.fullmatch(r"\+\d+.* \[\d.*, \d.*\]", relative(lowest, 1))


def test_differences_are_told_in_units():
    result, _ = raced([0.014, 0.010], compare="mean", margin="1ms")
    assert result.winner == "b"
    assert " ms faster than a [" in str(result)


def test_wins_are_told_as_blocks_won():
    result, _ = raced([1.4, 1.0], compare="wins")
    assert re.search(r"faster than a in (\d+) of \1 blocks \[\d+ %, 100 %\]", str(result))


def test_equal_commands_end_in_a_tie_within_the_margin():
    result, _ = raced([1.0, 1.0, 1.5], margin="5%")
    assert (result.status, result.exit_status) == ("tie", 3)
    assert set(result.contenders) == {"a", "b"}
    assert "are equal within 5 %" in str(result)


def test_when_the_time_is_up_the_contenders_are_named():
    result, mock = raced([1.0, 1.001, 3.0], max_time=100, margin="0%")
    assert (result.status, result.exit_status, result.why) == ("undecided", 4, "time")
    assert mock.clock() <= 100.0 + 1e-9
    assert set(result.contenders) == {"a", "b"}
    assert "when the time was up" in str(result)
    assert "may be fastest as well" in str(result)


def test_a_run_that_the_end_cuts_short_does_not_count():
    result, mock = raced([1.0, 60.0], max_time=10)
    assert (result.why, mock.ran.count("b")) == ("time", 1)
    assert [run.arm for run in result.runs if run.arm == 1] == []
    assert "b had run for 10 s when the time was up, and has no run that counts" in str(result)


def test_numbers_of_runs_are_kept():
    result, _ = raced([1.0, 1.5, 2.0], runs=30)
    assert [len(result.runs_of(arm)) for arm in range(3)] == [30, 30, 30]
    assert result.winner == "a"
    result, _ = raced([1.0, 1.0], max_runs=7, margin="0%")
    assert [len(result.runs_of(arm)) for arm in range(2)] == [7, 7]
    assert (result.why, result.exit_status) == ("runs", 4)
    result, _ = raced([1.0, 1.5, 5.0], min_runs=25)
    assert min(len(result.runs_of(arm)) for arm in range(3)) == 25
    _, mock = raced([1.0, 1.5], warmup=3, runs=2)
    assert mock.ran[:6] == ["a", "b"] * 3
    assert len(mock.ran) == 10


def test_the_verdict_does_not_change_when_runs_go_on():
    short, _ = raced([1.0, 1.3], seed=3)
    long, _ = raced([1.0, 1.3], seed=3, min_runs=200)
    assert short.standing == long.standing


def test_hopeless_commands_are_run_least():
    result, _ = raced([1.0, 1.04, 1.05, 4.0, 8.0, 9.0, 10.0, 12.0], margin="0%")
    counts = [len(result.runs_of(arm)) for arm in range(8)]
    assert max(counts[3:]) < 0.25 * min(counts[:3])
    alike, _ = raced([1.0, 1.04, 1.05, 4.0, 8.0, 9.0, 10.0, 12.0], margin="0%", runs=max(counts))
    assert result.seconds < 0.2 * alike.seconds


def test_a_timeout_counts_as_the_limit_and_is_said():
    result, _ = raced([1.0, 50.0], timeout=3)
    assert {run.value for run in result.runs_of(1)} == {3.0}
    assert result.winner == "a"
    assert "the claim is about times capped there" in str(result)


def test_a_timeout_without_a_value_loses_or_ends_the_race():
    with pytest.raises(tt.MeasurementError, match='compare="wins", by which it has lost'):
        raced([1.0, 50.0], timeout=3, metric="cpu")
    result, _ = raced([1.0, 50.0], timeout=3, metric="cpu", compare="wins")
    assert result.winner == "a"
    assert "Such a run counts as lost" in str(result)


def test_all_commands_of_a_block_get_the_same_item():
    seen = []

    def difficult(shift):
        def seconds(number):
            return 1.0

        return seconds

    items = ("easy", "hard", "harder")
    mock = Mock({f"{name} {item}": difficult(0) for name in "ab" for item in items})
    mock.check = lambda commands, metric: []
    result = run(expand(["a {item}", "b {item}"]), RaceSettings(items=items), executor=mock)
    seen = {(one.block, one.item) for one in result.runs}
    assert len(seen) == len({block for block, _ in seen})
    assert {item for _, item in seen} == set(items)


def test_a_failure_is_named_and_what_was_measured_is_kept(tmp_path):
    mock = Mock({"good": law(1.0), "bad": lambda number: Outcome(1.0, exit_code=0 if number < 9 else 3)})
    path = tmp_path / "kept.json"
    saver = Saver([Export(path, json_two)], print)
    result = run(expand(["good", "bad"]), RaceSettings(), watchers=[saver], executor=mock)
    assert (result.status, result.exit_status) == ("failed", 1)
    assert "bad ended with exit code 3: --show-output shows" in str(result)
    kept = json.loads(path.read_text())
    assert sum(len(entry["measurements"]) for entry in kept["results"]) == len(result.runs) >= 9
    fine = run(expand(["good", "bad"]), RaceSettings(ignored=(3,)), executor=Mock({"good": law(1.0), "bad": law(2.0)}))
    assert fine.winner == "good"


def test_a_file_that_cannot_be_written_ends_no_race(tmp_path):
    """Not even when the folder goes; it is tried again, and what is not there at the end is said."""
    place = tmp_path / "gone"
    place.mkdir()

    def take_away(number):
        if place.exists() and number >= 2:
            shutil.rmtree(place)
        return 2.0 + 0.1 * (number % 3)

    saver = Saver([Export(place / "kept.json", json_two), Export(tmp_path / "kept.json", json_two)], print)
    mock = Mock({"a": law(1.0), "b": take_away})
    result = run(expand(["a", "b"]), RaceSettings(), watchers=[saver], executor=mock)
    assert result.winner == "a"
    assert saver.lost == [f"{place / 'kept.json'} could not be written: No such file or directory."]
    assert json.loads((tmp_path / "kept.json").read_text())["toptwo"]["winner"] == "a"


def test_a_file_that_can_be_written_again_is_not_lost(tmp_path):
    place = tmp_path / "late"

    def come(number):
        place.mkdir(exist_ok=True)
        return 2.0 + 0.1 * (number % 3)

    saver = Saver([Export(place / "kept.json", json_two)], print)
    mock = Mock({"a": law(1.0), "b": lambda number: come(number) if number > 3 else 2.0})
    run(expand(["a", "b"]), RaceSettings(), watchers=[saver], executor=mock)
    assert saver.lost == []
    assert (place / "kept.json").exists()


def test_equal_seeds_give_equal_races():
    assert raced([1.0, 1.1, 1.2], seed=5)[0].runs == raced([1.0, 1.1, 1.2], seed=5)[0].runs


def test_values_that_cannot_be_ratios_are_refused_with_a_remedy():
    score = iter([1.0, -2.0] * 50)
    with pytest.raises(tt.MeasurementError, match='use compare="mean"'):
        tt.race([lambda: next(score), lambda: next(score)], metric="returned", compare="log")


# --- false winners ----------------------------------------------------------------------------------------------------
RACES, BLOCKS, DELTA = 200, 40, 0.05
MOST_FALSE = next(number for number in range(RACES) if at_least(number, RACES, DELTA) < 1e-6)
"""False winners of 200 races at which chance, at δ = 5 %, has a probability below 1e-6: 28."""


def peeking(differences):
    """Whether somebody who looks at a 95 % interval after each block finds it on one side of zero."""
    for number in range(5, len(differences)):
        seen = differences[:number]
        mean = sum(seen) / number
        error = math.sqrt(sum((value - mean) ** 2 for value in seen) / (number - 1) / number)
        if abs(mean) > 1.96 * error:
            return True
    return False


def test_equal_commands_make_no_more_false_winners_than_promised_and_peeking_does():
    ours = naive = 0
    for seed in range(RACES):
        result, _ = raced([1.0, 1.0], seed=seed, spread=0.2, runs=BLOCKS, margin="0%", delta=DELTA)
        ours += result.status == "winner"
        one, other = ({run.block: math.log(run.value) for run in result.runs_of(arm)} for arm in (0, 1))
        naive += peeking([one[block] - other[block] for block in sorted(one)])
    assert ours < MOST_FALSE
    assert naive >= MOST_FALSE, "the negative control: the same runs, looked at without accounting for the looks"


class BusyMachine:
    """Commands on a machine where everything takes 1.5 times as long, now and then."""

    def __init__(self, means, seed):
        self.noise = random.Random(f"load {seed}")
        self.busy, self.left = False, 0
        self.laws = {name: self.law(mean) for name, mean in means.items()}

    def law(self, mean):
        def seconds(number):
            if self.left == 0:
                self.busy, self.left = not self.busy, 1 + int(self.noise.expovariate(1 / 20))
            self.left -= 1
            return mean * (1.5 if self.busy else 1.0) * math.exp(0.03 * self.noise.gauss(0.0, 1.0))

        return seconds


def test_a_load_that_comes_and_goes_fools_runs_in_sequence_and_not_the_race():
    means = {"a": 1.05, "b": 1.0, "c": 1.08}
    ours = naive = 0
    for seed in range(60):
        laws = BusyMachine(means, seed).laws
        totals = {name: sum(laws[name](0) for _ in range(10)) for name in means}
        naive += min(totals, key=totals.get) != "b"
        result = tt.race(list(means), executor=Mock(BusyMachine(means, seed).laws), margin="0%", max_runs=60, seed=seed)
        ours += result.winner not in ("b", None)
    limit = next(number for number in range(60) if at_least(number, 60, DELTA) < 1e-6)
    assert ours < limit
    assert naive >= limit, "the negative control: ten runs of each, one command after the other"


def test_all_runs_that_were_asked_for_count_and_keep_the_answer():
    """A race would have ended after a few blocks: the winner stays, and its lead is known the better for the rest."""
    raced_for_long, _ = raced([1.0, 1.5], runs=60, seed=3)
    ended, _ = raced([1.0, 1.5], seed=3)
    assert (ended.winner, raced_for_long.winner) == ("a", "a")
    short, long = ended.standing.pairs[1], raced_for_long.standing.pairs[1]
    assert (short.blocks < 20, long.blocks) == (True, 60)
    assert long.high - long.low < 0.5 * (short.high - short.low)
    assert raced_for_long.standing.confidence == ended.standing.confidence


# --- what belongs to a run is bounded as well -----------------------------------------------------------------------
@pytest.mark.parametrize("name", ["setup", "prepare", "conclude"])
def test_hooks_end_with_the_race(name, tmp_path):
    line = f"echo $$ > {tmp_path / 'number'}; exec sleep 300"
    hooks = Hooks(**{name: line if name == "setup" else (line,)}, cleanup=f"touch {tmp_path / 'cleaned'}")
    began = time.monotonic()
    result = run(expand(["true", "sleep 0"]), RaceSettings(budget=Budget(seconds=0.4), hooks=hooks))
    assert time.monotonic() - began < 10.0
    assert (result.status, result.why) == ("undecided", "time")
    assert f"--{name} {line!r} was still running when the time was up." in str(result)
    assert not os.path.exists(f"/proc/{(tmp_path / 'number').read_text().strip()}")
    assert (tmp_path / "cleaned").exists()


def test_the_command_of_a_metric_ends_with_the_race_or_by_its_timeout():
    question = RaceQuestion(parse_metric("cat; sleep 300; echo 3"), compare="wins")
    mock = Mock({"a": law(0.1), "b": law(0.2)})
    began = time.monotonic()
    result = run(expand(["a", "b"]), RaceSettings(question, Budget(seconds=0.4)), executor=mock)
    assert (result.status, result.why) == ("undecided", "time")
    assert "--metric 'cat; sleep 300; echo 3' was still running when the time was up." in str(result)
    result = run(expand(["a", "b"]), RaceSettings(question, Budget(seconds=60.0, timeout=0.3)), executor=mock)
    assert (result.status, result.exit_status) == ("failed", 1)
    assert result.why.startswith("--metric 'cat; sleep 300; echo 3' did not end within --timeout after ")
    assert time.monotonic() - began < 20.0


def wandering(seed):
    """Return times that remember those of the run before."""
    noise, last = random.Random(seed), [0.0]

    def time(number):
        last[0] = 0.95 * last[0] + noise.gauss(0.0, 0.02)
        return math.exp(last[0])

    return time


def test_commands_that_remember_their_own_runs_are_told_of_and_others_not():
    mock = Mock({name: wandering(name) for name in "ab"})
    notes = " ".join(tt.race(list("ab"), executor=mock, runs=60).notes)
    assert "The differences between b and a resemble" in notes or "The differences between a and b resemble" in notes
    steady, _ = raced([1.0, 1.0], runs=60)
    assert "resemble" not in " ".join(steady.notes)
