"""What goes wrong with a server is one clear sentence, loses nothing; the same call works once its cause is gone."""

import contextlib
import signal
import subprocess
import sys
import threading
from pathlib import Path

import psycopg
import pytest
import sqlalchemy as sa
from troubles import refused, told

import toptwo as tt
from toptwo.study.asking import handed_out
from toptwo.study.operations import Asked
from toptwo.study.storages.connecting import new_engine


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
from toptwo.study.asking import handed_out

study, how = tt.load_study("bread", sys.argv[1]), sys.argv[2]
with study._journal as journal:
    pass  # whatever is loaded late is loaded

def freeze():
    print("in turn", flush=True)
    os.kill(os.getpid(), signal.SIGSTOP)

def ask_and_freeze():
    with study._journal as journal:
        pulls = handed_out(journal, 1, study._lease, needed=True)
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
        handed_out(journal, 1, study._lease, needed=True)
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
        handed_out(journal, 1, study._lease, needed=True)
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
            handed_out(journal, 1, study._lease, needed=True)
            cut()

    refused(ask_and_lose_the_server, "went away")
    assert study.pending == []
    assert study.ask().number == 6
    assert tt.load_study("bread", postgres).replay() == ""
    admin.dispose()
    study.storage.close()


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
