"""What commands leave behind when a library races them: ended by its mark, and nobody else's processes with it."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

import toptwo as tt
from toptwo.racing import strays
from toptwo.racing.api import run
from toptwo.racing.commands import expand
from toptwo.racing.options import Budget, Hooks, RaceSettings

DAEMON = """
import os, sys
if os.fork():
    while not os.path.exists(sys.argv[1] + "." + os.environ["TOPTWO_RUN"]):
        pass
    os._exit(0)
os.setsid()
if os.fork():
    os._exit(0)
with open(sys.argv[1] + ".new." + os.environ["TOPTWO_RUN"], "w") as file:
    file.write(str(os.getpid()))
os.rename(file.name, sys.argv[1] + "." + os.environ["TOPTWO_RUN"])
os.execvp("sleep", ["sleep", "300"])
"""


def lives(number):
    try:
        return Path(f"/proc/{number}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def wait_until_gone(numbers):
    deadline = time.monotonic() + 10.0
    while any(lives(number) for number in numbers) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not any(lives(number) for number in numbers)


@pytest.fixture
def daemon(in_folder):
    Path("daemon.py").write_text(DAEMON)
    return f"{sys.executable} -S daemon.py number"


@pytest.mark.parametrize("metric", ["time", "memory"])
def test_daemons_of_commands_are_ended_and_told_by_name(daemon, metric):
    result = tt.race({"daemon": daemon, "fine": "true"}, runs=3, metric=metric)
    numbers = [int(path.read_text()) for path in Path().glob("number.*")]
    assert len(numbers) == 3
    assert wait_until_gone(numbers)
    assert "daemon left 3 processes running, which were ended." in str(result)
    assert "fine left" not in str(result)


def test_processes_of_others_are_left_alone(daemon):
    """Whoever uses the library may start processes meanwhile, in the same process and in others."""
    mine = subprocess.Popen(["sleep", "300"])
    during = []
    try:
        result = run(
            expand([daemon, "true"]), RaceSettings(budget=Budget(runs=2)), watchers=[Starter(during)], alone=False
        )
        assert len(result.runs) == 4
        assert len(during) == 4
        assert all(process.poll() is None for process in (mine, *during))
    finally:
        for process in (mine, *during):
            process.kill()
            process.wait()


class Starter:
    """Somebody who starts a process after every run."""

    def __init__(self, started):
        self.started = started

    def begin(self, race):
        pass

    def look(self, race):
        self.started.append(subprocess.Popen(["setsid", "sleep", "300"]))

    def finish(self, result):
        pass


def test_a_server_of_a_hook_lives_until_the_end_and_no_longer(in_folder):
    serve = "test -s number || { setsid sleep 300 & echo $! > number; }"
    probe = "sh -c 'kill -0 $(cat number)'"
    result = run(expand([probe, "true"]), RaceSettings(budget=Budget(runs=3), hooks=Hooks(prepare=(serve,))))
    assert (result.why, len(result.runs)) == ("decided", 6)
    assert wait_until_gone([int(Path("number").read_text())])
    assert "left" not in "".join(result.notes)


def test_looking_for_marks_takes_a_small_share_of_the_time(monkeypatch):
    looks = []
    monkeypatch.setattr(strays, "marked", lambda mark: looks.append(time.sleep(0.02)) or {})
    with strays.Strays(False, ending=False, marking=True) as found:
        began = time.monotonic()
        while time.monotonic() < began + 0.5:
            found.end(0)
        assert len(looks) == 1
    assert len(looks) == 2
