"""Races at a terminal, as somebody sees them who sits there."""

import json
import os
import pty
import signal
import sys
import time
from pathlib import Path

import pytest


def at_terminal(*words):
    """Return what a race prints on a terminal of its own, and its exit status."""
    number, terminal = pty.fork()
    if not number:
        line = [sys.executable, "-c", "from toptwo.cli import main; main()", "race", *words]
        os.execv(sys.executable, line)
    printed = bytearray()
    while True:
        try:
            part = os.read(terminal, 1 << 16)
        except OSError:  # how Linux says that nobody has the terminal open any more
            break
        if not part:
            break
        printed += part
    os.close(terminal)
    return printed.decode(), os.waitstatus_to_exitcode(os.waitpid(number, 0)[1])


def test_a_terminal_that_closes_ends_the_race_and_its_commands(in_folder):
    """What was measured is saved, although there is nobody to tell."""
    number, terminal = pty.fork()
    if not number:
        words = ["sh -c 'echo $$ > number; sleep 0.05'", "sleep 0.05", "--margin", "0%", "--delta", "1e-12"]
        line = [
            sys.executable,
            "-c",
            "from toptwo.cli import main; main()",
            "race",
            *words,
            "--export-json",
            "kept.json",
        ]
        os.execv(sys.executable, line)
    deadline = time.monotonic() + 30.0
    while time.monotonic() < deadline and not (Path("kept.json").exists() and Path("number").exists()):
        time.sleep(0.02)
    os.close(terminal)
    assert os.waitstatus_to_exitcode(os.waitpid(number, 0)[1]) == 128 + signal.SIGHUP
    assert json.loads(Path("kept.json").read_text())["toptwo"]["why"] == "interrupted"
    assert not Path(f"/proc/{Path('number').read_text().strip()}").exists()


@pytest.mark.parametrize(
    ("words", "who"),
    [
        (["sh -c 'read answer < /dev/tty'", "sleep 0.01"], "sh -c 'read answer < /dev/tty'"),
        (["--prepare", "stty -echo < /dev/tty", "true", "sleep 0.01"], "--prepare 'stty -echo < /dev/tty'"),
    ],
)
def test_who_asks_at_the_terminal_is_named_and_does_not_hang(words, who):
    printed, status = at_terminal(*words)
    assert f"Error: {who} asks for something at the terminal and waits" in " ".join(printed.split())
    assert status == 1


def test_something_is_said_while_the_first_command_runs():
    printed, status = at_terminal("sleep 0.3", "sleep 0.01", "-r", "1")
    assert printed.startswith("2 commands: the first one runs\r\x1b[2K")
    assert status == 4
