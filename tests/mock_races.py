"""Races on the mock executor, whose times are made up."""

import math
import random

import toptwo as tt
from toptwo.racing.executors.mock import Mock


def law(mean, spread=0.05, seed=0):
    noise = random.Random(f"{mean} {seed}")
    return lambda number: mean * math.exp(spread * noise.gauss(0.0, 1.0))


def raced(means, seed=0, spread=0.05, **options):
    """Race commands named by letters that take these times, the mock's list of runs with the result."""
    names = "abcdefghij"[: len(means)]
    mock = Mock({name: law(mean, spread, f"{seed}{name}") for name, mean in zip(names, means, strict=True)})
    return tt.race(list(names), executor=mock, seed=seed, **options), mock
