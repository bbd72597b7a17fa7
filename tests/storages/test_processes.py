"""Many processes on one study, killed at random by a signal that cannot be caught."""

import multiprocessing
import os
import random
import signal
import time

import pytest

import toptwo as tt
from toptwo.study.operations import Asked, Concluded, Told
from toptwo.study.replay import first_difference

SPAWN = multiprocessing.get_context("spawn")

MEASURING = 0.05
"""Seconds that a measurement takes: time enough for the parent to kill in between."""

LEASE = 2.0
"""Seconds after which the pulls of the dead are handed out again."""


def work(url, pulls, seed, problems):
    """Ask and tell until the study has so many pulls or is over; whatever goes wrong is for the parent to see."""
    try:
        study, noise = tt.load_study("race", url), random.Random(seed)
        for pull in study.asking():
            time.sleep(MEASURING)
            study.tell(pull, round(0.1 * pull.index + noise.gauss(0.0, 1.0), 6))
    except BaseException as problem:
        problems.put(repr(problem))


def race(url, workers, pulls, kills, seed=1):
    """Let workers finish a study of so many pulls, killing some on the way; return the study and the problems."""
    chance = random.Random(seed)
    study = tt.create_study(
        10, storage=url, study_name="race", algorithm="TTUCB", delta=1e-300, max_samples=workers * pulls, lease=LEASE
    )
    problems = SPAWN.SimpleQueue()

    def start(number):
        worker = SPAWN.Process(target=work, args=(url, pulls, number, problems))
        worker.start()
        return worker

    crew = [start(number) for number in range(workers)]
    killed = 0
    while study.running:
        time.sleep(0.02)
        told = study._journal.fold.pulls - len(study._journal.fold.leases)
        if killed < kills and told >= (killed + 1) * workers * pulls // (kills + 2):
            victim = chance.randrange(workers)
            os.kill(crew[victim].pid, signal.SIGKILL)
            crew[victim].join()
            crew[victim] = start(workers + killed)
            killed += 1
    for worker in crew:
        worker.join(120)
        assert worker.exitcode == 0
    found = []
    while not problems.empty():
        found.append(problems.get())
    return study, found, killed


def check(study, problems, total):
    """No error, nothing lost or doubled, and a replay that decides the same."""
    assert problems == []
    entries = study.storage.read(study._key)
    operations = [entry.operation for entry in entries]
    assert sum(operation.times for operation in operations if isinstance(operation, Asked)) == total
    told = [operation.pull for operation in operations if isinstance(operation, Told)]
    assert sorted(told) == list(range(total))
    assert sum(isinstance(operation, Concluded) for operation in operations) == 1
    assert study.verdict.pulls == total
    assert first_difference(entries, study._journal.question) == ""


def begin(url, name, barrier, outcomes):
    """Create the study or go on with it, at the same moment as others."""
    try:
        tt.create_study(["a", "b"], storage=url, study_name=f"{name}, by {os.getpid()}")  # connections are open
        barrier.wait(60)
        study = tt.create_study(["a", "b"], storage=url, study_name=name, load_if_exists=True)
        outcomes.put((study._key, ""))
    except BaseException as problem:
        barrier.abort()
        outcomes.put(("", repr(problem)))


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request, tmp_path):
    """The URL of an empty database."""
    return f"sqlite:///{tmp_path / 'race.db'}" if request.param == "sqlite" else request.getfixturevalue("postgres")


def test_four_processes_finish_what_the_killed_began(url):
    study, problems, killed = race(url, workers=4, pulls=15, kills=2)
    assert killed == 2
    check(study, problems, 60)
    study.storage.close()


@pytest.mark.slow
def test_sixteen_processes_finish_what_the_killed_began(url):
    study, problems, killed = race(url, workers=16, pulls=200, kills=20)
    assert killed == 20
    check(study, problems, 3200)
    study.storage.close()


def test_processes_that_begin_the_same_study_at_once_share_it(url):
    for turn in range(3):
        barrier, outcomes = SPAWN.Barrier(4), SPAWN.SimpleQueue()
        crew = [SPAWN.Process(target=begin, args=(url, f"study {turn}", barrier, outcomes)) for _ in range(4)]
        for worker in crew:
            worker.start()
        found = [outcomes.get() for _ in crew]
        for worker in crew:
            worker.join(60)
        assert {problem for _, problem in found} == {""}
        assert len({key for key, _ in found}) == 1
