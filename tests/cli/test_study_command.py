"""`toptwo study`: list, show, watch, export, upgrade."""

import csv
import importlib
import io
import json
import random
import re
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import toptwo as tt
from toptwo.cli import main
from toptwo.study.storages.schema import HEAD
from toptwo.study.workers import worker

OWN_RULE = """
from typing import NamedTuple


class Mine(NamedTuple):
    def next_pull(self, now, random):
        return -1, now.number % len(now.state.means)
"""

OLD = Path(__file__).parents[1] / "data" / "studies-0001.sql"


@pytest.fixture
def url(tmp_path):
    """A database with a study that is over and one that is not."""
    place, noise = f"sqlite:///{tmp_path / 'studies.db'}", random.Random(1)
    done = tt.create_study(["a", "b"], storage=place, study_name="done", family=tt.Gaussian(0.5))
    done.optimize(lambda arm: {"a": 0.0, "b": 1.0}[arm] + noise.gauss(0, 0.5), progress=False)
    tt.create_study(["a", "b"], storage=place, study_name="new", family=tt.Gaussian(0.5)).ask(2)
    return place


def run(*words, status=0):
    done = CliRunner().invoke(main, ["study", *words])
    assert done.exit_code == status, done.output
    return done


def test_list_names_every_study_with_how_it_stands(url):
    lines = run("list", "--storage", url).stdout.splitlines()
    assert lines[0].startswith("done: b is best")
    assert lines[1] == "new: Nothing measured yet."


def test_show_prints_the_verdict_and_what_is_under_way(url):
    assert "under way: pull 1 of b" in run("show", "new", "--storage", url).stdout
    shown = run("show", "done", "--storage", url, "--replay").stdout
    assert "Replayed: every decision is the same." in shown
    assert json.loads(run("show", "done", "--storage", url, "--json").stdout)["arm"] == "b"


def test_show_says_who_has_what_and_what_failed(url):
    study = tt.load_study("new", url)
    first, second, third = study.pending[0], study.pending[1], study.ask()
    study.give_back(third)
    study.fail(first, "out of memory\non node 3")
    shown = run("show", "new", "--storage", url).stdout
    assert "failed: pull 0 of a (out of memory\\non node 3): study.retry() or tell it a value\n" in shown
    assert re.search(rf"under way: pull {second.number} of b, with {worker()} since \d{{4}}-\d\d-\d\d \d\d:\d\d", shown)
    assert f"given back: pull {third.number} of " in shown
    assert "under way: pull 0" not in shown
    study.retry()
    assert "given back: pull 0 of a, which is handed out next" in run("show", "new", "--storage", url).stdout


def test_watch_says_that_a_failed_pull_holds_everything_up(url):
    """And goes on once somebody has decided, which here ends the study."""
    study = tt.load_study("new", url)
    study.fail(0, "out of memory")
    code = "import sys; from toptwo.cli import main; main()"
    command = [sys.executable, "-c", code, "study", "watch", "new", "--storage", url, "--every", "0.1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as watching:
        try:
            assert "until somebody decides" in watching.stderr.readline()
            assert "failed: pull 0 of a (out of memory)" in watching.stderr.readline()
            study.retry()
            study.tell(1, 1.0)
            study.optimize(lambda arm: {"a": 0.0, "b": 1.0}[arm], n_pulls=200, progress=False)
            said, _ = watching.communicate(timeout=60)
        finally:
            watching.kill()
    assert "b is best" in said.splitlines()[-1]


def test_a_study_that_cannot_be_read_hides_no_other(url, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "own_rule.py").write_text(OWN_RULE)
    own_rule = importlib.import_module("own_rule")
    options = {"threshold": "mixture", "family": tt.Gaussian(1.0), "storage": url}
    tt.create_study(["a", "b"], study_name="a rule of one's own", algorithm=own_rule.Mine(), **options)
    assert len(run("list", "--storage", url).stdout.splitlines()) == 3
    monkeypatch.delitem(sys.modules, "own_rule")
    (tmp_path / "own_rule.py").unlink()
    first, second, third = run("list", "--storage", url, status=1).stdout.splitlines()
    assert first.startswith("a rule of one's own: the study needs Mine of the module own_rule")
    assert second.startswith("done: b is best")
    assert third.startswith("new: ")


def test_the_storage_may_come_from_the_environment(url, monkeypatch):
    monkeypatch.setenv("TOPTWO_STORAGE", url)
    assert "done" in run("list").stdout


def test_watch_ends_with_the_study(url):
    assert run("watch", "done", "--storage", url).stdout.startswith("b is best")


def test_export_writes_every_pull(url, tmp_path):
    study = tt.load_study("done", url)
    rows = list(csv.DictReader(io.StringIO(run("export", "done", "--storage", url).stdout)))
    assert [float(row["value"]) for row in rows] == [record.value for record in study.pulls]
    run("export", "done", "--storage", url, "--format", "json", "-o", str(tmp_path / "out.json"))
    written = json.loads((tmp_path / "out.json").read_text())
    assert len(written["pulls"]) == len(rows)
    assert written["verdict"]["arm"] == "b"


FULL = """
import resource, signal, sys
from toptwo.cli import main
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, resource.RLIM_INFINITY))
main()
"""


def test_an_export_onto_a_full_disk_names_the_file_and_leaves_the_old_one(url, tmp_path):
    """A limit on the size of files stands for the disk."""
    study = tt.create_study(["a", "b"], storage=url, study_name="long", family=tt.Gaussian(1.0), delta=1e-300)
    study.tell_many([(pull, 1.0 * pull.index) for pull in study.ask(1000)])
    study.storage.close()
    out = tmp_path / "out.csv"
    out.write_text("what was there before")
    before = sorted(path.name for path in tmp_path.iterdir())
    words = ["study", "export", "long", "--storage", url, "-o", str(out)]
    done = subprocess.run([sys.executable, "-c", FULL, *words], capture_output=True, text=True, timeout=120)
    assert done.returncode == 2
    assert f"cannot write {out}: File too large." in done.stderr
    assert out.read_text() == "what was there before"
    assert sorted(path.name for path in tmp_path.iterdir()) == before
    run(*words[1:])
    assert len(out.read_text().splitlines()) == 1001


def test_printing_an_export_onto_a_full_device_is_one_sentence(url):
    code = "from toptwo.cli import main; main()"
    with open("/dev/full", "w") as full:
        words = [sys.executable, "-c", code, "study", "export", "done", "--storage", url]
        done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True, timeout=120)
    assert "cannot write what is printed: No space left" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["show", "none"], "study_name 'none' is unknown"),
        (["export", "done", "-o", "/no/such/folder/x.csv"], "folder that exists"),
        (["list", "--storage", "mysql://x/y"], "not mysql"),
        (["list", "--storage", "studies.db"], "must be a URL"),
        (["list", "--storage", "sqlite:////no/such/folder/x.db"], "file /no/such/folder/x.db, which is not there"),
    ],
)
def test_wrong_words_get_one_sentence(url, words, said):
    done = run(*words, *([] if "--storage" in words else ["--storage", url]), status=2)
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_database_of_the_first_version_is_kept_and_upgraded(tmp_path):
    path = tmp_path / "old.db"
    with sqlite3.connect(path) as old:
        old.executescript(OLD.read_text(encoding="utf-8"))
    old.close()
    url = f"sqlite:///{path}"
    assert "toptwo study upgrade" in run("list", "--storage", url, status=2).stderr
    assert run("upgrade", "--storage", url).stdout == f"Upgraded from revision 0001 to {HEAD}.\n"
    assert run("upgrade", "--storage", url).stdout == "Nothing to do.\n"
    study = tt.load_study("bread", url)
    assert study.verdict.pulls == 12
    assert [report.pulls for report in study.verdict.arms] == [4, 4, 4]


def test_there_is_nothing_to_upgrade_in_an_empty_file(tmp_path):
    (tmp_path / "x.db").touch()
    assert "holds no studies" in run("upgrade", "--storage", f"sqlite:///{tmp_path / 'x.db'}", status=2).stderr


@pytest.mark.parametrize("words", [["list"], ["show", "new"], ["watch", "new"], ["export", "new"], ["upgrade"]])
def test_a_mistyped_file_is_named_and_not_made(url, tmp_path, words):
    mistyped = tmp_path / "stuides.db"
    assert f"{mistyped}, which is not there" in run(*words, "--storage", f"sqlite:///{mistyped}", status=2).stderr
    assert not mistyped.exists()


def test_upgrade_says_that_a_database_is_newer(url, tmp_path):
    with sqlite3.connect(tmp_path / "studies.db") as newer:
        newer.execute("UPDATE toptwo_version SET version_num = '0042'")
    newer.close()
    assert "newer toptwo" in run("upgrade", "--storage", url, status=2).stderr
