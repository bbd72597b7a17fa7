"""Races at a terminal, as somebody sees them who sits there."""

import os
import pty
import sys

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
