"""Items: whatever a line of the file holds, it is one word, it is never code, and hooks and metrics get it as well."""

import subprocess
import sys
from pathlib import Path

import pytest

from toptwo.racing.api import run
from toptwo.racing.commands import Command, expand
from toptwo.racing.executors.direct import Direct
from toptwo.racing.items import in_shell
from toptwo.racing.metrics import WALL_CLOCK, parse_metric
from toptwo.racing.options import Budget, Hooks, RaceQuestion, RaceSettings

HARD = ["easy", "a b c", "What's the capital?", 'how many "x"', "$(touch bad)", "`touch bad`; touch bad", "back\\slash"]
HARD += ["*", "-n", "'", '"', "two  spaces", "$HOME", "é ü", "#", "\ttab", "a'b\"c`d$e"]
"""Lines that somebody may write, and that mean something to a shell."""


def test_an_item_is_one_argument_of_a_program(in_folder):
    executor = Direct()
    line = (
        f"{sys.executable} -S -c 'import sys; open(\"told\", \"w\").write(repr(sys.argv[1:]))' {{item}} 'so: {{item}}'"
    )
    for item in HARD[:7]:
        assert executor.run(Command("it", line, item=item), WALL_CLOCK, 30.0).exit_code == 0
        assert Path("told").read_text() == repr([item, f"so: {item}"])
    executor.close()


@pytest.mark.parametrize("shell", ["sh", "bash"])
@pytest.mark.parametrize(
    "line",
    [
        "printf %s {item} > told",
        'printf %s "{item}" > told',
        "printf %s '{item}' > told",
        'X={item}; printf %s "$X" > told',
        'printf %s "$(printf %s "{item}")" > told',
        "(printf '\\'; printf %s {item} > told) > /dev/null",
        "printf \\\"\\'; printf %s {item} > told",
        "case x in x) printf '%s' {item} > told;; esac",
    ],
)
def test_an_item_is_one_word_of_a_shell_and_never_code(shell, line, in_folder):
    for item in HARD:
        surroundings = {"TOPTWO_ITEM": item, "PATH": "/usr/bin:/bin"}
        subprocess.run([shell, "-c", in_shell(line, item)], env=surroundings, capture_output=True, timeout=30)
        assert Path("told").read_text() == item
        assert not Path("bad").exists()


@pytest.mark.parametrize(
    "line", ["echo don\\'t # it's\necho {item}", "cat <<E\nit's {item}\nE", "echo `echo '{item}'`"]
)
def test_an_item_is_no_code_even_where_quotes_are_misread(line, in_folder):
    """In a comment, say: the item may be cut into words there, and nothing more."""
    for item in HARD:
        surroundings = {"TOPTWO_ITEM": item, "PATH": "/usr/bin:/bin"}
        subprocess.run(["sh", "-c", in_shell(line, item)], env=surroundings, capture_output=True, timeout=30)
        assert not Path("bad").exists()


@pytest.mark.parametrize("shell", [None, "sh"])
def test_hooks_and_the_metric_get_the_item_by_its_place_and_by_its_variable(shell, in_folder):
    item = "What's the `capital`?"
    hooks = Hooks(
        prepare=('echo {item} >> log; echo "$TOPTWO_ITEM" >> log',),
        conclude=("echo '{item}' >> log; printenv TOPTWO_ITEM >> log",),
    )
    metric = parse_metric('cat >> log; echo {item} >> log; echo "$TOPTWO_ITEM" >> log; echo 5')
    settings = RaceSettings(RaceQuestion(metric, compare="wins"), Budget(runs=1), hooks, items=(item,))
    result = run(expand(["echo {item}", "printenv TOPTWO_ITEM"]), settings, shell)
    assert (result.why, len(result.runs)) == ("decided", 2)
    assert Path("log").read_text().splitlines() == [item] * 14
    assert [command.line for command in result.commands] == ["echo {item}", "printenv TOPTWO_ITEM"]


def test_ordinary_lines_do_not_break_a_race(in_folder):
    """An apostrophe is no quotation mark of a command."""
    settings = RaceSettings(
        RaceQuestion(parse_metric("stdout")), Budget(runs=3), items=("What's the capital?", "a b c")
    )
    line = f"{sys.executable} -S -c 'import sys; print(len(sys.argv))' {{item}}"
    result = run(expand([line, line + " more"]), settings)
    assert {(run.arm, run.value) for run in result.runs} == {(0, 2.0), (1, 3.0)}


@pytest.mark.parametrize(
    ("line", "items", "why"),
    [
        ("{item}", ("true", "no-such-program"), "cannot run 'no-such-program'"),
        ("echo {item}", ("true", "\0"), "holds a zero byte"),
    ],
)
def test_what_cannot_run_with_an_item_is_a_failed_measurement_and_keeps_the_others(line, items, why):
    result = run(expand([line, "true"]), RaceSettings(items=items, seed=1))
    assert (result.status, result.exit_status) == ("failed", 1)
    assert why in result.why
    assert result.runs
