"""`toptwo sweep`: what it says before, on the way and after."""

import json
import os
import pty
import subprocess
import sys

import pytest
from click.testing import CliRunner

from toptwo.cli import main

SMALL = ["TTUCB", "uniform", "--problem", "one-sparse", "--arms", "2 3", "--runs", "20", "--max-samples", "200"]
HERE = ["--threshold", "heuristic", "--workers", "1", "--out", "here"]


def run(*arguments, code=0):
    result = CliRunner().invoke(main, ["sweep", *SMALL, *HERE, *arguments])
    assert result.exit_code == code, result.output
    return result


def test_it_shows_the_rows_and_where_they_are(in_folder):
    output = run().output
    assert "4 cells computed in " in output
    assert "one-sparse" in output
    assert output.splitlines()[-1] == "Cells, table and runs: here"
    again = run().output
    assert "computed" not in again


def test_as_json_nothing_else_is_on_the_output(in_folder):
    result = run("--json")
    assert len(json.loads(result.stdout)["rows"]) == 4
    assert "cells computed" in result.stderr


def test_it_goes_on_and_says_what_is_left_to_other_shards(in_folder):
    first = run("--shard", "1/2").output
    assert "Shard 1 of 2 is done" in first
    assert "run the same command without --shard" in first
    assert first.splitlines()[-1] == "Cells: here"
    whole = run().output
    assert "Going on: " in whole
    assert "to compute." in whole


def test_cells_of_other_code_and_spoilt_ones_are_said(in_folder):
    run()
    one, other, *_ = sorted((in_folder / "here" / "cells").glob("*.npz"))
    question, _, code = one.stem.partition("-")
    one.rename(one.with_name(f"{question}-{code[::-1]}.npz"))
    other.write_bytes(b"")
    output = run().output
    aside = f"set aside in {os.path.join('here', 'cells', 'set-aside')}, computed again."
    assert f"1 cell found computed by other code than this: {aside}" in output
    assert f"1 cell found damaged or altered: {aside}" in output
    assert "2 cells computed in " in output


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--engine", "gpu"], "engine"),
        (["--arms", "2.5"], "--arms must be whole numbers"),
        (["--delta", "x"], "--delta must be numbers"),
        (["--shard", "3/2"], "shard must be i/n"),
        (["--dask", "tcp://127.0.0.1:9"], "give --workers or --dask"),
        (["--means", "0.1 0.2"], "either --means or --problem"),
    ],
)
def test_what_makes_no_sense_is_refused(in_folder, arguments, words):
    assert words in " ".join(run(*arguments, code=2).output.split())
    assert not (in_folder / "here").exists()


SLOW = """
import sys, time
import toptwo as tt
from toptwo.sweeps import progress
from toptwo.sweeps.executors import Here

class Slow(Here):
    def submit(self, function, /, work):
        time.sleep(0.1)
        return super().submit(function, work)

if __name__ == "__main__":
    progress.LINE_EVERY = 0.2
    tt.sweep(["uniform"], [0.1, 0.9], runs=12, chunk=1, max_samples=20, out="here", executor=Slow())
"""


def test_a_call_shows_lines_now_and_then(in_folder):
    (in_folder / "slow.py").write_text(SLOW)
    done = subprocess.run([sys.executable, "slow.py"], capture_output=True, text=True)
    lines = done.stderr.splitlines()
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    assert 2 <= len(lines) <= 12
    assert all("of 12 cells" in line and "so far" in line for line in lines), lines


def test_a_call_shows_a_bar_on_a_terminal(in_folder):
    (in_folder / "slow.py").write_text(SLOW)
    inner, outer = pty.openpty()
    settings = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    process = subprocess.Popen([sys.executable, "slow.py"], stderr=outer, stdout=subprocess.DEVNULL, env=settings)
    os.close(outer)
    shown = b""
    try:
        while piece := os.read(inner, 4096):
            shown += piece
    except OSError:  # closed by the other side
        pass
    os.close(inner)
    assert process.wait(60) == 0
    assert "of 12 cells" in shown.decode()
    assert "━" in shown.decode()
