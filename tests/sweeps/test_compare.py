"""Comparisons: the same rewards for all, and intervals that a pairing earns."""

import json
import math

import numpy as np
import pytest

import toptwo as tt

FAST = {"engine": "python", "threshold": "heuristic", "seed": 3}


@pytest.fixture(scope="module")
def compared():
    return tt.compare(["TTUCB", "uniform"], [0.0, 1.0, 0.4], runs=80, **FAST)


def test_it_is_the_simulations_side_by_side(compared):
    for name in ("TTUCB", "uniform"):
        alone = tt.simulate(name, [0.0, 1.0, 0.4], runs=80, **FAST)
        assert (compared[name].stopping_times == alone.stopping_times).all()
    with pytest.raises(tt.InputError, match="not among the algorithms compared: TTUCB, uniform"):
        compared["T3C"]


def test_paired_statistics_are_those_of_the_runs(compared):
    one, other = compared["uniform"].stopping_times, compared["TTUCB"].stopping_times
    found = compared.difference("uniform", "TTUCB")
    assert found.value == pytest.approx((one - other).mean())
    assert found.high - found.value == pytest.approx(1.959964 * (one - other).std(ddof=1) / math.sqrt(80), rel=1e-6)
    logs = np.log(one / other)
    ratio = compared.typical_ratio("uniform", "TTUCB")
    assert math.log(ratio.value) == pytest.approx(logs.mean())
    assert math.log(ratio.high / ratio.value) == pytest.approx(1.959964 * logs.std(ddof=1) / math.sqrt(80), rel=1e-6)
    assert compared.ratio("uniform", "TTUCB").value == pytest.approx(one.mean() / other.mean())


def test_pairing_narrows_the_interval():
    """A negative control: with other rewards for the one, the interval is that of independent runs."""
    same = tt.compare({"a": "TTUCB", "b": tt.TTUCB(beta=0.45)}, [0.0, 1.0, 0.4], runs=200, **FAST)
    first, second = same["a"].stopping_times, same["b"].stopping_times
    found = same.difference("a", "b")
    independent = 1.959964 * math.sqrt((first.var(ddof=1) + second.var(ddof=1)) / 200)
    assert found.high - found.value < 0.9 * independent


def test_names_are_given_or_numbered():
    given = tt.compare({"half": "TTUCB", "less": tt.TTUCB(beta=0.3)}, [0.0, 2.0], runs=5, **FAST)
    assert given.labels == ("half", "less")
    assert tt.compare(["TTUCB", "TTUCB"], [0.0, 2.0], runs=5, **FAST).labels == ("TTUCB", "TTUCB (2)")


def test_problems_by_name_array_and_function():
    def drawn(arms, seed):
        return np.random.default_rng(seed).normal(size=arms)

    by_function = tt.compare(["uniform"], drawn, arms=4, runs=6, max_samples=200, **FAST)
    means = by_function["uniform"].means
    assert means.shape == (6, 4)
    assert len({row.tobytes() for row in means}) == 6, "each run has an instance of its own"
    assert (tt.compare(["uniform"], means, max_samples=200, **FAST)["uniform"].means == means).all()
    assert tt.compare(["uniform"], "one-sparse", arms=3, runs=2, **FAST)["uniform"].means.shape == (2, 3)


@pytest.mark.parametrize(
    ("arguments", "options", "sentence"),
    [
        (("TTUCB", [0.0, 1.0]), {}, "algorithms must be a list"),
        (([], [0.0, 1.0]), {}, "algorithms must be a list"),
        ((["TTUCB"], "nix"), {}, "problem 'nix' is unknown"),
        ((["TTUCB"], [0.0, 1.0]), {"arms": 3}, "leave it out"),
        ((["TTUCB"], [[0.0, 1.0]] * 3), {"runs": 4}, "one row per run"),
        ((["TTUCB"], lambda arms, seed: np.zeros(2 + seed % 2)), {"runs": 9}, "as many means each time"),
    ],
)
def test_what_makes_no_sense_is_said(arguments, options, sentence):
    with pytest.raises(tt.InputError, match=sentence):
        tt.compare(*arguments, **options)


def test_it_prints_plots_and_travels(compared, tmp_path):
    text = str(compared)
    assert "against TTUCB" in text
    head = text.splitlines()[0].split("  ")
    assert [name.strip() for name in head if name.strip()][3:6] == ["95 %", "99 %", "longest"]
    assert f"{compared['uniform'].stopping_times.max():,}" in text
    ratio = compared.ratio("uniform", "TTUCB")
    assert "ratio of means [95 %]" in text
    assert f"× {ratio.value:.3f} [{ratio.low:.3f}, {ratio.high:.3f}]" in text
    assert compared.plot(tmp_path / "boxes.png").read_bytes().startswith(b"\x89PNG")
    data = json.loads(compared.to_json())
    assert data["algorithms"][1]["longest"] == compared["uniform"].stopping_times.max()
    assert data["algorithms"][1]["typical_ratio_to_first"][0] > 1.0
    assert data["algorithms"][1]["ratio_to_first"] == pytest.approx(list(ratio))
    frame = compared.to_pandas()
    assert len(frame) == 160
    assert frame[frame.algorithm == "uniform"].samples.tolist() == compared["uniform"].stopping_times.tolist()


def test_equal_best_means_have_no_bound():
    compared = tt.compare(["uniform"], [0.5, 0.5], runs=3, max_samples=20, **FAST)
    assert compared.lower_bound == 0.0
    assert json.loads(compared.to_json())["algorithms"][0]["multiple_of_lower_bound"] is None
