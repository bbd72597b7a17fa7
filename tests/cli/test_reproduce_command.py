"""`toptwo reproduce`: what it prints, and what it refuses."""

import shutil
import signal
import subprocess
import sys
import time

import pytest
from click.testing import CliRunner

from toptwo.cli import main
from toptwo.experiments.registry import REGISTRY


def run(*arguments, code=0):
    result = CliRunner().invoke(main, ["reproduce", *arguments])
    assert result.exit_code == code, result.output
    return result.output


def test_the_list_names_every_experiment():
    lines = run("--list").splitlines()
    assert [line.split()[0] for line in lines] == list(REGISTRY)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["fig1c"], "did you mean 'fig1"),
        (["ratio", "--size", "papers"], "did you mean 'paper'"),
        ([], "toptwo reproduce --list"),
        (["ratio", "--threads", "0"], "threads must be"),
        (["ratio", "--engine", "gpu"], "engine"),
        (["ratio", "--seed", "-1"], "seed must be"),
        (["ratio", "--replot"], "run it first, without --replot"),
    ],
)
def test_what_makes_no_sense_is_refused(in_folder, arguments, words):
    output = " ".join(run(*arguments, code=2).split())
    assert words in output


def test_a_folder_that_cannot_be_written(in_folder):
    (in_folder / "file").write_text("in the way")
    assert "cannot write" in run("ratio", "--out", "file/below", code=2)


def test_interrupted_it_says_how_to_go_on(in_folder):
    script = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from toptwo.cli import main; main(['reproduce', 'ties', '--out', 'here', '--threads', '2'])"
    )
    command = [sys.executable, "-c", script]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline().startswith("Report: ")
    patience = time.monotonic() + 60
    while not (in_folder / "here" / "cells").is_dir() and time.monotonic() < patience:
        time.sleep(0.01)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "the same command goes on" in errors


def test_report_path_first_and_last_and_replot(in_folder):
    lines = run("ratio", "--out", "here").splitlines()
    report = in_folder / "here" / "report.html"
    assert lines[0] == lines[-1] == f"Report: {report}"
    figure = in_folder / "here" / "ratio" / "ratio.png"
    before = [report.read_bytes(), figure.read_bytes()]
    figure.unlink()
    report.unlink()
    shutil.rmtree(in_folder / "here" / "cells")
    run("ratio", "--out", "here", "--replot")
    assert [report.read_bytes(), figure.read_bytes()] == before


def test_a_shard_says_what_it_left_and_judges_nothing(in_folder):
    lines = run("ties", "--out", "here", "--shard", "1/40", "--workers", "1").splitlines()
    assert any(line.startswith("Shard 1 of 40 is done") for line in lines)
    assert lines[-1] == "Without a table until all shards are there: ties."
    assert not any("claim" in line for line in lines)
