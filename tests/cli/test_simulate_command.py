"""The command line prints what the library computes."""

import json

from click.testing import CliRunner

import toptwo as tt
from toptwo.cli import main


def run(*arguments):
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output
    return result.output


def test_simulate_json_is_the_simulation():
    shown = json.loads(
        run("simulate", "TTUCB", "uniform", "--means", "0.1 1.0,0.5", "--runs", "60", "--engine", "python", "--json")
    )
    result = tt.simulate("TTUCB", [0.1, 1.0, 0.5], delta=0.1, runs=60, engine="python")
    assert [row["algorithm"] for row in shown["algorithms"]] == ["TTUCB", "uniform"]
    assert shown["algorithms"][0]["mean"] == result.stopping_times.mean()
    assert shown["lower_bound"] == float(tt.theory.lower_bound([0.1, 1.0, 0.5], 0.1))


def test_simulate_table_warns_of_the_heuristic():
    output = run(
        "simulate", "TTUCB", "--problem", "one-sparse", "--arms", "2", "--runs", "5", "--threshold", "heuristic",
        "--engine", "python",
    )  # fmt: skip
    assert "no proof" in output
    assert "Lower bound" in output


def test_simulate_saves_a_figure(in_folder):
    run("simulate", "TTUCB", "--means", "0 2", "--runs", "20", "--engine", "python", "--plot", "boxes.png")
    assert (in_folder / "boxes.png").read_bytes().startswith(b"\x89PNG")


def test_undecided_runs_are_shown():
    output = run(
        "simulate",
        "TTUCB",
        "--means",
        "0 0.01",
        "--runs",
        "5",
        "--max-samples",
        "50",
        "--delta",
        "1e-9",
        "--engine",
        "python",
    )
    assert "undecided" in output
    assert "≥ 50" in output


def test_algorithms_lists_the_registry():
    listed = {row["name"] for row in json.loads(run("algorithms", "--json"))}
    assert listed == set(tt.algorithms())
    assert "TTUCB" in run("algorithms")


def test_version_and_help():
    assert tt.__version__ in run("--version")
    assert "simulate" in run("--help")


def test_simulate_with_a_margin():
    output = run(
        "simulate", "TTUCB", "--means", "0.5 0.5 0.1", "--epsilon", "0.3", "--runs", "5", "--engine", "python",
        "--threshold", "HEURISTIC",
    )  # fmt: skip
    assert "–" in output
    assert "no proof" in output
