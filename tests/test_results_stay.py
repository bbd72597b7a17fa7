"""Results do not change unless meant to: digests of all algorithms on all families, and of studies."""

import json
import warnings

import digests
import pytest

KEPT = json.loads(digests.KEPT.read_text())


def found(keys):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return digests.all_digests(keys)


@pytest.mark.parametrize("first", ["simulate", "study"])
def test_results_are_those_kept(first):
    kept = {key: value for key, value in KEPT.items() if key.startswith(first)}
    assert found(first) == kept


def test_a_changed_rule_changes_digests():
    assert digests.of_simulation("TTUCB", "gaussian") != digests.of_simulation("T-EB-TC", "gaussian")
