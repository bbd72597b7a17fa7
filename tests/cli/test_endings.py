"""How commands end: interrupts, closed pipes, and files that cannot be written."""

import os
import signal
import subprocess
import sys
import time

import pytest
from click.testing import CliRunner

from toptwo.cli import main

# Interrupts are ignored by what a test runs in the background, so that Python's own handler is set again.
START = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); from toptwo.cli import main"
ENDLESS = ["simulate", "TTUCB", "--means", "0 0.0000001", "--runs", "4"]


def start(arguments, before="", **options):
    command = [sys.executable, "-c", f"{START}\n{before}\nmain()", *arguments]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
    return subprocess.Popen(command, text=True, **pipes)


@pytest.mark.parametrize("engine", ["cpu", "python"])
def test_an_interrupt_before_the_first_run_is_finished(engine):
    process = start([*ENDLESS, "--engine", engine], before="print('here', flush=True)")
    assert process.stdout.readline() == "here\n"
    time.sleep(1.0)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    assert (process.returncode, output) == (130, "")
    assert errors == "Interrupted: there is nothing to show yet.\n"


WITH_OUTPUT = [
    ["simulate", "TTUCB", "--means", "0 1", "--runs", "2", "--engine", "python"],
    ["simulate", "TTUCB", "--means", "0 1", "--runs", "2", "--engine", "python", "--json"],
    ["theory", "0.6", "0.5"],
    ["theory", "0.6", "0.5", "--json"],
    ["algorithms"],
    ["algorithms", "--json"],
    ["reproduce", "--list"],
    ["reproduce", "ratio", "--replot"],
    ["--help"],
]


@pytest.mark.parametrize("arguments", WITH_OUTPUT, ids=" ".join)
def test_a_closed_pipe_ends_every_command_alike(in_folder, arguments):
    reading, writing = os.pipe()
    os.close(reading)
    process = start(arguments, stdout=writing)
    os.close(writing)
    _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (1, "")


def test_a_figure_that_cannot_be_written_is_refused_before_the_run():
    began = time.monotonic()
    result = CliRunner().invoke(main, [*ENDLESS, "--plot", "/proc/boxes.png"])
    assert result.exit_code == 2
    assert "--plot: /proc/boxes.png cannot be written" in result.output
    assert time.monotonic() - began < 10.0


def test_markdown_that_cannot_be_written_is_refused_before_the_run(in_folder):
    result = CliRunner().invoke(main, ["reproduce", "fig1a", "--markdown", "/proc/report.md"])
    assert result.exit_code == 2
    assert "--markdown: /proc/report.md cannot be written" in result.output
    assert not list(in_folder.iterdir())


def test_a_figure_that_can_no_longer_be_written_is_named_as_the_user_knows_it(in_folder, monkeypatch):
    def full(source, target):
        raise OSError(28, "No space left on device", str(source))

    monkeypatch.setattr("pathlib.Path.replace", full)
    arguments = ["simulate", "TTUCB", "--means", "0 2", "--runs", "3", "--engine", "python", "--plot", "boxes.png"]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 2
    assert "cannot write boxes.png: No space left on device." in result.output
