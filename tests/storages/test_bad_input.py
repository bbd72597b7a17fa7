"""What goes wrong gives one clear sentence, loses nothing, and the same call works once its cause is gone."""

import multiprocessing
import os
import pickle
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from troubles import refused, told

import toptwo as tt
from toptwo.study.storages import get_storage, upgrade_storage


@pytest.fixture
def path(tmp_path):
    return tmp_path / "studies.db"


@pytest.fixture
def url(path):
    return f"sqlite:///{path}"


@pytest.mark.parametrize(
    ("storage", "words"),
    [
        ("studies.db", "must be a URL"),
        ("mysql://host/x", "not mysql"),
        ("sqlite://", "must name a file"),
        ("sqlite:///:memory:", "must name a file"),
        ("sqlite://studies.db", "three slashes: write sqlite:///studies.db"),
        ("postgresql://me@host:abc/x", "port as a number"),
        (3, "must be a URL"),
    ],
)
def test_what_is_no_storage(storage, words):
    refused(lambda: tt.create_study(2, storage=storage), words, tt.InputError)


def test_names_of_studies_are_text(url):
    for name in ("", 3):
        refused(lambda name=name: tt.create_study(2, storage=url, study_name=name), "study_name", tt.InputError)


def test_a_file_that_is_no_database(path, url):
    path.write_bytes(b"these are not the bytes of a database, but a diary of some length" * 40)
    before = path.read_bytes()
    refused(lambda: tt.get_all_study_names(url), "no database, or is damaged")
    assert path.read_bytes() == before
    path.unlink()
    assert tt.create_study(2, storage=url).verdict.pulls == 0


@pytest.mark.parametrize(
    "address", ["sqlite:///{}", "sqlite:///file:{}?mode=ro&uri=true", "sqlite:///file:{}?uri=true"]
)
def test_a_file_that_is_not_there_is_named_and_not_made(path, address):
    """Whoever mistypes a name must not find an empty storage in place of his own."""
    url = address.format(path)
    for use in (
        lambda: tt.load_study("bread", url),
        lambda: tt.get_all_study_names(url),
        lambda: tt.delete_study("bread", url),
        lambda: upgrade_storage(url),
    ):
        assert str(path) in refused(use, "not there", tt.InputError)
        assert not path.exists()
    if "mode=ro" not in address:
        study = told(url, pulls=2)
        assert tt.get_all_study_names(url) == ["bread"]
        study.storage.close()
        kept = pickle.dumps(study)
        path.rename(f"{path}.moved")
        refused(lambda: pickle.loads(kept), "not there", tt.InputError)
        assert not path.exists()


def test_a_database_of_something_else(path, url):
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE songs (title TEXT)")
    other.close()
    refused(lambda: tt.get_all_study_names(url), "something else")


def test_a_database_of_a_newer_version(path, url):
    told(url).storage.close()
    with sqlite3.connect(path) as newer:
        newer.execute("UPDATE toptwo_version SET version_num = '0999'")
    newer.close()
    refused(lambda: tt.load_study("bread", url), "newer toptwo")
    refused(lambda: upgrade_storage(url), "newer toptwo")
    with sqlite3.connect(path) as newer:
        newer.execute("UPDATE toptwo_version SET version_num = '0002'")
    newer.close()
    assert tt.load_study("bread", url).verdict.pulls == 5


def test_an_empty_table_of_versions(path, url):
    told(url).storage.close()
    with sqlite3.connect(path) as emptied:
        emptied.execute("DELETE FROM toptwo_version")
    emptied.close()
    refused(lambda: tt.load_study("bread", url), "toptwo_version is empty")
    refused(lambda: upgrade_storage(url), "toptwo_version is empty")


@pytest.mark.parametrize("damage", ["not JSON", '["of another kind"]', "[1,2,3,4,5,6,7]"])
def test_a_damaged_journal(path, url, damage):
    told(url).storage.close()
    with sqlite3.connect(path) as file:
        (good,) = file.execute("SELECT data FROM toptwo_operations WHERE number = 4").fetchone()
        file.execute("UPDATE toptwo_operations SET data = ? WHERE number = 4", (damage,))
    refused(lambda: tt.load_study("bread", url), "damaged")
    with sqlite3.connect(path) as file:
        file.execute("UPDATE toptwo_operations SET data = ? WHERE number = 4", (good,))
    file.close()
    assert tt.load_study("bread", url).verdict.pulls == 5


DAMAGE = {
    "a row in the middle is gone": ("DELETE FROM toptwo_operations WHERE number = 3", "operation 3 .it is missing"),
    "the first row is gone": ("DELETE FROM toptwo_operations WHERE number = 0", "operation 0 .it is missing"),
    "the last row is gone": ("DELETE FROM toptwo_operations WHERE number = 12", "operation 12 .it is missing"),
    "a pull that nobody asked for is told": ("'told', data = '[77,1.0,null,1]'", "pull 77 was not asked for before"),
    "a pull is told twice": ("'told', data = '[0,1.0,null,1]'", "pull 0 was answered before"),
    "a pull that nobody asked for failed": ("'failed', data = '[9,\"\"]'", "pull 9 was not asked for before"),
    "a pull that nobody asked for came back": ("'given back', data = '[9]'", "pull 9 was not asked for before"),
    "a pull that nobody asked for is lent": ("'leased', data = '[9,null,\"\"]'", "pull 9 was not asked for before"),
    "a value is text": ("'told', data = '[1,\"x\",null,1]'", "TypeError"),
    "there is no such arm": ("'asked', data = '[[7],1,null,[-1,-1,0.0,0],null,\"\"]'", "IndexError"),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_journal_that_makes_no_sense_is_named_with_its_operation(path, url, damage):
    """Whoever opens it, reads or asks is told."""
    handle = told(url)
    pull = handle.ask()
    handle.tell(pull, 1.0)
    handle._journal._stale = True  # as another process that has read nothing yet
    handle.storage.close()
    shutil.copy(path, f"{path}.copy")
    change, words = DAMAGE[damage]
    with sqlite3.connect(path) as file:
        if change.startswith("DELETE"):
            file.execute(change)
        else:
            file.execute(f"UPDATE toptwo_operations SET kind = {change} WHERE number = 4")
    file.close()
    for use in (lambda: tt.load_study("bread", url), lambda: handle.verdict, handle.ask):
        said = refused(use, "damaged at operation")
        assert re.search(words, said)
        assert "'bread'" in said
    handle.storage.close()
    shutil.copy(f"{path}.copy", path)
    assert handle.verdict.pulls == 6
    handle.tell(handle.ask(), 1.0)
    assert tt.load_study("bread", url).replay() == ""


def test_a_history_that_makes_no_sense_is_named_with_its_operation(path, url, monkeypatch):
    """Damage before a snapshot is seen by whoever reads all of the journal."""
    monkeypatch.setattr("toptwo.study.journal.EVERY", 5)
    told(url, pulls=20).storage.close()
    with sqlite3.connect(path) as file:
        file.execute("UPDATE toptwo_operations SET data = '[77,1.0,null,1]' WHERE number = 4")
    file.close()
    study = tt.load_study("bread", url)
    assert study.verdict.pulls == 20
    for use in (lambda: study.pulls, study.replay, study.plot_confidence):
        refused(use, "journal of study 'bread' is damaged at operation 4")
    study.storage.close()


def test_a_snapshot_that_is_damaged_is_not_missed(path, url, monkeypatch):
    monkeypatch.setattr("toptwo.study.journal.EVERY", 5)
    told(url, pulls=20).storage.close()
    with sqlite3.connect(path) as file:
        assert file.execute("UPDATE toptwo_snapshots SET data = substr(data, 1, 300)").rowcount == 1
    file.close()
    assert tt.load_study("bread", url).verdict.pulls == 20


def test_a_damaged_file(path, url):
    told(url, pulls=300).storage.close()
    whole = path.read_bytes()
    path.write_bytes(whole[:8192] + b"\xff" * 4096 * 4 + whole[8192 + 4096 * 4 :])
    refused(lambda: tt.load_study("bread", url).pulls, "damaged")
    path.write_bytes(whole)
    assert tt.load_study("bread", url).verdict.pulls == 300


def test_a_folder_that_does_not_exist(tmp_path):
    url = f"sqlite:///{tmp_path / 'missing' / 'studies.db'}"
    refused(lambda: tt.create_study(2, storage=url), "folder does not exist")
    (tmp_path / "missing").mkdir()
    tt.create_study(2, storage=url)


def test_a_read_only_file_can_be_read(path, url):
    """Root may write anywhere, so the file is opened read-only instead."""
    study = told(url)
    pull = study.ask()
    study.storage.close()
    read_only = tt.load_study("bread", f"sqlite:///file:{path}?mode=ro&uri=true")
    assert read_only.verdict.pulls == 5
    refused(lambda: read_only.tell(pull, 1.0), "read-only")
    assert read_only.verdict.pulls == 5
    read_only.storage.close()
    study.tell(pull, 1.0)
    assert study.verdict.pulls == 6


def as_anybody(call):
    """Return what a call says in a process that may not write where it was not allowed to, as root may."""
    listening, speaking = multiprocessing.Pipe(duplex=False)

    def run():
        if os.getuid() == 0:
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
        try:
            speaking.send(str(call()))
        except tt.StudyError as problem:
            speaking.send(str(problem))

    process = multiprocessing.get_context("fork").Process(target=run)
    process.start()
    process.join(60)
    return listening.recv()


def test_a_file_in_a_read_only_folder_can_be_read_as_the_error_says():
    with tempfile.TemporaryDirectory() as text:
        path = Path(text) / "studies.db"
        told(f"sqlite:///{path}").storage.close()
        path.chmod(0o444)
        path.parent.chmod(0o555)
        said = as_anybody(lambda: tt.load_study("bread", f"sqlite:///{path}"))
        assert "read-only" in said
        (address,) = re.findall(r"sqlite:///file:PATH\S*uri=true", said)
        assert as_anybody(lambda: tt.load_study("bread", address.replace("PATH", str(path))).verdict.pulls) == "5"
        path.parent.chmod(0o755)


FULL = """
import resource, signal, sys
import toptwo as tt

url, limit = sys.argv[1], int(sys.argv[2])
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
study = tt.load_study("bread", url)
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
told = 0
try:
    while True:
        pull = study.ask()
        study.tell(pull, 1.0)
        told += 1
except tt.StudyError as problem:
    said = str(problem)
print(said)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
assert "\\n" not in said
before = study.verdict.pulls
study.tell(study.pending[0] if study.pending else study.ask(), 1.0)
assert study.verdict.pulls == before + 1
print(told + 1)
"""


def test_a_full_disk(path, url):
    """A limit on the size of files stands for it."""
    told(url).storage.close()
    done = subprocess.run([sys.executable, "-c", FULL, url, "200000"], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    sentence, count = done.stdout.splitlines()
    assert "full" in sentence
    study = tt.load_study("bread", url)
    assert study.verdict.pulls == 5 + int(count)
    assert study.replay() == ""


def test_a_lock_that_is_never_let_go(path, url, monkeypatch):
    study = told(url)
    study.storage.close()
    monkeypatch.setattr("toptwo.study.storages.connecting.PATIENCE", 0.1)
    hanging = sqlite3.connect(path, isolation_level=None)
    hanging.execute("BEGIN IMMEDIATE")
    waiting = tt.load_study("bread", url)
    assert waiting.verdict.pulls == 5
    refused(waiting.ask, "locked")
    hanging.execute("ROLLBACK")
    hanging.close()
    waiting.tell(waiting.ask(), 1.0)
    assert waiting.verdict.pulls == 6


def test_a_missing_package_is_named(monkeypatch, url):
    monkeypatch.setitem(sys.modules, "sqlalchemy", None)
    for name in [name for name in sys.modules if name.startswith("toptwo.study.storages.sql")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(tt.InputError, match=r"pip install 'toptwo\[sql\]'"):
        get_storage(url)


def test_a_copy_is_a_whole_study(path, url, tmp_path):
    """A file may be copied once its connections are closed: nothing is left in files beside it."""
    told(url).storage.close()
    shutil.copy(path, tmp_path / "copy.db")
    assert not os.path.exists(f"{path}-wal")
    assert tt.load_study("bread", f"sqlite:///{tmp_path / 'copy.db'}").verdict.pulls == 5
