"""Cells are named after text that two values share only if they are equal."""

import os
import subprocess
import sys
from typing import Any, NamedTuple

import numpy as np
import pytest

import toptwo as tt
from toptwo.sweeps.exact import exact


def one(x):
    return x


def other(x):
    return -x


class Rule(NamedTuple):
    setting: Any


class Loud:
    def __init__(self, level):
        self.level = level


LONG = np.zeros(2000)
SLIGHTLY = np.array([0.1, 0.2 + 1e-12])
PAIRS = [
    (np.array([0.1, 0.2]), SLIGHTLY),
    (LONG, np.where(np.arange(2000) == 1000, 1.0, 0.0)),
    (np.zeros(4), np.zeros((2, 2))),
    (np.zeros(2), np.zeros(2, np.float32)),
    (one, other),
    ([0.1], (0.1,)),
    (0.1, 0.1 + 1e-17 + 1e-16),
    (Loud(1.0), Loud(2.0)),
    ({"a": 1}, {"a": 2}),
    (tt.Gaussian, tt.Bernoulli),
    (np.array([1, "a"], object), np.array([1, "b"], object)),
]


@pytest.mark.parametrize("number", range(len(PAIRS)))
def test_different_values_have_different_text(number):
    first, second = PAIRS[number]
    assert exact(first) != exact(second)
    assert exact(Rule(first)) != exact(Rule(second))
    assert exact(first) == exact(first)


def test_equal_values_have_the_same_text():
    assert exact(np.float64(0.1)) == exact(0.1)
    assert exact(Loud(1.0)) == exact(Loud(1.0))
    assert exact({"b", "a"}) == exact({"a", "b"})
    assert exact(np.arange(6.0)[::2]) == exact(np.array([0.0, 2.0, 4.0]))


PRINTED = """
from test_exact import *
from toptwo.engine.code import Code
class Thing: pass
THING = Thing()
def helper(x):
    return x in {"a", "b", None} and THING
print(exact(Rule(one)), exact(Rule(Loud(2.0))), exact({"x", "y", "z"}), Code(helper).digest)
"""


def test_text_and_digests_are_the_same_in_every_process():
    """Addresses, and the order of a set of words, are others in each."""
    path = os.pathsep.join([os.path.dirname(__file__), *filter(None, [os.environ.get("PYTHONPATH")])])
    found = {
        subprocess.run(
            [sys.executable, "-c", PRINTED],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": path},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in "1234"
    }
    assert len(found) == 1, found


class Bias(NamedTuple):
    """A leader that adds a number to each mean."""

    bias: Any

    def lead(self, now, random):
        best = 0
        for i in range(len(now.state.means)):
            if now.state.means[i] + self.bias[i] > now.state.means[best] + self.bias[best]:
                best = i
        return best


def test_rules_with_arrays_are_swept_and_told_apart(tmp_path):
    question = {"runs": 3, "max_samples": 60, "threshold": "heuristic", "workers": 1, "progress": False}
    for number, bias in enumerate([np.zeros(3), np.array([0.0, 0.0, 1e-9]), np.array([0.0, 0.0, 1e-10])]):
        found = tt.sweep(
            {"mine": tt.TopTwo(leader=Bias(bias))}, [0.3, 0.9, 0.5], out=tmp_path, engine="python", **question
        )
        assert (found.cells.computed, found.cells.kept) == (1, 0), number
    again = tt.sweep(
        {"mine": tt.TopTwo(leader=Bias(np.zeros(3)))}, [0.3, 0.9, 0.5], out=tmp_path, engine="python", **question
    )
    assert (again.cells.computed, again.cells.kept) == (0, 1)
