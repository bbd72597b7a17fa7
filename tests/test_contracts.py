"""Every registered algorithm keeps the contract that third parties can run on theirs."""

from typing import NamedTuple

import pytest

from toptwo.algorithms import algorithms
from toptwo.testing import check_algorithm


@pytest.mark.parametrize("name", algorithms())
def test_contract(name):
    check_algorithm(name, max_samples=400)


class OutOfRange(NamedTuple):
    def next_pull(self, now, random):
        return -1, now.number


def test_the_contract_can_be_broken():
    with pytest.raises(AssertionError, match="not an arm"):
        check_algorithm(OutOfRange(), compiled=False)
