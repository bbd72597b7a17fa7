"""Tables in terminals of any width: stacked where they do not fit, no number cut."""

import json
import re

import pytest
from click.testing import CliRunner

from toptwo.cli import main

SIMULATE = ["simulate", "TTUCB", "lilUCB-heuristic", "--means", "0.5 0.1", "--runs", "9", "--engine", "python"]
THEORY = ["theory", "0.625", "0.5", "-0.45"]


def shown(arguments, width):
    result = CliRunner().invoke(main, arguments, env={"COLUMNS": str(width)})
    assert result.exit_code == 0, result.output
    assert max(map(len, map(str.rstrip, result.output.splitlines()))) <= width
    assert "…" not in result.output
    return result.output


def numbers(output):
    return sorted(re.findall(r"\d[\d,.]*", output))


@pytest.mark.parametrize("arguments", [SIMULATE, THEORY], ids=["simulate", "theory"])
@pytest.mark.parametrize("width", [30, 40, 60])
def test_narrow_tables_hold_the_numbers_of_wide_ones(arguments, width):
    names = {"0.5"} if arguments is THEORY else {"95", "99"}  # of headings, which stand once in a wide table
    wide, narrow = (
        [number for number in numbers(shown(arguments, columns)) if number not in names] for columns in (200, width)
    )
    assert narrow == wide


def test_the_tail_is_shown_where_there_is_room():
    for width, tail in ((120, ["95 %", "99 %", "longest"]), (80, ["99 %"])):
        head, *_ = shown(SIMULATE, width).splitlines()
        assert [name for name in ("95 %", "99 %", "longest") if name in head.replace("[95 %]", "")] == tail
    assert "ratio of means" in shown(SIMULATE, 120)
    assert "ratio of means" not in shown(SIMULATE, 80)


def test_algorithms_are_readable_at_80_columns():
    listed = {row["name"]: row for row in json.loads(shown(["algorithms", "--json"], 1000))}
    lines = shown(["algorithms"], 80).splitlines()
    for name, row in listed.items():
        place = next(number for number, line in enumerate(lines) if line.split()[:1] == [name])
        assert f"{row['what']} ({row['paper']})" in lines[place]
        assert lines[place + 1].split()[:1] == ["δ-correct"]
    wide = shown(["algorithms"], 200).splitlines()
    assert len([line for line in wide if line.split()[:1] == ["TTUCB"] and "Jourdan & Degenne 2023" in line]) == 1


def test_one_run_has_no_standard_error():
    output = shown([*SIMULATE[:-4], "--runs", "1", "--engine", "python"], 80)
    assert re.search(r"TTUCB +\d+ ± – ", output)
    assert "nan" not in output


@pytest.mark.parametrize("arguments", [["simulate", "TTUCB", "--means", "0 1", "--runs", "1", "--engine", "python"]])
def test_json_holds_null_for_what_cannot_be_estimated(arguments):
    def refuse(text):
        raise AssertionError(text)

    result = CliRunner().invoke(main, [*arguments, "--json"])
    assert json.loads(result.output, parse_constant=refuse)["algorithms"][0]["standard_error"] is None
