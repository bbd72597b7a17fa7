"""Bad input gets one sentence that names the argument and the remedy, from Python and from the command line alike."""

import math
from typing import NamedTuple

import pytest
from click.testing import CliRunner

import toptwo as tt
from toptwo.cli import main
from toptwo.rules import Fixed


class Far(NamedTuple):
    def lead(self, now, random):
        return 50_000_000


class Follower(NamedTuple):
    def challenge(self, leader, now, random):
        return leader


class Misspelt(NamedTuple):
    def leed(self, now, random):
        return 0


BAD = [
    (
        {"algorithm": tt.TopTwo(leader=Far())},
        r"Far.lead \(test_inputs.py, line \d+\) returned 50000000: it must return the number of an arm",
    ),
    (
        {"algorithm": tt.TopTwo(leader=Far()), "engine": "cpu"},
        r"Far.lead \(test_inputs.py, line \d+\) returned 50000000: it must return the number of an arm",
    ),
    ({"algorithm": tt.TopTwo(challenger=Follower())}, "must return the number of an arm other than the leader"),
    ({"algorithm": tt.TopTwo(leader=Misspelt())}, "leader must be a rule with a method lead"),
    ({"algorithm": tt.TopTwo(leader=tt.rules.EmpiricalBest)}, "leader must be a rule with a method lead"),
    ({"threshold": lambda n: 5.0}, "threshold must take delta and arms"),
    ({"means": [0.5]}, "at least 2 arms"),
    ({"means": ["0.1", "0.5"]}, "means must be numbers, not text"),
    ({"means": "0.1 0.5"}, "means must be numbers, not text"),
    ({"means": [0.1, "0.5"]}, "means must be numbers, not text"),
    ({"means": [True, False]}, "means must be numbers"),
    ({"means": [0.0, 1e308]}, "means must lie between -1e[+]100 and 1e[+]100"),
    ({"means": [0, 10**400]}, "finite"),
    ({"means": [1e17, 3e17], "family": "unknown-variance"}, "swallow the noise"),
    ({"family": tt.GaussianUnknownVariance(sigma=0.0)}, "sigma must be a finite number above 0"),
    ({"family": tt.GaussianUnknownVariance(sigma=(1.0, 0.0, 1.0))}, "sigma must be a finite number above 0"),
    ({"family": tt.Bounded(0.0, math.inf)}, "high must be a finite number, not inf"),
    ({"family": tt.Bounded(math.nan, 1.0)}, "low must be a finite number, not nan"),
    ({"max_samples": 10**30}, "max_samples must be at most"),
    ({"runs": 10**12}, "runs is 1,000,000,000,000: that takes .* memory"),
    ({"trace": [10**30]}, "trace must be whole numbers"),
    ({"trace": 5}, "trace must be whole numbers"),
    ({"trace": range(10, 10**8), "runs": 10**5}, "trace has 99,999,990 entries: that takes .* GiB"),
    ({"trace": range(2, 10**12)}, "trace has 999,999,999,998 entries"),
    ({"trace": range(2, 10**30)}, "trace has .* entries"),
    ({"means": 0.5}, "shape"),
    ({"means": [[[0.1, 0.2]]]}, "shape"),
    ({"means": [0.1, math.nan]}, "finite"),
    ({"means": [0.1, math.inf]}, "finite"),
    ({"means": ["a", "b"]}, "numbers"),
    ({"means": [[0.1, 0.2], [0.3]]}, "numbers"),
    ({"means": [0.5, 0.5, 0.1]}, "2 equal best arms.*epsilon.*max_samples"),
    ({"means": [[0.1, 0.2], [0.3, 0.3]]}, "instance 1.*epsilon"),
    ({"means": [[0.1, 0.2]], "runs": 5}, "runs is 5 but means has 1 rows"),
    ({"delta": 0.0}, "delta must be a probability"),
    ({"delta": 1.0}, "delta must be a probability"),
    ({"delta": math.nan}, "delta must be a probability"),
    ({"delta": "a"}, "delta must be a probability"),
    ({"epsilon": -0.1}, "epsilon must be a finite number at least 0"),
    ({"family": tt.Gaussian(-1.0)}, "sigma must be a finite number above 0"),
    ({"family": "gausian"}, "did you mean 'gaussian'"),
    ({"family": 3}, "family must be"),
    ({"algorithm": "TTUBC"}, "did you mean 'TTUCB'"),
    ({"algorithm": "A-uniform"}, "prefixes"),
    ({"algorithm": 3}, "algorithm must be"),
    ({"algorithm": tt.TopTwo(proportion=Fixed(1.5))}, "beta must be a probability"),
    ({"threshold": "prooven"}, "did you mean 'proven'"),
    ({"threshold": 3.0}, "threshold must be"),
    ({"engine": "gpu"}, "engine 'gpu' is unknown"),
    ({"runs": 0}, "runs must be a whole number of at least 1"),
    ({"seed": -1}, "seed must be a whole number of at least 0"),
    ({"threads": 0}, "threads must be"),
    ({"max_samples": 2}, "max_samples must be a whole number of at least 3"),
    ({"trace": [2]}, "trace must be whole numbers of at least 3"),
    ({"trace": [9, 5]}, "trace must be numbers of samples that increase"),
]


@pytest.mark.parametrize(("change", "words"), BAD, ids=[str(k) for k in range(len(BAD))])
def test_simulate_refuses(change, words):
    options = {"algorithm": "TTUCB", "means": [0.1, 0.2, 0.5], "engine": "python", "runs": 1} | change
    if "means" in change and "runs" not in change:
        del options["runs"]
    with pytest.raises(tt.InputError, match=words) as caught:
        tt.simulate(options.pop("algorithm"), options.pop("means"), **options)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: tt.TTUCB(beta=1.0), "beta"),
        (lambda: tt.TTUCB(beta="adaptive"), "'ids'"),
        (lambda: tt.TTUCB(alpha=1.0), "alpha must be a finite number above 1"),
        (lambda: tt.TTUCB(ties="nearest"), "ties 'nearest' is unknown"),
        (lambda: tt.T3C(choice="trackin"), "did you mean 'tracking'"),
        (lambda: tt.create_study(-3), "arms must be a whole number of at least 2, not -3"),
        (lambda: tt.create_study(["a"]), "at least 2 options"),
        (lambda: tt.create_study(10**15), "arms is .* memory"),
        (lambda: tt.problems.one_sparse(10**15), "arms is .* memory"),
        (lambda: tt.problems.random_gaussian(10**12), "runs is .* memory"),
        (lambda: tt.problems.close_competitors(10**12), "runs is .* memory"),
        (lambda: tt.theory.characteristic_time(["0.1", "0.5"]), "means must be numbers, not text"),
        (lambda: tt.create_study("abc"), "list of options"),
        (lambda: tt.create_study(["a", "a"]), "different"),
        (lambda: tt.create_study([["a"], ["b"]]), "hashable"),
        (lambda: tt.create_study(2, direction="up"), "direction"),
        (lambda: tt.create_study(2, delta=2), "delta"),
        (lambda: tt.create_study(2).ask(0), "n must be"),
        (lambda: tt.identify(3, 2), "measure must be a function"),
        (lambda: tt.problems.one_sparse(1), "arms must be"),
        (lambda: tt.problems.by_name("sparse", 1), "did you mean 'one-sparse'"),
    ],
)
def test_other_doors_refuse(make, words):
    with pytest.raises(tt.InputError, match=words):
        make()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["TTUBC", "--means", "0.1 0.5"], "did you mean 'TTUCB'"),
        (["TTUCB", "--means", "0.1"], "at least 2 arms"),
        (["TTUCB", "--means", "0.1 nan"], "finite"),
        (["TTUCB", "--means", "0.1 x"], "--means must be numbers"),
        (["TTUCB", "--means", "0.5 0.5"], "epsilon"),
        (["TTUCB"], "--means or --problem"),
        (["TTUCB", "--problem", "rndom"], "did you mean 'random'"),
        (["TTUCB", "--means", "0.1 0.5", "--delta", "2"], "delta must be a probability"),
        (["TTUCB", "--means", "0.1 0.5", "--sigma", "-1"], "sigma must be"),
        (["TTUCB", "--means", "0.1 0.5", "--epsilon", "-1"], "epsilon must be"),
        (["TTUCB", "--means", "0.1 0.5", "--threshold", "prooven"], "did you mean 'proven'"),
        (["TTUCB", "--means", "0.1 0.5", "--family", "gausian"], "did you mean 'gaussian'"),
        (["TTUCB", "--means", "0.1 0.5", "--plot", "boxes.pdf"], "--plot must name a .png file"),
        (["TTUCB", "--means", "0.1 0.5", "--plot", "nowhere/boxes.png"], "folder that exists"),
        (["TTUCB", "--means", "0.1 0.5", "--plot", "/proc/boxes.png"], "--plot: /proc/boxes.png cannot be written"),
        (["TTUCB", "--problem", "one-sparse", "--arms", "-3"], "arms must be a whole number of at least 2, not -3"),
        (["TTUCB", "--problem", "random", "--runs", str(10**12)], "memory"),
        (["TTUCB", "--means", "0.1 0.5", "--max-samples", str(10**30)], "max_samples must be at most"),
        (
            ["TTUCB", "--means", "0.1 0.5", "--scale", "2"],
            "family poisson, exponential and gamma",
        ),
        (["TTUCB", "--means", "0.1 0.5", "--family", "bounded", "--spread", "2"], "spread must be at most 1"),
    ],
)
def test_command_line_refuses(arguments, words):
    result = CliRunner().invoke(main, ["simulate", *arguments])
    assert result.exit_code == 2, result.output
    assert words in " ".join(result.output.split())
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--plot", "curves.pdf"], "--plot must name a .png file"),
        (["--plot", "nowhere/curves.png"], "folder that exists"),
        (["--plot", "/proc/curves.png"], "--plot: /proc/curves.png cannot be written"),
        (["--x", "nosuch"], "--x 'nosuch' is unknown"),
    ],
)
def test_a_sweep_refuses_a_figure_before_it_runs(arguments, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, ["sweep", "TTUCB", "--means", "0 2", "--runs", "3", *arguments])
    assert result.exit_code == 2, result.output
    assert words in " ".join(result.output.split())
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("family", "means", "words"),
    [
        ("bernoulli", [0.5, 1.5], "means must lie between 0 and 1 under Bernoulli"),
        ("poisson", [-1.0, 2.0], "means must be at least 0"),
        ("exponential", [0.0, 2.0], "means must be above 0"),
        (tt.Poisson(scale=0.0), [1.0, 2.0], "scale must be a finite number above 0"),
        (tt.Gaussian(sigma=[1.0, 2.0, 3.0]), [1.0, 2.0], "one for each of the 2 arms, not 3"),
        (tt.Gaussian(sigma=[1.0, -2.0]), [1.0, 2.0], "sigma must be a finite number above 0"),
    ],
)
def test_families_refuse(family, means, words):
    with pytest.raises(tt.InputError, match=words):
        tt.simulate("TTUCB", means, family=family, runs=1, engine="python")


def test_equal_best_arms_are_simulated_with_a_budget():
    result = tt.simulate("TTUCB", [0.5, 0.5, 0.1], max_samples=60, runs=3, engine="python")
    assert not result.decided.any()
    assert not result.wrong.any()
    assert result.stopping_times.tolist() == [60, 60, 60]


def test_more_threads_than_runs_are_not_started():
    assert tt.simulate("TTUCB", [0.1, 0.9], runs=2, engine="python", threads=10**9).runs == 2


def test_what_only_simulations_use_stays_out_of_sight():
    shown = {
        "GaussianUnknownVariance()": tt.GaussianUnknownVariance(),
        "GaussianUnknownVariance(sigma=2.0)": tt.GaussianUnknownVariance(2.0),
        "Bounded(low=0.0, high=5.0)": tt.Bounded(0.0, 5.0),
        "Bounded(low=0.0, high=1.0, spread=0.5)": tt.Bounded(spread=0.5),
    }
    assert list(map(repr, shown.values())) == list(shown)


@pytest.mark.parametrize("direction", ["maximize", "minimize"])
@pytest.mark.parametrize(
    ("family", "bad", "good", "words"),
    [
        (tt.Bernoulli(), 1.5, 1.0, "arm 'a' must be 0 or 1 under .*, not 1.5"),
        (tt.Poisson(), -1.0, 3.0, "arm 'a' must be a whole number of at least 0"),
        (tt.Poisson(), 0.5, 0.0, "whole number"),
        (tt.Exponential(), 0.0, 0.1, "arm 'a' must be a number above 0"),
    ],
)
def test_a_value_outside_the_support_is_refused_and_changes_nothing(family, bad, good, words, direction):
    study = tt.create_study(["a", "b"], family=family, direction=direction)
    pull = study.ask()
    with pytest.raises(tt.InputError, match=words):
        study.tell(pull, bad)
    assert study.pending == [pull]
    assert study.verdict.pulls == 0
    study.tell(pull, good)
    assert study.verdict.pulls == 1
    with pytest.raises(tt.MeasurementError, match=words):
        tt.identify(lambda arm: bad, ["a", "b"], family=family, direction=direction)


@pytest.mark.parametrize(("family", "low", "high"), [("bernoulli", 0.1, 0.8), ("poisson", 1, 6), ("exponential", 1, 8)])
def test_the_lowest_mean_is_found_too(family, low, high):
    law, source = tt.families.FAMILIES[family](), tt.streams.Random([3])
    means = {"a": high, "b": low, "c": high}

    def measure(arm):
        return law.reward(0, means[arm], tt.streams.next_word(source.position, 0))

    verdict = tt.identify(measure, ["a", "b", "c"], family=family, direction="minimize", delta=0.01)
    assert (verdict.arm, verdict.decided, verdict.ranked()[0].arm) == ("b", True, "b")


def test_command_line_families():
    run = CliRunner().invoke
    good = run(main, ["simulate", "TTUCB", "--means", "0.2 0.9", "--family", "bernoulli", "--runs", "5", "--json"])
    assert good.exit_code == 0, good.output
    per_arm = run(
        main, ["simulate", "uniform", "--means", "0 3", "--sigma", "1 2", "--runs", "3", "--engine", "python"]
    )
    assert per_arm.exit_code == 0, per_arm.output
    bad = run(main, ["simulate", "TTUCB", "--means", "0.2 0.9", "--family", "bernoulli", "--sigma", "2"])
    assert bad.exit_code == 2
    assert "--sigma belongs to the family gaussian" in " ".join(bad.output.split())
