"""Commands as they are given: scans, lists, names, and slips that are refused with a remedy."""

import pytest

from toptwo.errors import InputError
from toptwo.racing.commands import combinations, expand, fill, listed, scan


def names(*arguments, **options):
    return [command.name for command in expand(*arguments, **options)]


def test_every_line_races_with_every_combination():
    sets = combinations([("n", ["1", "2"]), ("m", ["a", "b"])])
    commands = expand(["x {n}{m}", "y {n}"], sets)
    assert [command.line for command in commands][:4] == ["x 1a", "x 2a", "x 1b", "x 2b"]
    assert len(commands) == 8
    assert len({command.name for command in commands}) == 8


def test_equal_commands_get_names_of_their_own():
    assert names(["true", "true", "false"]) == ["true", "true (2)", "false"]


def test_names_are_given_in_order_and_may_hold_parameters():
    assert names(["a", "b", "c"], names=["one", "two"]) == ["one", "two", "c"]
    assert names(["a {n}"], [{"n": "1"}, {"n": "2"}], ["run {n}"]) == ["run 1", "run 2"]
    assert names(["a {n}"], [{"n": "1"}, {"n": "2"}], ["run"]) == ["run (n = 1)", "run (n = 2)"]


def test_values_are_filled_in_once():
    assert fill("{a}{b}", {"a": "{b}", "b": "2"}) == "{b}2"


def test_scans_keep_the_precision_they_were_given():
    assert scan("x", "0", "0.3", "0.1") == ["0.0", "0.1", "0.2", "0.3"]
    assert scan("x", "1", "3", None) == ["1", "2", "3"]


def test_lists_may_hold_commas():
    assert listed("x", r"a\,b,c\d") == ["a,b", r"c\d"]


@pytest.mark.parametrize(
    ("slip", "remedy"),
    [
        (lambda: expand(["true", " "]), "a command is empty"),
        (lambda: scan("n", "1", "x", None), "-P n MIN MAX"),
        (lambda: scan("n", "0.5", "2", None), "add -D STEP"),
        (lambda: scan("n", "3", "1", None), "go upwards"),
        (lambda: scan("n", "1", "1e9", None), "at most 1,000 commands"),
        (lambda: scan("n", "nan", "1", None), "needs numbers"),
        (lambda: listed("n", "a,,b"), "without gaps"),
        (lambda: combinations([("n", ["1"]), ("n", ["2"])]), "given twice"),
        (lambda: expand(["a"], names=["x", "y"]), "2 names for 1 commands"),
        (lambda: expand(["a {n}"] * 2, [{"n": str(n)} for n in range(600)]), "1,200 commands"),
    ],
)
def test_slips_are_refused_with_a_remedy(slip, remedy):
    with pytest.raises(InputError, match=remedy):
        slip()
