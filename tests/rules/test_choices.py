"""Tracking follows its share exactly; sampling does so on average; the shared tracker is another rule."""

from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom
from states import FALSE_ALARM, Forbidden, round_of

import toptwo as tt
from toptwo.algorithms import resolve
from toptwo.rules import Sampling, SharedTracking, Tracking
from toptwo.streams import Random, fork

ROUNDING = 1e-9


class Watched(NamedTuple):
    """An algorithm whose tracking is checked in every round."""

    inner: tt.TopTwo

    def next_pull(self, now, random):
        pull = self.inner.next_pull(now, random)
        books = now.mine.choice
        for own, led, owed in zip(books.own, books.led, books.owed, strict=True):
            assert 0 <= own <= led
            assert -ROUNDING <= own - owed <= 1 + ROUNDING
            if not self.inner.proportion.adaptive():
                beta = self.inner.proportion.beta
                assert abs(owed - beta * led) < ROUNDING
                assert -0.5 <= own - beta * led <= 1
        return pull

    def learn(self, seen):
        self.inner.learn(seen)

    def memory(self):
        return self.inner.memory()


@pytest.mark.parametrize("beta", [0.05, 0.3, 0.5, 0.77, 0.95, "ids"])
@pytest.mark.parametrize("make", [tt.TTUCB, tt.T3C, tt.EBTC, tt.TTTS, tt.TTIMED])
def test_invariant_of_tracking_in_every_round(make, beta, seed):
    """−½ ≤ N^i_i − β L_i ≤ 1 for every arm (paper, lemma 2); with adaptive shares, 0 ≤ N^i_i − b_i ≤ 1."""
    tt.simulate(
        Watched(make(beta, choice="tracking")),
        [[0.2, 0.6, 0.55, 0.4], [0.1, 0.2, 0.3, 1.0]],
        delta=0.01,
        seed=seed,
        max_samples=700,
        engine="python",
        threads=1,
    )


def follow(choice, leaders, share, random):
    """Deviations N^i_i − β L_i after every round, for a sequence of leaders whose pulls we count ourselves."""
    now = round_of([0.3, 0.1, 0.2], [1, 1, 1], rule=choice)
    led, own = [0] * 3, [0] * 3
    for number, leader in enumerate(leaders, start=4):
        led[leader] += 1
        now = now._replace(number=number)
        if choice.takes_leader(leader, share, now, random):
            own[leader] += 1
            now.state.counts[leader] += 1
        else:
            now.state.counts[(leader + 1) % 3] += 1
        yield from (n - share * rounds for n, rounds in zip(own, led, strict=True))


@given(st.lists(st.integers(0, 2), max_size=400), st.floats(0.001, 0.999))
def test_invariant_of_tracking_for_any_leaders(leaders, beta):
    assert all(-0.5 <= deviation <= 1 + ROUNDING for deviation in follow(Tracking(), leaders, beta, Forbidden()))


@pytest.mark.parametrize("choice", [Sampling(), SharedTracking()])
def test_control_other_choices_break_the_invariant(choice, seed):
    leaders = [0] * 100 + [1] * 100 + [2] * 100 + [0] * 100
    deviations = list(follow(choice, leaders, 0.5, Random([fork(seed, 1)])))
    assert not all(-0.5 <= deviation <= 1 for deviation in deviations)


def test_tracking_by_hand():
    """β = 0.3: the leader's pulls are at most β L + 1, and it is pulled as soon as N ≤ β L allows."""
    now = round_of([0.3, 0.1, 0.2], [1, 1, 1], rule=Tracking())
    taken = [Tracking().takes_leader(2, 0.3, now, Forbidden()) for _ in range(9)]
    assert taken == [True, False, False, True, False, False, True, False, False]
    assert (now.mine.led[2], now.mine.own[2]) == (9, 3)
    assert now.mine.led[0] == now.mine.led[1] == 0


def test_sampling_has_its_share(seed):
    random, now = Random([fork(seed, 2)]), round_of([0.3, 0.1, 0.2], [1, 1, 1])
    for share in (0.1, 0.5, 0.83):
        taken = sum(Sampling().takes_leader(1, share, now, random) for _ in range(20_000))
        low, high = binom.ppf(FALSE_ALARM / 6, 20_000, share), binom.isf(FALSE_ALARM / 6, 20_000, share)
        assert low <= taken <= high
        assert not low <= 20_000 * (share + 0.03) <= high


@given(
    st.lists(st.integers(1, 50), min_size=2, max_size=6),
    st.integers(0, 5),
    st.floats(0.01, 0.99),
)
def test_shared_tracking_compares_all_pulls_with_all_rounds(counts, leader, share):
    leader %= len(counts)
    now = round_of(list(range(len(counts))), counts)
    taken = SharedTracking().takes_leader(leader, share, now, Forbidden())
    assert taken == (counts[leader] <= share * (sum(counts) + 1))


def test_shared_tracking_is_another_algorithm():
    question = {"delta": 0.1, "threshold": "heuristic", "runs": 3, "max_samples": 500, "engine": "python"}
    shared = tt.simulate(tt.TTUCB(choice="shared"), [0.2, 0.5, 0.4], **question)
    own = tt.simulate(tt.TTUCB(), [0.2, 0.5, 0.4], **question)
    assert shared.counts.tolist() != own.counts.tolist()
    assert resolve("TTUCB").choice == Tracking()
