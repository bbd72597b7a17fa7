"""`toptwo theory`: tables, JSON, negative means, and one line for every mistake."""

import json

import pytest
from click.testing import CliRunner

import toptwo as tt
from toptwo import theory
from toptwo.cli import main
from toptwo.cli.theory import describe


def run(*arguments):
    return CliRunner().invoke(main, ["theory", *map(str, arguments)])


def test_table():
    done = run("0.6", "0.5", "0.45", "--delta", "0.05")
    assert done.exit_code == 0
    for said in ("hardness H", "T*", "TTUCB", "T3C", "uniform", "lower bound", "upper bound", "913.956"):
        assert said in " ".join(done.output.split())


def test_json_holds_the_same_numbers():
    done = run("0.6", "0.5", "0.45", "--delta", "0.05", "--json")
    found = json.loads(done.output)
    means = [0.6, 0.5, 0.45]
    assert found["characteristic_time"] == theory.characteristic_time(means)
    assert found["optimal_allocation"] == theory.optimal_allocation(means).tolist()
    assert found["upper_bounds"]["uniform"]["value"] == theory.upper_bound_uniform(means, 0.05).value
    assert found["plan"] == theory.plan(means, 0.05).to_dict()


@pytest.mark.parametrize("family", ["bernoulli", "poisson", "exponential", "gamma"])
def test_other_families_show_what_is_known_of_them(family):
    done = run("0.6", "0.5", "0.45", "--family", family, "--json")
    found = json.loads(done.output)
    assert found["characteristic_time"] == theory.characteristic_time([0.6, 0.5, 0.45], family=family)
    assert "hardness" not in found
    assert run("0.6", "0.5", "0.45", "--family", family).exit_code == 0


def test_parameters_of_the_law_are_those_of_simulations():
    found = json.loads(run("0.6", "0.5", "--family", "gamma", "--shape", "3", "--json").output)
    assert found["plan"] == theory.plan([0.6, 0.5], 0.05, family=tt.Gamma(shape=3.0)).to_dict()
    assert found["plan"]["parameters"] == {"shape": 3.0, "scale": 1.0}
    found = json.loads(run("0.6", "0.5", "--sigma", "1 0.5", "--json").output)
    assert found["characteristic_time"] == theory.characteristic_time([0.6, 0.5], family=tt.Gaussian([1.0, 0.5]))
    assert "hardness" not in found
    assert run("0.6", "0.5", "--sigma", "1 0.5").exit_code == 0


@pytest.mark.parametrize("arguments", [("-0.6", "-1e-3", "--json"), ("--json", "--", "-0.6", "-1e-3")])
def test_negative_means(arguments):
    done = run(*arguments)
    assert done.exit_code == 0
    assert json.loads(done.output)["plan"]["means"] == [-0.6, -0.001]


def test_margin_allows_two_best_arms():
    done = run("0.5", "0.5", "--epsilon", "0.1", "--json")
    assert json.loads(done.output)["characteristic_time"] == pytest.approx(800.0)


def test_heuristic_threshold_is_labelled():
    assert "without a proof" in " ".join(run("0.5", "0.4", "--threshold", "heuristic").output.split())


def test_bounds_beyond_the_largest_float_are_null_in_json():
    found = json.loads(run("5e-153", "0", "--json").output)
    assert found["upper_bounds"]["TTUCB with g_u"]["value"] is None


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("0.6", "0.6"), "two best arms"),
        (("0.6",), "at least 2 arms"),
        (("0.6", "nan"), "finite"),
        (("0.6", "abc"), "'abc' is none"),
        (("0.6", "0.5", "--dleta", "0.1"), "no such option: --dleta"),
        (("0.6", "0.5", "--delta", "2"), "delta must be a probability"),
        (("0.6", "0.5", "--delta", "x"), "not a valid float"),
        (("0.6", "0.5", "--beta", "0"), "beta must be a probability"),
        (("0.6", "0.5", "--sigma", "-1"), "sigma"),
        (("1.6", "0.5", "--family", "bernoulli"), "between 0 and 1"),
        (("0.6", "0.5", "--family", "bernouli"), "did you mean 'bernoulli'"),
        (("1.6", "0.5", "--family", "bounded"), "between 0 and 1"),
        (("0.6", "0.5", "--family", "gamma", "--sigma", "2"), "--sigma belongs to the family gaussian"),
        (("0.6", "0.5", "--threshold", "foo"), "threshold 'foo' is unknown"),
        ((), "Missing argument"),
    ],
)
def test_mistakes_end_with_status_two_and_no_traceback(arguments, said):
    done = run(*arguments)
    assert done.exit_code == 2
    assert said in " ".join(done.output.split())
    assert "Traceback" not in done.output
    assert isinstance(done.exception, SystemExit)


def test_describe_is_plain_data():
    assert json.dumps(describe((0.6, 0.5)))
