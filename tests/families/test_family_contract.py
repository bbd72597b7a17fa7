"""Every family keeps the contract that third parties can run on theirs, and a broken one does not."""

from typing import NamedTuple

import pytest

import toptwo as tt
from toptwo.families import FAMILIES
from toptwo.families.bernoulli import Bernoulli
from toptwo.families.mirrored import Mirrored
from toptwo.testing import check_family


@pytest.mark.parametrize("name", FAMILIES)
def test_contract(name):
    check_family(FAMILIES[name]())


@pytest.mark.parametrize(
    "family",
    [
        tt.Gaussian(sigma=[0.5, 2.0, 1.0]),
        tt.Poisson(scale=10.0),
        tt.Exponential(0.1),
        tt.Gamma(shape=0.3),
        tt.Gamma(shape=40.0, scale=3.0),
    ],
)
def test_contract_with_parameters(family):
    check_family(family, compiled=False)


@pytest.mark.parametrize("family", [tt.Bernoulli(), tt.Poisson(), tt.Exponential(), tt.Gamma(shape=3.0)])
def test_contract_in_the_mirror(family):
    check_family(Mirrored(family), means=(-0.4, -0.55, -0.3))


class Off(Bernoulli):
    __slots__ = ()

    def reward(self, arm, mean, bits):
        return super().reward(arm, mean + 0.03, bits)


class Wide(Bernoulli):
    __slots__ = ()

    def upper_bound(self, arm, width, state):
        return super().upper_bound(arm, 1.01 * width, state)


class Cheap(Bernoulli):
    __slots__ = ()

    def separation(self, a, b, epsilon, state):
        return 0.99 * super().separation(a, b, epsilon, state)


@pytest.mark.parametrize(("broken", "words"), [(Off(), "average"), (Wide(), "deviation"), (Cheap(), "separation")])
def test_the_contract_can_be_broken(broken, words):
    with pytest.raises(AssertionError, match=words):
        check_family(broken, compiled=False)


class Speechless(NamedTuple):
    """A family that proves nothing."""

    def levels(self):
        return {"mixture": lambda delta, arms: 1.0}


def test_a_threshold_without_proof_is_refused():
    with pytest.raises(tt.InputError, match=r"threshold 'proven' has no proof under Speechless.*mixture"):
        tt.rules.thresholds.stopping_rule("proven", 0.1, 3, Speechless())
