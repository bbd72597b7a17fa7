"""`verify` counts what `simulate` counts, chunk by chunk, and its verdict follows the interval."""

import dataclasses
from typing import NamedTuple

import pytest
from click.testing import CliRunner

import toptwo as tt
from toptwo.cli import main
from toptwo.engine import verification
from toptwo.engine.verification import near_tie

MEANS = [0.0, 0.4, 0.3]
QUESTION = {"delta": 0.3, "threshold": "heuristic", "seed": 4, "max_samples": 40}


def test_counts_are_those_of_the_same_runs(monkeypatch):
    monkeypatch.setattr(verification, "ROOM", 7 * 50)  # chunks of fifty runs
    found = tt.verify("TTUCB", MEANS, runs=320, **QUESTION)
    result = tt.simulate("TTUCB", MEANS, runs=320, **QUESTION)
    assert (found.runs, found.wrong) == (320, int(result.wrong.sum()))
    assert found.undecided == int((~result.decided).sum())
    assert found.mean_samples == result.stopping_times.mean()
    assert 0 < found.wrong < 320
    assert found.interval == result.summary().error_interval


@pytest.mark.parametrize(("wrong", "verdict"), [(0, "at most δ"), (10, "open"), (40, "above δ")])
def test_the_verdict_leaves_no_doubt_or_is_open(wrong, verdict):
    found = tt.verify("uniform", [0.0, 5.0], runs=100, delta=0.1)
    assert dataclasses.replace(found, wrong=wrong).verdict == verdict


def test_a_near_tie_lies_where_the_family_has_means():
    assert near_tie(3) == [0.0, 1e-9, 0.0]
    assert near_tie(2, tt.Bernoulli(), 0.1) == [0.3, 0.3 + (0.1 + 1e-9)]
    assert near_tie(2, tt.Poisson()) == [1.0, 1.0 + 1e-9]


class Hasty(NamedTuple):
    """A level that next to nothing reaches."""

    delta: float
    arms: int

    def at(self, n):
        return 0.2


def test_a_rule_that_errs_too_often_is_caught():
    found = tt.verify("uniform", delta=0.5, threshold=Hasty, arms=4, runs=2000, max_samples=400)
    assert found.verdict == "above δ"


def test_the_command_prints_the_same():
    done = CliRunner().invoke(main, ["verify", "uniform", "--means", "0 3", "--runs", "50", "--delta", "0.2"])
    assert done.exit_code == 0, done.output
    assert str(tt.verify("uniform", [0.0, 3.0], runs=50, delta=0.2)) in done.output
