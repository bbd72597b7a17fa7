"""Workers that are interrupted: rows are measured again as a whole, so that a machine that gets slower is no lead."""

import random

from scipy.stats import binom

import toptwo as tt
from toptwo.study.operations import GivenBack, Leased

DELTA = 0.05
FALSE_ALARM = 1e-6
PAUSE = 200
"""Measurements that others make on the same machine until somebody goes on."""


def lent_again_alone(study, pull):
    """Hand the rest of a row out again, as if it did not matter when it is measured."""
    with study._journal as journal:
        for number in sorted(journal.fold.leases):
            journal.do(GivenBack(number))
            journal.do(Leased(number, None, "later"))
    return study.pending


def given_up(study, pull):
    """Give the row up and ask for another one."""
    study.give_back(pull)
    return study.ask_block()


def found_a_winner(seed, go_on):
    """Two equal arms on a machine that gets slower; every other measurement of the long one is interrupted."""
    rng = random.Random(seed)
    study = tt.create_study(["long", "short"], design="blocks", compare="wins", delta=DELTA, seed=seed)
    clock = rows = 0
    while study.running and rows < 200:
        left, rows = study.ask_block(), rows + 1
        while left:
            pull, *left = left
            if pull.arm == "long" and rng.random() < 0.5:
                clock += PAUSE
                left = go_on(study, pull)
                continue
            clock += 1
            study.tell(pull, rng.gauss(0.0, 1.0) - 0.05 * clock)
    return study.verdict.status == "winner"


def chance(go_on, runs):
    """The chance of at least so many winners, all of which are wrong, at probability δ."""
    return float(binom.sf(sum(found_a_winner(seed, go_on) for seed in range(runs)) - 1, runs, DELTA))


def test_rows_that_are_given_up_and_measured_again_make_no_winner():
    assert chance(given_up, 40) >= FALSE_ALARM


def test_pulls_that_are_measured_again_alone_make_winners():
    """The check above can fail: so it was before rows were given up."""
    assert chance(lent_again_alone, 30) < FALSE_ALARM
