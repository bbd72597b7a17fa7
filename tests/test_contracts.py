"""Every registered algorithm keeps the contract that third parties can run on theirs."""

from typing import NamedTuple

import pytest

from toptwo.algorithms import algorithms
from toptwo.errors import InputError
from toptwo.testing import check_algorithm

PATIENCE = {"lilUCB": 20_000, "Peace": 10**6, "Exp-Gap": 10**9}
"""Samples after which a run of the slowest is given up; 400 for the others."""


@pytest.mark.parametrize("name", algorithms())
def test_contract(name):
    check_algorithm(name, max_samples=PATIENCE.get(name, 400))


class OutOfRange(NamedTuple):
    def next_pull(self, now, random):
        return -1, now.number


CALLS: list[int] = []


class RemembersElsewhere(NamedTuple):
    def next_pull(self, now, random):
        CALLS.append(now.number)
        return -1, len(CALLS) // 7 % len(now.state.means)


def test_the_contract_can_be_broken():
    with pytest.raises(AssertionError, match="the same seed must give the same run"):
        check_algorithm(RemembersElsewhere(), compiled=False)


def test_what_is_no_arm_is_named_with_rule_and_line():
    with pytest.raises(InputError, match=r"OutOfRange.next_pull \(test_contracts.py, line \d+\) returned \(-1, "):
        check_algorithm(OutOfRange(), compiled=False)
