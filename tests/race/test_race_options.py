"""Questions, metrics and budgets: what fits together, and what is refused with a remedy."""

import pytest

from toptwo.errors import InputError, MeasurementError
from toptwo.racing import options, units
from toptwo.racing.executors.direct import Streams
from toptwo.racing.metrics import number_at, number_printed, parse_metric
from toptwo.racing.options import Budget, ask, check_budget
from toptwo.racing.units import parse_margin


def question(metric="time", **given):
    margin = given.pop("margin", None)
    return ask(parse_metric(metric), margin=None if margin is None else parse_margin(margin), **given)


def test_times_are_compared_as_ratios_and_own_numbers_as_they_are():
    assert (question().compare, question().epsilon) == ("log", 0.02)
    assert (question("stdout").compare, question("stdout").epsilon) == ("mean", 0.0)
    assert [question(name).compare for name in ("cpu", "user", "system")] == ["log", "mean", "mean"]
    assert question("user", margin="2%").compare == "log"
    assert (question("memory", margin="1MiB").compare, question("memory", margin="1MiB").epsilon) == ("mean", 2.0**20)
    assert question(margin="5%", compare="mean").relative
    assert (question("stdout", margin="5%").compare, question("stdout", margin="0.5").epsilon) == ("log", 0.5)


@pytest.mark.parametrize(
    ("slip", "remedy"),
    [
        (lambda: question(margin="5"), "needs a unit: 2%, or an amount in ns, us"),
        (lambda: question(margin="5kg"), "does not fit wall time"),
        (lambda: question(margin="5MB"), "does not fit wall time"),
        (lambda: question(margin="5ms", compare="log"), "need one such as 2%"),
        (lambda: question(margin="2ms", compare="wins"), "a share of blocks such as 5%"),
        (lambda: question(margin="60%", compare="wins"), "less than 50%"),
        (lambda: question(compare="median"), "mean, log or wins"),
        (lambda: question(delta=5.0), "5 % is 0.05"),
        (lambda: parse_margin("-2%"), "must not be negative"),
        (lambda: parse_margin("100%"), "less than 100%"),
        (lambda: parse_margin("two"), "must look like 2% or 5ms"),
        (lambda: units.duration("--max-time", "10 lightyears"), "--max-time is a time"),
        (lambda: units.duration("--max-time", "0"), "more than no time"),
        (lambda: units.error_probability("120%"), "between 0% and 100%"),
        (lambda: units.error_probability("99"), "99 % is written 99%"),
        (lambda: parse_metric("tiem"), "did you mean time?"),
        (lambda: parse_metric("json:"), "needs a key"),
        (lambda: options.exit_codes("one"), "exit codes such as 1,3"),
        (lambda: options.environment(["A"]), "takes NAME=VALUE"),
        (lambda: options.check_streams(Streams("/nowhere")), "no file that can be read"),
        (lambda: options.check_streams(Streams(output="nul")), "or a file such as ./nul"),
        (lambda: check_budget(Budget(runs=5, least=2)), "leave --min-runs and --max-runs out"),
        (lambda: check_budget(Budget(least=5, most=2)), "--min-runs 5 is more than --max-runs 2"),
        (lambda: check_budget(Budget(runs=0)), "--runs must be a whole number of at least 1"),
    ],
)
def test_slips_are_refused_with_a_remedy(slip, remedy):
    with pytest.raises(InputError, match=remedy):
        slip()


def test_numbers_are_read_from_the_last_line_or_from_json():
    assert number_printed(b"nodes 5\n1e3\n\n", "engine") == 1000.0
    assert number_at(b'log\n{"a": [1, {"b": 2.5}]}', "a.1.b", "engine") == 2.5


@pytest.mark.parametrize(
    ("output", "sentence"),
    [
        (b"", "printed no number on its last line: it printed nothing"),
        (b"12\ndone", "its last line is 'done'"),
        (b"nan", "no number"),
    ],
)
def test_output_without_a_number_is_named(output, sentence):
    with pytest.raises(MeasurementError, match=sentence):
        number_printed(output, "engine")


@pytest.mark.parametrize(
    ("output", "sentence"),
    [(b"12 apples", "printed no JSON"), (b'{"b": 1}', "there is no 'a' in it"), (b'{"a": true}', "no finite number")],
)
def test_json_without_the_number_is_named(output, sentence):
    with pytest.raises(MeasurementError, match=sentence):
        number_at(output, "a", "engine")


def test_amounts_read_well():
    shown = [units.amount(value, "second") for value in (0.0, 1.5e-7, 0.0123456, 59.96, 4000.0)]
    assert shown == ["0 s", "150 ns", "12.35 ms", "59.96 s", "1.111 h"]
