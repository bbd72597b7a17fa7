"""What goes wrong gives one clear sentence, loses nothing, and the same call works once its cause is gone."""

import contextlib
import multiprocessing
import os
import pickle
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import psycopg
import pytest
import sqlalchemy as sa

import toptwo as tt
from toptwo.study.operations import Asked
from toptwo.study.storages import get_storage, upgrade_storage
from toptwo.study.storages.connecting import new_engine


def told(url, pulls=5, name="bread"):
    """A study with some told pulls."""
    study = tt.create_study(["a", "b"], storage=url, study_name=name, family=tt.Gaussian(1.0), delta=1e-9)
    for _ in range(pulls):
        study.tell(study.ask(), 1.0)
    return study


def refused(call, words, kind=tt.StudyError):
    with pytest.raises(kind, match=words) as caught:
        call()
    assert "\n" not in str(caught.value)
    return str(caught.value)


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


# --- PostgreSQL -------------------------------------------------------------------------------------------------------
@pytest.fixture
def locked(postgres):
    """The URL of a user whom the server asks for a password: "sesame"."""
    admin = sa.create_engine(postgres, isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        rules = Path(connection.scalar(sa.text("SHOW hba_file")))
        before = rules.read_text()
        connection.execute(sa.text("CREATE ROLE careful LOGIN SUPERUSER PASSWORD 'sesame'"))
        rules.write_text("local all careful scram-sha-256\n" + before)
        connection.execute(sa.text("SELECT pg_reload_conf()"))
        yield sa.make_url(postgres).set(username="careful")
        rules.write_text(before)
        connection.execute(sa.text("SELECT pg_reload_conf()"))
        connection.execute(sa.text("DROP ROLE careful"))
    admin.dispose()


def test_a_wrong_password_is_said_without_it(locked):
    def address(password):
        return locked.set(password=password).render_as_string(hide_password=False)

    said = refused(lambda: tt.create_study(2, storage=address("hunter2")), "password is wrong")
    assert "hunter2" not in said
    study = tt.create_study(2, storage=address("sesame"))
    study.storage.close()
    tt.delete_study(study.name, study.storage)
    with study.storage._pool.connect() as connection:
        connection.execute(sa.text("DROP TABLE toptwo_snapshots, toptwo_operations, toptwo_studies, toptwo_version"))
        connection.commit()
    study.storage.close()


def test_a_database_that_does_not_exist(postgres):
    address = sa.make_url(postgres).set(database="nowhere").render_as_string(hide_password=False)
    refused(lambda: tt.create_study(2, storage=address), "no such database")


def test_a_server_that_does_not_answer():
    refused(lambda: tt.create_study(2, storage="postgresql+psycopg://me@127.0.0.1:9/x"), "no server answers")


def test_a_host_that_does_not_exist():
    refused(lambda: tt.create_study(2, storage="postgresql://me@no.such.host.invalid/x"), "no such host")


def test_tables_that_are_missing_on_a_server(postgres):
    study = told(postgres)
    with study.storage._pool.connect() as connection:
        connection.execute(sa.text("DROP TABLE toptwo_operations"))
    refused(lambda: tt.load_study("bread", postgres), "tables are missing")
    refused(study.ask, "tables are missing")
    study.storage.close()


def test_a_server_with_no_connection_left(postgres):
    plain = sa.make_url(postgres).set(drivername="postgresql").render_as_string(hide_password=False)
    others = []
    with contextlib.suppress(psycopg.OperationalError):
        while True:
            others.append(psycopg.connect(plain))
    try:
        refused(lambda: tt.get_all_study_names(postgres), "no connection left")
    finally:
        for other in others:
            other.close()
    assert tt.get_all_study_names(postgres) == []


def test_what_the_url_says_of_a_connection_stays(postgres):
    url = sa.make_url(postgres).update_query_dict(
        {"options": "-c lock_timeout=7s -c search_path=elsewhere", "connect_timeout": "3", "keepalives_idle": "5"}
    )
    engine = new_engine(url)
    with engine.connect() as connection:
        shown = {
            name: connection.scalar(sa.text(f"SHOW {name}"))
            for name in ("lock_timeout", "search_path", "synchronous_commit", "idle_in_transaction_session_timeout")
        }
        driver = connection.connection.driver_connection
        given = {**driver.info.get_parameters()}
    engine.dispose()
    assert shown == {
        "lock_timeout": "7s",
        "search_path": "elsewhere",
        "synchronous_commit": "off",
        "idle_in_transaction_session_timeout": "1min",
    }
    assert (given["connect_timeout"], given["keepalives_idle"], given["keepalives"]) == ("3", "5", "1")


FREEZING = """
import os, signal, sys
import toptwo as tt

study, how = tt.load_study("bread", sys.argv[1]), sys.argv[2]
with study._journal as journal:
    pass  # whatever is loaded late is loaded

def freeze():
    print("in turn", flush=True)
    os.kill(os.getpid(), signal.SIGSTOP)

def ask_and_freeze():
    with study._journal as journal:
        pulls = study._hand_out(journal, 1, needed=True)
        freeze()
    return pulls

def tell_and_freeze():
    with study._journal as journal:
        study._tell(journal, 5, 7.0)
        freeze()

try:
    (ask_and_freeze if how == "ask" else tell_and_freeze)()
except tt.StudyError as problem:
    print(problem, flush=True)
pull = study.ask()
study.tell(pull, 3.0)
study.tell(5, 7.0)
print(pull.number, flush=True)
"""


@pytest.mark.parametrize("how", ["ask", "tell"])
def test_a_process_that_stands_still_in_its_turn_loses_it_and_nothing_else(postgres, how):
    """Stopped by a signal in the middle: others go on when the server's patience ends, and it goes on when it wakes."""
    study = told(postgres)
    assert study.ask().number == 5
    impatient = sa.make_url(postgres).update_query_dict({"options": "-c idle_in_transaction_session_timeout=1s"})
    address = impatient.render_as_string(hide_password=False)
    command, pipe = [sys.executable, "-c", FREEZING, address, how], subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True) as frozen:
        try:
            assert frozen.stdout.readline() == "in turn\n"
            other = study.ask()
            frozen.send_signal(signal.SIGCONT)
            said, problem = frozen.communicate(timeout=60)
        finally:
            frozen.kill()
    assert frozen.returncode == 0, problem
    sentence, number = said.splitlines()
    assert "stood still" in sentence
    assert (other.number, number) == (6, "7")
    study.tell(other, 2.0)
    assert study.pending == []
    assert [record.value for record in study.pulls] == [1.0, 1.0, 1.0, 1.0, 1.0, 7.0, 2.0, 3.0]
    assert study.replay() == ""
    study.storage.close()


def test_an_interrupt_while_others_have_the_turn_costs_nothing(postgres):
    study, waiting = told(postgres), tt.load_study("bread", postgres)
    with study._journal as journal:
        main = threading.main_thread().ident
        interrupt = threading.Timer(0.5, lambda: signal.pthread_kill(main, signal.SIGINT))
        interrupt.start()
        with pytest.raises(KeyboardInterrupt):
            waiting.ask()
        study._hand_out(journal, 1, needed=True)
    assert waiting.ask().number == 6
    waiting.tell(6, 2.0)
    assert study.replay() == ""
    for storage in (study.storage, waiting.storage):
        storage.close()


def test_thousands_of_answers_travel_together(postgres):
    """More than the buffers between the two hold, in both directions."""
    study = told(postgres, pulls=0)
    study.tell_many([(pull, 1.0) for pull in study.ask(20_000)])
    assert tt.load_study("bread", postgres).verdict.pulls == 20_000
    study.storage.close()


def test_a_turn_that_others_keep_for_too_long_is_not_waited_for(postgres):
    study = told(postgres)
    impatient = sa.make_url(postgres).update_query_dict({"options": "-c lock_timeout=300ms"})
    waiting = tt.load_study("bread", impatient.render_as_string(hide_password=False))
    with study._journal as journal:
        refused(waiting.ask, "locked for a minute")
        study._hand_out(journal, 1, needed=True)
    assert waiting.ask().number == 6
    for storage in (study.storage, waiting.storage):
        storage.close()


def test_a_server_that_goes_away_in_the_middle(postgres):
    """All connections are cut by the server, as when it restarts: in between, and within a turn."""
    study = told(postgres)
    admin = sa.create_engine(postgres, isolation_level="AUTOCOMMIT")

    def cut():
        with admin.connect() as connection:
            connection.execute(
                sa.text("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
            )

    pull = study.ask()
    cut()
    refused(lambda: study.tell(pull, 2.0), "went away")
    study.tell(pull, 2.0)
    assert study.verdict.pulls == 6

    def ask_and_lose_the_server():
        with study._journal as journal:
            study._hand_out(journal, 1, needed=True)
            cut()

    refused(ask_and_lose_the_server, "went away")
    assert study.pending == []
    assert study.ask().number == 6
    assert tt.load_study("bread", postgres).replay() == ""
    admin.dispose()
    study.storage.close()


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


@pytest.fixture
def forgotten(postgres):
    """A study and a pull of it that the server forgot when it crashed: that it was handed out was not yet on disk."""
    study = told(postgres)
    pull = study.ask()
    admin = sa.create_engine(postgres, isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        connection.execute(sa.text("UPDATE toptwo_studies SET length = length - 1"))
        last = "number = (SELECT max(number) FROM toptwo_operations)"
        connection.execute(sa.text(f"DELETE FROM toptwo_operations WHERE {last}"))
        others = "pid <> pg_backend_pid()"
        connection.execute(sa.text(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {others}"))
    admin.dispose()
    yield study, pull
    study.storage.close()


def test_a_pull_that_a_crashed_server_forgot_is_not_told(forgotten, postgres):
    study, pull = forgotten
    refused(lambda: study.tell(pull, 2.0), "went away")
    refused(lambda: study.tell(pull, 2.0), "one that this study has asked for", tt.InputError)
    again = study.ask()
    assert again.number == pull.number
    study.tell(again, 2.0)
    assert tt.load_study("bread", postgres).verdict.pulls == 6
    assert study.replay() == ""


def test_a_pull_that_is_another_arm_since_the_crash_is_not_told(forgotten, postgres):
    study, pull = forgotten
    other = tt.load_study("bread", postgres)
    with other._journal as journal:
        journal.do(Asked((1 - pull.index,), 1, None, (-1, -1, 0.0, 0), None, "other"))
    refused(lambda: study.tell(pull, 2.0), "went away")
    refused(lambda: study.tell(pull, 2.0), "is of arm")
    other.tell(5, 1.5)
    assert study.verdict.pulls == 6
    other.storage.close()
