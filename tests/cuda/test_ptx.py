"""Every kernel compiles to PTX, for which no GPU is needed, and rounds as processors do."""

import re
from typing import NamedTuple

import pytest
from numba import cuda, float64

import toptwo as tt
from toptwo.engine.code import Code
from toptwo.engine.cuda.kernel import called
from toptwo.engine.cuda.lanes import Layout
from toptwo.engine.cuda.nvvm_choices import for_lanes
from toptwo.engine.cuda.ptx import HOPPER, ptx
from toptwo.engine.question import make_setup
from toptwo.memory import per_arm
from toptwo.state import Row

FAMILIES = (
    tt.Bernoulli(),
    tt.Poisson(),
    tt.Exponential(),
    tt.Gamma(2.0),
    tt.Bounded(0.0, 1.0),
    tt.GaussianUnknownVariance(),
    tt.Gaussian((1.0, 2.0, 3.0)),
)


def setup_of(algorithm, threshold="heuristic", family=None, epsilon=0.0):
    return make_setup(algorithm, 3, delta=0.1, threshold=threshold, family=family, epsilon=epsilon, max_samples=None)


def assert_is_kernel(text):
    """It is for the right device, and calls nothing that NVVM did not know and inline."""
    assert f".target sm_{HOPPER[0]}{HOPPER[1]}" in text
    assert re.search(r"\.visible \.entry", text)
    assert ".extern .func" not in text


@pytest.mark.parametrize("name", tt.algorithms())
def test_every_algorithm_compiles(name):
    assert_is_kernel(ptx(setup_of(name)))


@pytest.mark.parametrize("name", ["TTUCB", "A-TTUCB", "LUCB"])
def test_more_arms_than_fast_memory_has_room_for_compile(name):
    near, far = ptx(setup_of(name)), ptx(setup_of(name), arms=100)
    assert "ld.shared" in near
    assert "ld.shared" not in far
    assert_is_kernel(far)


@pytest.mark.parametrize("threshold", ["mixture", "betting", "proven"])
def test_every_proven_stopping_rule_compiles(threshold):
    assert_is_kernel(ptx(setup_of("TTUCB", threshold)))


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: type(family).__name__)
def test_every_family_compiles(family):
    assert_is_kernel(ptx(setup_of("TTUCB", "mixture", family)))


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: type(family).__name__)
def test_every_family_compiles_with_a_margin(family):
    assert_is_kernel(ptx(setup_of("TTUCB", "mixture", family, epsilon=0.1)))


def test_without_a_margin_the_kernel_for_bernoulli_is_half_as_long():
    """What only a margin needs, a search in every comparison, is left out."""
    plain, margin = (ptx(setup_of("TTUCB", family=tt.Bernoulli(), epsilon=epsilon)) for epsilon in (0.0, 0.1))
    assert_is_kernel(plain)
    assert 2 * len(plain) <= len(margin)


def test_kernels_with_and_without_a_margin_are_kept_apart():
    """In memory and on disk they are found by a digest; that of kernels for two margins is the same."""

    def digest(epsilon):
        setup = setup_of("TTUCB", family=tt.Bernoulli(), epsilon=epsilon)
        return Code(setup, *called(setup, Layout(setup, 3).lane_of())).digest

    assert digest(0.0) != digest(0.1) == digest(0.2)


def test_betting_on_bernoulli_rewards_compiles():
    assert_is_kernel(ptx(setup_of("TTUCB", "betting", tt.Bernoulli())))


class Remembered(NamedTuple):
    last: Row = per_arm(2)


class Largest(NamedTuple):
    """A leader of one's own, with memory."""

    weight: float = 0.5

    def memory(self):
        return Remembered()

    def learn(self, seen):
        seen.mine.last[1][seen.arm] = self.weight * seen.value

    def lead(self, now, random):
        best = 0
        for i in range(len(now.state.means)):
            if now.state.means[i] + now.mine.last[-1][i] > now.state.means[best] + now.mine.last[1][best]:
                best = i
        return best


class Listed(Largest):
    """A leader that makes a list, which no compiler here takes."""

    __slots__ = ()

    def lead(self, now, random):
        names = {}
        names["best"] = 0
        return names["best"]


def test_a_rule_of_ones_own_compiles():
    assert_is_kernel(ptx(setup_of(tt.TopTwo(leader=Largest()))))


def test_a_rule_that_cannot_run_there_is_named():
    with pytest.raises(tt.InputError, match=r"Listed, test_ptx\.py"):
        ptx(setup_of(tt.TopTwo(leader=Listed())))


def product_and_sum(x, y, z, into):
    into[0] = x * y + z


def test_products_are_rounded_before_they_are_added():
    """As on processors; left alone, numba-cuda has the device round once."""
    kinds = (float64, float64, float64, float64[::1])
    with for_lanes():
        ours, _ = cuda.compile_ptx(product_and_sum, kinds, device=False, cc=HOPPER)
    usual, _ = cuda.compile_ptx(product_and_sum, kinds, device=False, cc=HOPPER)
    assert ("fma.rn" in ours, "fma.rn" in usual) == (False, True)
