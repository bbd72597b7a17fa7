"""Programs as child processes: what is measured is theirs alone, and nothing of them stays."""

import os
import random
import re
import signal
import sys
import time

import pytest

from toptwo.errors import InputError, MeasurementError
from toptwo.racing import children
from toptwo.racing.api import run as race
from toptwo.racing.commands import Command, expand
from toptwo.racing.executors.direct import Direct, Streams
from toptwo.racing.executors.shell import Shell
from toptwo.racing.exporters.json import schema_one
from toptwo.racing.metrics import KNOWN, WALL_CLOCK
from toptwo.racing.options import Budget, RaceQuestion, RaceSettings
from toptwo.racing.outcome import Outcome
from toptwo.racing.strays import Strays
from toptwo.racing.strays import children as our_children
from toptwo.racing.units import Margin

STDOUT, MEMORY = KNOWN["stdout"], KNOWN["memory_peak_resident"]


@pytest.fixture
def direct():
    executor = Direct()
    yield executor
    executor.close()


@pytest.fixture
def strays():
    with Strays() as found:
        yield found


def run(executor, line, metric=WALL_CLOCK, limit=None):
    return executor.run(Command(line, line), metric, limit)


def is_gone(number):
    """Whether a process has ended, zombies included; it may take the kernel a moment."""
    for _ in range(200):
        try:
            with open(f"/proc/{number}/stat") as file:
                if file.read().rsplit(")", 1)[1].split()[0] in "ZX":
                    return True
        except FileNotFoundError:
            return True
        time.sleep(0.01)
    return False


def test_what_ends_well_and_what_does_not(direct):
    assert run(direct, "true").exit_code == 0
    assert run(direct, "sh -c 'exit 7'").exit_code == 7
    assert run(direct, "sh -c 'kill -9 $$'").exit_code == -signal.SIGKILL


def test_processor_time_is_the_childs_alone(direct):
    """Seconds that this process burns before do not count; those that the child and its own children burn do."""
    began = time.process_time()
    while time.process_time() < began + 0.2:
        pass
    outcome = run(direct, "true")
    assert outcome.user + outcome.system < 0.1
    burn = "import time\nwhile time.process_time() < 0.15: pass"
    busy = run(direct, f"sh -c '{sys.executable} -c \"$0\"; true' '{burn}'")
    assert 0.15 <= busy.user + busy.system < 5.0


def test_peak_memory_is_the_childs_alone(direct, strays):
    """The kernel adds the starter's memory until the program is loaded; a small process in between keeps it out."""
    assert run(direct, "true", MEMORY).memory < 6 << 20 < children.own_peak()
    large = run(direct, f"{sys.executable} -c 'bytearray(300_000_000)'", MEMORY).memory
    assert 300_000_000 < large < 350_000_000
    assert run(direct, "true").memory is None, "without it, ours would be told instead"


def test_a_timeout_ends_the_whole_group(direct, tmp_path):
    note = tmp_path / "numbers"
    script = f"sleep 300 & echo $! > {note}; sleep 300"
    began = time.monotonic()
    outcome = run(direct, f'sh -c "{script}"', limit=0.3)
    assert outcome.timed_out
    assert outcome.exit_code is None
    assert 0.3 <= outcome.wall < 5.0
    assert time.monotonic() - began < 10.0
    assert is_gone(int(note.read_text()))


def test_a_child_that_is_left_behind_is_ended_and_counted(direct, strays, tmp_path):
    note = tmp_path / "number"
    outcome = run(direct, f'sh -c "sleep 300 & echo $! > {note}"')
    assert (outcome.exit_code, outcome.left) == (0, 1)
    assert is_gone(int(note.read_text()))


def test_a_daemon_with_a_session_of_its_own_is_ended_too(direct, strays, tmp_path):
    note = tmp_path / "number"
    daemon = (
        f"import os; os.setsid(); open('{note}', 'w').write(str(os.getpid())); os.execvp('sleep', ['sleep', '300'])"
    )
    strays.tolerate()
    run(direct, f'sh -c \'{sys.executable} -c "$0" & while ! test -s {note}; do :; done\' "{daemon}"')
    number = int(note.read_text())
    assert number in our_children(), "it has left the group, so that killing the group did not reach it"
    assert strays.end(3) == {3: 1}
    assert is_gone(number)


def test_a_flood_is_stopped_with_a_remedy(direct):
    with pytest.raises(MeasurementError, match="16 MiB of output where a number was expected: print the number alone"):
        run(direct, "yes", STDOUT)


def test_a_pipe_takes_all_output_and_keeps_none():
    executor = Direct(Streams(output="pipe"))
    assert run(executor, "head -c 3000000 /dev/zero").output == b""
    executor.close()


def test_a_file_that_cannot_be_run_is_named_with_the_remedy(direct, tmp_path):
    text, script = tmp_path / "text", tmp_path / "script"
    text.write_text("hello")
    with pytest.raises(InputError, match="it is not executable"):
        direct.odd(Command("it", str(text)))
    script.write_text("hello")
    script.chmod(0o755)
    with pytest.raises(MeasurementError, match="no script with a first line such as #!/bin/sh"):
        run(direct, str(script))


@pytest.mark.parametrize("metric", [WALL_CLOCK, MEMORY])
def test_scripts_that_cannot_run_are_refused_alike_whatever_is_measured(direct, strays, tmp_path, metric):
    def refused(text):
        script = tmp_path / "script"
        script.write_bytes(text)
        script.chmod(0o755)
        with pytest.raises(MeasurementError) as refusal:
            run(direct, str(script), metric)
        return str(refusal.value).removeprefix(f"cannot run '{script}': ")

    assert refused(b"echo 1\n") == "it is no program, and no script with a first line such as #!/bin/sh."
    assert refused(b"") == "it is no program, and no script with a first line such as #!/bin/sh."
    missing = "its first line asks for '/usr/bin/no-such', and there is no such file."
    assert refused(b"#!/usr/bin/no-such -x\necho 1\n") == missing
    assert refused(b"#!/bin/sh\r\necho 1\r\n") == "its first line asks for '/bin/sh\\r', and there is no such file."


@pytest.mark.parametrize("metric", [WALL_CLOCK, MEMORY])
def test_scripts_with_an_interpreter_run_whatever_is_measured(direct, strays, tmp_path, metric):
    script = tmp_path / "script"
    script.write_text("#! /bin/sh\nexit 7\n")
    script.chmod(0o755)
    assert run(direct, str(script), metric).exit_code == 7


def test_output_goes_where_it_is_sent_and_input_comes_from_a_file(tmp_path):
    source, target = tmp_path / "in", tmp_path / "out"
    source.write_text("hello")
    executor = Direct(Streams(str(source), str(target)))
    for _ in range(2):
        run(executor, "cat")
    executor.close()
    assert target.read_text() == "hello"


def test_programs_find_the_usual_signals(direct):
    """Python ignores SIGPIPE; a program in a pipe must not."""
    assert run(direct, "sh -c 'kill -PIPE $$; echo survived'", STDOUT).exit_code == -signal.SIGPIPE


def test_without_handles_of_processes_the_same_is_measured(direct, monkeypatch):
    """macOS has no pidfd: looking again and again does as well."""
    monkeypatch.delattr(os, "pidfd_open")
    assert run(direct, "echo 5", STDOUT).output == b"5\n"
    assert run(direct, "sleep 300", limit=0.2).timed_out
    assert run(direct, "sh -c 'exit 3'").exit_code == 3


def test_the_start_of_a_shell_is_subtracted():
    executor = Shell(["sh"])
    executor.calibrate()
    raw = Shell(["sh"])
    pairs = [(run(executor, "").wall, run(raw, "").wall) for _ in range(41)]
    bare, whole = (sorted(values)[20] for values in zip(*pairs, strict=True))
    assert bare < 0.7 * whole
    assert run(executor, "echo 1 | cat", STDOUT).output == b"1\n"
    executor.close()
    raw.close()


class LoadedShell(Shell):
    """A shell on a machine where everything takes longer from some run on, without a machine."""

    def __init__(self, slower_from=10**9, spread=0.05):
        super().__init__(["sh"])
        self.noise, self.spread, self.slower_from = random.Random(7), spread, slower_from
        self.bare = self.total = 0.0
        self.number = 0

    def execute(self, command, path, words, metric, limit):
        self.number += 1
        load = 3.0 if self.number > self.slower_from else 1.0
        start = 0.001 * load * (1.0 + self.spread * self.noise.uniform(-1.0, 1.0))
        work = float(command.line) * load if command.line else 0.0
        self.bare += 0.0 if command.line else start
        self.total += start + work
        return Outcome(wall=start + work, user=start + work)


def test_the_start_of_a_shell_is_timed_anew_under_load_and_costs_little():
    executor = LoadedShell(slower_from=150)
    executor.calibrate()
    calibrated = executor.bare
    values = [run(executor, "0.01").wall for _ in range(400)]
    assert values[0] == pytest.approx(0.01, rel=0.02)
    assert sum(values[-100:]) / 100 == pytest.approx(0.03, rel=0.005), "by the first calibration it would be 0.032"
    assert executor.bare - calibrated < 0.06 * executor.total
    assert re.search(r"takes [23]\.\d+ ± 0\.\d+ ms \([01]\.\d+ to 3\.\d+ in the course of the race\)", executor.note())
    executor.close()


def test_what_stays_of_an_empty_command_is_neither_a_tie_nor_a_ratio():
    executor = LoadedShell()
    for compare in ("log", "mean"):
        question = RaceQuestion(compare=compare, margin=Margin(2.0, "%") if compare == "log" else Margin(0.1, "ms"))
        result = race(expand(["0.0", "0.0 "]), RaceSettings(question, Budget(most=100)), executor=executor)
        assert result.status == ("undecided" if compare == "log" else "tie")
        assert ("No time that the clock can tell" in str(result)) == (compare == "log")
    assert min(one.value for one in result.runs) < 0.0, "differences need what is below nothing as well"
    assert min(schema_one(result)["results"][0]["times"]) == 0.0
    executor.close()


def test_numbers_of_runs_leave_starts_of_the_shell_out():
    executor = Shell(["sh"])
    executor.calibrate()
    assert [run(executor, "echo $TOPTWO_RUN; sleep 0.03", STDOUT).output for _ in range(3)] == [b"0\n", b"1\n", b"2\n"]
    executor.close()


def test_an_environment_of_random_size_surrounds_each_run(direct):
    sizes = {run(direct, "sh -c 'echo ${#TOPTWO_RANDOM_OFFSET}'", STDOUT).output for _ in range(5)}
    assert len(sizes) > 1
