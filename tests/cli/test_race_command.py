"""`toptwo race` from outside: exit statuses, what it prints, and that nothing stays behind."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from toptwo.cli import main

# Interrupts are ignored by what a test runs in the background, so that Python's own handler is set again.
START = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); from toptwo.cli import main; main()"


def start(*arguments, **options):
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen([sys.executable, "-c", START, "race", *arguments], **pipes | options)


def race(*arguments, **options):
    process = start(*arguments, **options)
    output, errors = process.communicate(timeout=100)
    return process.returncode, output, errors


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "name the commands to race"),
        (["true"], "at least two commands"),
        (["true", "no-such-program"], "cannot run 'no-such-program': there is no such program on PATH"),
        (["true", "./missing"], "cannot run './missing': there is no such file."),
        (["true", "/"], "cannot run '/': it is a folder."),
        (["true", "echo 'a"], 'cannot read "echo \'a": no closing quotation.'),
        (["true", "false", "--margin", "2"], "--margin 2 needs a unit"),
        (["true", "false", "--metric", "tiem"], "did you mean time?"),
        (["true", "false", "-N", "-S", "sh"], "leave one of them out"),
        (["true", "false", "-S", "no-such-shell"], "there is no shell 'no-such-shell'"),
        (["true", "false", "--delta", ".1", "--confidence", "90%"], "say the same"),
        (["true", "false", "--items", "missing"], "--items: missing cannot be read"),
        (["true", "false", "--export-json", "/proc/x.json"], "--export-json: /proc/x.json cannot be written"),
        (["true", "false", "--export-csv", "-", "--export-json", "-"], "only one file can be printed"),
        (["true", "false", "-p", "a", "-p", "b", "-p", "c"], "--prepare is given 3 times for 2 commands"),
        (["true", "false", "-D", "2"], "add -P VAR MIN MAX"),
        (["true", "--import", "x.json"], "leave the commands out"),
        (["true", "false", "--metric", "returned"], "--metric stdout"),
        (["true", "false", "--timeout", "1s", "--maximize"], "leave one of them out"),
    ],
)
def test_what_makes_no_sense_runs_nothing_and_names_the_remedy(in_folder, arguments, sentence):
    result = CliRunner().invoke(main, ["race", *arguments])
    assert result.exit_code == 2
    assert sentence in result.output
    assert not list(in_folder.iterdir())


def test_a_winner_and_its_files(in_folder):
    status, output, errors = race("sleep 0.05", "true", "--export-json", "kept.json", "--export-markdown", "kept.md")
    assert (status, errors) == (0, "")
    assert re.match(r"true is fastest, 9\d(\.\d+)? % confidence: \d+\.\d+× faster than sleep 0.05 \[", output)
    content = json.loads(Path("kept.json").read_text())
    assert content["toptwo"]["winner"] == "true"
    assert Path("kept.md").read_text().startswith("| Command |")
    status, output, _ = race("--import", "kept.json")
    assert status == 0
    assert "which found: true is fastest" in output


def test_standard_output_holds_the_file_alone():
    status, output, errors = race("sleep 0.05", "true", "--export-json", "-", "--json-schema", "1")
    assert status == 0
    assert set(json.loads(output)) == {"results", "toptwo"}
    assert "true is fastest" in errors


def test_undecided_when_the_time_is_up():
    status, output, _ = race("true", "true", "--max-time", "300ms", "--margin", "0%", "--delta", "1e-9", "-n", "one")
    assert status == 4
    assert "when the time was up" in output
    assert "may be fastest as well" in output


def test_a_failure_ends_with_status_one_and_can_be_ignored():
    status, output, errors = race("true", "sh -c 'exit 3'")
    assert (status, errors.split(":")[:2]) == (1, ["Error", " sh -c 'exit 3' ended with exit code 3"])
    assert "exit code 3" not in output  # why is said once
    for ignore in ("-i", "-i=3", "--ignore-failure=3,4"):
        assert race("true", "sh -c 'exit 3'", ignore, "-r", "2")[0] == 4


def test_a_hanging_command_is_ended_when_the_time_is_up(in_folder):
    began = time.monotonic()
    status, _, _ = race("true", "sh -c 'echo $$ > number; sleep 300'", "--max-time", "500ms")
    assert status == 4
    assert time.monotonic() - began < 30.0
    assert not Path(f"/proc/{Path('number').read_text().strip()}").exists()


def test_children_and_daemons_that_stay_are_ended_and_told(in_folder):
    daemon = "import os; os.setsid(); open('number', 'w').write(str(os.getpid())); os.execvp('sleep', ['sleep', '300'])"
    line = f'sh -c \'{sys.executable} -S -c "$0" & while ! test -s number; do :; done\' "{daemon}"'
    status, output, _ = race(
        "true", "sh -c 'sleep 300 & echo $! > group'", line, "-r", "1", "-n", "t", "-n", "g", "-n", "d"
    )
    assert status == 4
    assert "g left 1 process running, which were ended" in output
    for note in ("group", "number"):
        assert not Path(f"/proc/{Path(note).read_text().strip()}").exists()


def wait_for(path):
    deadline = time.monotonic() + 30.0
    while time.monotonic() < deadline and not path.exists():
        time.sleep(0.02)
    assert path.exists()


def start_endless(ignored=()):
    """Start a race that ends by a signal, when it has saved something; some signals are ignored, as shells do."""
    code = "".join(f"import signal; signal.signal({int(number)}, signal.SIG_IGN); " for number in ignored)
    words = ["race", "sh -c 'echo $$ > number; sleep 0.05'", "sleep 0.05", "--margin", "0%", "--delta", "1e-12"]
    words += ["--export-json", "kept.json", "--cleanup", "touch cleaned"]
    begin = START.replace("main()", "") if signal.SIGINT not in ignored else "from toptwo.cli import main; "
    line = [sys.executable, "-c", begin + code + "main()", *words]
    process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_for(Path("kept.json"))
    wait_for(Path("number"))
    return process


def assert_ended_well(process, status):
    output, errors = process.communicate(timeout=60)
    assert errors == ""
    assert process.returncode == status
    assert "at the interrupt" in output
    assert json.loads(Path("kept.json").read_text())["toptwo"]["why"] == "interrupted"
    assert Path("cleaned").exists()
    assert not Path(f"/proc/{Path('number').read_text().strip()}").exists()


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupt_shows_and_saves_what_was_measured(in_folder, ending):
    process = start_endless()
    time.sleep(0.3)
    process.send_signal(ending)
    assert_ended_well(process, 128 + ending)


def test_a_race_in_the_background_of_a_script_ends_by_sigterm(in_folder):
    """There SIGINT is ignored, and stays so."""
    process = start_endless(ignored=[signal.SIGINT])
    process.send_signal(signal.SIGINT)
    time.sleep(0.3)
    assert process.poll() is None
    process.send_signal(signal.SIGTERM)
    assert_ended_well(process, 128 + signal.SIGTERM)


def test_a_race_under_nohup_outlives_its_terminal(in_folder):
    process = start_endless(ignored=[signal.SIGHUP])
    process.send_signal(signal.SIGHUP)
    time.sleep(0.3)
    assert process.poll() is None
    process.send_signal(signal.SIGTERM)
    assert_ended_well(process, 128 + signal.SIGTERM)


def test_a_signal_that_is_sent_twice_is_one(in_folder):
    """`timeout` sends it to the race, and then to its group."""
    process = start_endless()
    for _ in range(3):
        process.send_signal(signal.SIGTERM)
        time.sleep(0.002)
    assert_ended_well(process, 128 + signal.SIGTERM)


def test_a_command_against_itself_ends_by_a_signal_with_its_status(in_folder):
    process = start("sh -c 'echo $$ > number; sleep 300'", "--self-test")
    wait_for(Path("number"))
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)
    assert process.returncode == 128 + signal.SIGTERM
    assert not Path(f"/proc/{Path('number').read_text().strip()}").exists()


def test_a_command_that_takes_the_folder_away_does_not_lose_the_results(tmp_path):
    place = tmp_path / "gone"
    place.mkdir()
    kept = tmp_path / "kept.json"
    status, _, errors = race("true", f"rm -rf {place}", "-r", "2", "--export-json", str(kept), cwd=place)
    assert status in (0, 4), errors
    assert [len(entry["measurements"]) for entry in json.loads(kept.read_text())["results"]] == [2, 2]


def test_a_folder_of_results_that_goes_costs_the_file_and_not_the_verdict(tmp_path):
    place = tmp_path / "gone"
    place.mkdir()
    kept = place / "kept.json"
    status, output, errors = race("sleep 0.03", f"rm -rf {place}", "--export-json", str(kept))
    assert status == 1
    assert f"rm -rf {place} is fastest" in output
    assert errors == f"Error: {kept} could not be written: No such file or directory.\n"


def test_a_metric_without_a_number_is_named():
    status, _, errors = race("echo five", "echo 6", "--metric", "stdout")
    assert status == 1
    assert "echo five printed no number on its last line: its last line is 'five'" in errors
    status, output, _ = race("echo 5", "echo 6", "--metric", "stdout", "--maximize", "-r", "9")
    assert (status, output[:6]) == (0, "echo 6")
    assert "The same value in every run: echo 5 (5), echo 6 (6)." in output


def test_a_metric_may_be_a_command_that_reads_the_output():
    status, output, _ = race("echo one", "echo three", "--metric", "wc -c", "-r", "9")
    assert (status, output[:8]) == (0, "echo one")


def test_hooks_run_around_every_run(in_folder):
    hooks = ["-s", "echo s{n} >> log", "-p", "echo p{n} >> log", "-C", "echo c{n} >> log", "-c", "echo e{n} >> log"]
    status, _, errors = race("-L", "n", "1,2", "sh -c 'echo {n} >> log'", *hooks, "-r", "1", "-w", "1")
    assert status == 4, errors
    words = Path("log").read_text().split()
    assert words[:2] == ["s1", "s2"]
    assert words[2:8] == ["p1", "1", "c1", "p2", "2", "c2"]
    assert sorted(words[8:14]) == sorted(words[2:8])
    assert words[14:] == ["e1", "e2"]


def test_a_server_of_setup_lives_until_the_end_and_no_longer(in_folder):
    probe = "sh -c 'kill -0 $(cat number)'"
    status, _, errors = race(probe, "true", "-s", "test -s number || { sleep 300 & echo $! > number; }", "-r", "2")
    assert status == 4, errors
    assert not Path(f"/proc/{Path('number').read_text().strip()}").exists()


def test_words_of_the_shell_without_a_shell_are_pointed_out():
    _, output, _ = race("echo a | cat", "true", "-r", "1")
    assert "echo a | cat: | is handed to the program as it stands; if a shell is meant, add -S sh." in output
    status, output, errors = race("exit 0 | true", "true", "-S", "sh", "-r", "1")
    assert status == 4, errors
    assert re.search(r"Starting sh takes \d+\.\d+ ± \d+\.\d+ ms.* and subtracted\.", output)


def test_a_command_against_itself():
    status, output, errors = race("true", "--self-test", "-r", "5", "--max-time", "20s")
    assert status == 0, errors
    said = r"40 races of true against itself, \d+ runs: \d+ false winners?; at most 5 % of races may have one."
    assert re.match(said, output)
    assert "Nothing speaks against verdicts of this machine." in output


def test_a_few_races_clear_no_machine():
    status, output, errors = race("sleep 0.05", "--self-test", "-r", "5", "--max-time", "1s")
    assert status == 4, errors
    assert "Too few races to tell: 20 at least" in output
    assert "Nothing speaks" not in output


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("true", "--self-test", "--export-json", "x.json"), "--export-json does nothing with --self-test"),
        (("true", "false", "--self-test"), "leave the other 1 out"),
        (("--import", "x.json", "--margin", "1%"), "--margin does nothing with --import"),
        (("--import", "x.json", "--export-markdown", "x.md"), "--export-markdown does nothing with --import"),
    ],
)
def test_options_that_would_do_nothing_are_refused(arguments, words):
    status, _, errors = race(*arguments)
    assert status == 2
    assert words in errors


def test_scans_of_several_parameters_are_combined():
    status, output, errors = race(
        "echo {n} {m}", "-P", "n", "1", "2", "-P", "m", "4", "5", "-r", "1", "--sort", "command"
    )
    assert status == 4, errors
    shown = [f"echo {n} {m}" for m in (4, 5) for n in (1, 2)]
    assert [name for line in output.splitlines() for name in shown if line.strip().startswith(name)] == shown


def test_the_first_run_begins_at_once(in_folder):
    """Nothing heavy is loaded by then: neither NumPy nor rich, and the processor has done little."""
    code = START.replace("main()", "main(standalone_mode=False)")
    probe = "sh -c 'cat /proc/$PPID/stat /proc/$PPID/maps >> note'"
    process = subprocess.run(
        [sys.executable, "-c", code, "race", probe, "true", "-r", "1"], capture_output=True, text=True
    )
    assert process.returncode == 4, process.stderr
    stat, *maps = Path("note").read_text().splitlines()
    ticks = sum(map(int, stat.rsplit(")", 1)[1].split()[11:13]))
    assert ticks / os.sysconf("SC_CLK_TCK") < 0.3
    loaded = {part for line in maps for part in line.split("/")}
    assert not loaded & {"numpy", "scipy", "numba", "matplotlib", "sqlalchemy"}
