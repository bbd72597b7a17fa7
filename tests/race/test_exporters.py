"""Files: the keys that hyperfine's own scripts read, in both schemas, and what an import makes of them."""

import csv
import io
import json
import os

import pytest

from toptwo.errors import InputError
from toptwo.racing.commands import Command
from toptwo.racing.exporters import write
from toptwo.racing.exporters.csv import csv_text
from toptwo.racing.exporters.json import json_one, json_two
from toptwo.racing.exporters.markdown import markdown_text
from toptwo.racing.importer import conclusions, read_file
from toptwo.racing.options import RaceQuestion
from toptwo.racing.outcome import Outcome, Run
from toptwo.racing.result import RaceResult
from toptwo.racing.standing import AgainstLeader, RaceStanding


def outcome(wall):
    return Outcome(wall=wall, user=0.8 * wall, system=0.1 * wall, memory=2_000_000)


@pytest.fixture
def result():
    """Two commands, three blocks: b is fastest."""
    commands = (
        Command("a|1", "run a", {"n": "1"}),
        Command("b", "run b", {"n": "2"}),
        Command("c", "run c", {"n": "3"}),
    )
    runs = [
        Run(arm, block, place, wall, outcome(wall), cost=wall)
        for block, (slow, fast) in enumerate([(0.21, 0.1), (0.2, 0.11), (0.19, 0.12)])
        for place, (arm, wall) in enumerate([(0, slow), (1, fast)])
    ]
    pairs = (AgainstLeader(1.82, 1.5, 2.2, 3, True, False), None, None)
    standing = RaceStanding("winner", 1, 0.961, 0.0, (1,), pairs, "what it assumes")
    return RaceResult(RaceQuestion(), commands, tuple(runs), standing, 0.93, started="2026-11-18T00:00:00Z")


def test_schema_two_has_what_the_plotting_scripts_of_version_two_read(result):
    """plot_whisker.py, plot_histogram.py and their like: measurements, summary, name, command; plot_utils.METRICS."""
    content = json.loads(json_two(result))
    assert (content["schema_version"], content["primary_metric"]) == (2, "time_wall_clock")
    assert set(content["metadata"]) >= {"start_time", "platform"}
    entry = content["results"][1]
    assert entry["name"] == "b"
    assert entry["command"] == "run b"
    assert [run["time_wall_clock"]["value"] for run in entry["measurements"]] == [0.1, 0.11, 0.12]
    for metric in ("time_wall_clock", "time_cpu", "time_user", "time_system", "memory_peak_resident"):
        unit = "byte" if metric.startswith("memory") else "second"
        assert entry["measurements"][0][metric]["unit"] == unit
        assert set(entry["summary"][metric]) == {"unit", "count", "mean", "stddev", "median", "min", "max"}
    assert entry["measurements"][0]["exit_code"] == 0
    assert entry["parameters"] == {"n": "2"}
    assert content["results"][2]["measurements"] == []
    assert content["toptwo"]["winner"] == "b"
    assert entry["toptwo"]["blocks"] == [0, 1, 2]


def test_schema_one_has_the_keys_of_hyperfine_1(result):
    """The keys that Debian's hyperfine 1.15 writes, in its order, and ours behind them."""
    entry = json.loads(json_one(result))["results"][0]
    known = ["command", "mean", "stddev", "median", "user", "system", "min", "max", "times"]
    assert list(entry) == [*known, "memory_usage_byte", "exit_codes", "parameters", "toptwo"]
    assert entry["times"] == [0.21, 0.2, 0.19]
    assert entry["mean"] == pytest.approx(0.2)


def test_csv_has_the_columns_of_hyperfine(result):
    head, first, *_, last = csv.reader(io.StringIO(csv_text(result)))
    assert head == ["command", "mean", "stddev", "median", "user", "system", "min", "max", "runs", "parameter_n"]
    assert float(first[1]) == pytest.approx(0.2)
    assert last == ["c", *[""] * 7, "0", "3"]


def test_markdown_keeps_its_columns_whatever_commands_are_called(result):
    lines = markdown_text(result, "ms").split("\n")
    assert lines[0] == "| Command | Mean wall time [ms] | Min [ms] | Max [ms] | Relative | Runs |"
    assert lines[2] == "| `a\\|1` | 200 ± 10 | 190 | 210 | 1.82 [1.50, 2.20] | 3 |"
    assert markdown_text(result, by_value=True).split("\n")[2].startswith("| `b` |")
    assert "b is fastest, 96 % confidence: 1.82× faster than a|1 [1.50, 2.20]" in lines[-2]


def test_a_file_is_replaced_in_one_piece(tmp_path, monkeypatch):
    path = tmp_path / "kept.json"
    write(path, "first")
    monkeypatch.setattr(os, "replace", lambda *names: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(OSError, match="No space left on device") as problem:
        write(path, "second")
    assert problem.value.filename == str(path)
    assert path.read_text() == "first"
    assert [entry.name for entry in tmp_path.iterdir()] == ["kept.json"]


def test_what_was_written_can_be_imported(result, tmp_path):
    two, one = tmp_path / "two.json", tmp_path / "one.json"
    write(two, json_two(result))
    write(one, json_one(result))
    assert [command.values for command in read_file(two).commands] == [(0.21, 0.2, 0.19), (0.1, 0.11, 0.12), ()]
    for path in (one, two):
        assert "interleaved by toptwo race, which found: b is fastest" in conclusions(read_file(path))[0]
    assert read_file(one).commands[0].values == (0.21, 0.2, 0.19)


def test_runs_of_hyperfine_allow_no_verdict_and_drift_in_them_is_told(tmp_path):
    path = tmp_path / "old.json"
    rising = [0.1 + 0.001 * run for run in range(30)]
    results = [{"command": "a", "times": rising}, {"command": "b", "times": [0.15, 0.151, 0.149] * 4}]
    path.write_text(json.dumps({"results": results}))
    said = conclusions(read_file(path))
    assert said[0].startswith("These runs were made one command after the other: no verdict follows")
    assert "a change of the machine by" in said[2]
    assert said[3] == "Something did change: the values of a rose in the course of its own runs."
    assert said[-1] == "To know, race them: toptwo race 'a' 'b'"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{", "is no JSON"),
        ('{"schema_version": 3}', "has schema 3"),
        ("[1]", "has schema None"),
        ('{"results": [{"mean": 1.0}]}', "is not what hyperfine or toptwo writes"),
        ('{"results": [{"command": "a", "mean": 1.0}]}', "only averages"),
        ('{"results": [{"command": "a", "times": ["x"]}]}', "is not what hyperfine or toptwo writes"),
    ],
)
def test_files_of_another_kind_are_refused(tmp_path, text, sentence):
    path = tmp_path / "odd.json"
    path.write_text(text)
    with pytest.raises(InputError, match=sentence):
        read_file(path)
