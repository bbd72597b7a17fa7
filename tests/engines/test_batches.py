"""Batches: the average of many rewards in one step has the law of rewards drawn one by one."""

import math

import numpy as np
from scipy.stats import ks_2samp, kstest, norm

import toptwo as tt
from toptwo.families.gaussian import Gaussian
from toptwo.state import add_batch, state_of
from toptwo.streams import fork, next_word, normal

FALSE_ALARM = 1e-6


class OneByOne(Gaussian):
    """Gaussian rewards of which every single one is drawn."""

    draw_batch = None


class TooWide(Gaussian):
    """Batches whose average has the spread of a single reward."""

    def batch(self, arm: int, mean: float, size: int, bits: int) -> float:
        return mean + self.sigma * normal(bits)


def averages(family, size, number):
    positions = [fork(1, 2)]
    return np.array([family.batch(0, 0.3, size, next_word(positions, 0)) for _ in range(number)])


def test_the_average_of_a_batch_has_its_exact_law():
    drawn = averages(Gaussian(2.0), 50, 4000)
    assert kstest(drawn, norm(0.3, 2.0 / math.sqrt(50)).cdf).pvalue > FALSE_ALARM
    assert kstest(averages(TooWide(2.0), 50, 4000), norm(0.3, 2.0 / math.sqrt(50)).cdf).pvalue < FALSE_ALARM


def test_a_batch_counts_as_its_rewards_would():
    family = Gaussian()
    one, many = state_of(family, 1), state_of(family, 1)
    values = [0.3, 1.2, -0.7, 2.0, 0.1]
    for value in values:
        family.observe(0, value, one)
    family.observe(0, values[0], many)
    add_batch(0, sum(values[1:]) / 4, 4, many)
    for line in ("means", "counts", "inverse", "root"):
        assert abs(getattr(one, line)[0] - getattr(many, line)[0]) < 1e-15


def peace(family, runs):
    return tt.simulate("Peace", [0.0, 1.0, 0.8, 0.9], delta=0.1, runs=runs, seed=4, family=family)


def test_phased_methods_stop_alike_with_and_without_batches():
    """Pulls of Peace on a hard instance: the same law, from other draws; a wrong law of batches is noticed."""
    at_once, single, wrong = (peace(family(0.5), 400) for family in (Gaussian, OneByOne, TooWide))
    assert (at_once.stopping_times != single.stopping_times).any()
    assert ks_2samp(at_once.stopping_times, single.stopping_times).pvalue > FALSE_ALARM
    assert ks_2samp(at_once.stopping_times, wrong.stopping_times).pvalue < FALSE_ALARM


def test_millions_of_pulls_take_no_time():
    result = tt.simulate("Exp-Gap", [0.0, 0.2, 0.1], delta=0.1, runs=20, seed=1)
    assert result.stopping_times.mean() > 1e6
    assert result.correct.all()


def test_a_trace_inside_a_batch_shows_the_answer_of_before():
    result = tt.simulate("Peace", [0.0, 1.0], delta=0.1, runs=4, seed=1, trace=[2, 3, 40, 10**9], engine="python")
    assert (result.trace.recommended[:, 1] == result.trace.recommended[:, 0]).all()  # the first batch is longer than 3
    assert (result.trace.recommended[:, 3] == -1).all()


def test_max_samples_cuts_a_batch():
    result = tt.simulate("Exp-Gap", [0.0, 0.2, 0.1], delta=0.1, runs=2, seed=1, max_samples=1234)
    assert (result.stopping_times == 1234).all()
    assert (result.counts.sum(axis=1) == 1234).all()
    assert not result.decided.any()
