"""Random streams: pure functions of their coordinates, uniform and normal to the tails."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import binom, kstest, norm
from states import FALSE_ALARM, chi_square

import toptwo as tt
from toptwo.streams import EDGE, EDGES, HEIGHTS, Random, fork, mix, next_word, normal, unit

DRAWS = 100_000


def words(start, count):
    position = [start]
    return [next_word(position, 0) for _ in range(count)]


def test_words_are_splitmix64():
    """The published outputs of SplitMix64 from state 0."""
    assert words(0, 3) == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]


def test_words_in_another_arithmetic():
    """The generator once more, with NumPy's words that wrap around by themselves."""

    def splitmix(state):
        with np.errstate(over="ignore"):
            state = np.uint64(state) + np.uint64(0x9E3779B97F4A7C15)
            z = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            return int(z ^ (z >> np.uint64(31)))

    for state in (0, 1, 2**63, 2**64 - 1, 0x123456789ABCDEF):
        assert words(state, 1) == [splitmix(state)]


def test_streams_are_pure_functions_of_their_coordinates():
    """The order in which streams are read does not matter, nor who reads them."""
    root = fork(5, 3)

    def read(order):
        positions, seen = [fork(root, arm) for arm in range(3)], {0: [], 1: [], 2: []}
        for arm in order:
            seen[arm].append(next_word(positions, arm))
        return seen

    reference = read([0] * 4 + [1] * 4 + [2] * 4)
    assert read([2, 0, 1] * 4) == reference
    assert read([1, 1, 2, 0, 2, 2, 1, 0, 0, 0, 1, 2]) == reference


def test_forks_are_distinct():
    """Seeds, runs, arms and labels near each other: no two streams start at the same place or pass through it."""
    starts = [fork(fork(seed, run), arm) for seed, run, arm in itertools.product(range(20), range(50), range(10))]
    assert len(set(starts)) == len(starts)
    assert len({word for start in starts[:500] for word in words(start, 50)}) == 500 * 50


def test_rewards_do_not_depend_on_the_algorithm():
    """An algorithm that only pulls arm 0 and one that pulls all see the same rewards of arm 0."""
    question = {"threshold": "heuristic", "seed": 9, "max_samples": 60, "engine": "python"}
    first = tt.simulate("uniform", [0.3, 0.2, 0.1], runs=6, trace=[3], **question)
    second = tt.simulate("T3C", [0.3, 0.2, 0.1], runs=6, trace=[3], **question)
    assert first.trace.recommended.tolist() == second.trace.recommended.tolist()


def is_uniform(values):
    return kstest(values, "uniform").pvalue > FALSE_ALARM


def test_uniforms(seed):
    random = Random([fork(seed, 1)])
    values = np.array([random.uniform() for _ in range(DRAWS)])
    assert 0 < values.min() < values.max() < 1
    assert is_uniform(values)
    assert is_uniform((values[:-1] + values[1:])[::2] % 1)
    assert not is_uniform(values**1.1)
    assert (unit(0), unit(2**64 - 1)) == (2.0**-53, 1 - 2.0**-53)


def test_first_words_of_neighbouring_streams_are_uniform(seed):
    """Across runs and across arms, where a weak hash would show."""
    across_runs = [unit(words(fork(fork(seed, run), 1), 1)[0]) for run in range(DRAWS // 2)]
    across_arms = [unit(words(fork(fork(seed, 1), arm), 1)[0]) for arm in range(DRAWS // 2)]
    across_seeds = [unit(words(fork(fork(seed + 1000 * k, 0), 0), 1)[0]) for k in range(DRAWS // 2)]
    for values in (across_runs, across_arms, across_seeds):
        assert is_uniform(values)
        correlation = np.corrcoef(values[:-1], values[1:])[0, 1]
        assert abs(correlation) < norm.isf(FALSE_ALARM / 2) / math.sqrt(len(values))


def test_every_bit_is_fair(seed):
    drawn = np.array(words(fork(seed, 2), DRAWS), dtype=np.uint64)
    low, high = binom.ppf(FALSE_ALARM / 128, DRAWS, 0.5), binom.isf(FALSE_ALARM / 128, DRAWS, 0.5)
    for bit in range(64):
        assert low <= int(((drawn >> np.uint64(bit)) & np.uint64(1)).sum()) <= high


def normals(seed, label, count):
    random = Random([fork(seed, label)])
    return np.array([random.normal() for _ in range(count)])


CELLS = [-math.inf, -3.5, -3.0, -2.5, -2.0, -1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, math.inf]


def is_normal(values):
    """Kolmogorov and Smirnov for the body, a chi-square on cells for the tails."""
    observed = np.histogram(values, bins=[-1e9, *CELLS[1:-1], 1e9])[0].tolist()
    statistic, critical = chi_square(observed, np.diff(norm.cdf(CELLS)).tolist())
    return kstest(values, "norm").pvalue > FALSE_ALARM / 2 and statistic <= critical


def test_normals(seed):
    values = normals(seed, 3, 2 * DRAWS)
    assert is_normal(values)
    assert is_normal((values[::2] + values[1::2]) / math.sqrt(2))


def test_control_near_normals_are_told_apart(seed):
    """A sum of six uniforms, a cut tail, a forgotten sign, a wrong scale."""
    uniform = np.random.default_rng(seed).uniform(size=(2 * DRAWS, 6))
    assert not is_normal((uniform.sum(axis=1) - 3) * math.sqrt(2))
    values = normals(seed, 3, 2 * DRAWS)
    assert not is_normal(np.clip(values, -3.2, 3.2) * (1 - 1e-9))
    assert not is_normal(np.where(np.abs(values) > 3, np.abs(values), values))
    assert not is_normal(values * 1.03)


def test_tail_beyond_the_edge(seed):
    """Words that pick layer 0 and miss its core are all in the tail beyond 3.654, with the law of that tail.

    That happens with exactly the tail's probability, so a word that got away from there would thin out the tail: too
    rare to be seen in `test_normals`, hence words made to order (the layer's bits 0, the size's bits large).
    """
    beyond = np.array([normal((word & ~(255 << 1)) | (0xFFFF << 48)) for word in words(fork(seed, 4), 30_000)])
    sizes, signs = np.abs(beyond), np.sign(beyond)
    assert sizes.min() > EDGE
    tail = norm.sf(EDGE)
    assert kstest(sizes, lambda x: 1 - norm.sf(x) / tail).pvalue > FALSE_ALARM
    assert kstest(sizes, lambda x: 1 - np.exp(-EDGE * (x - EDGE))).pvalue <= FALSE_ALARM
    low, high = binom.ppf(FALSE_ALARM / 2, len(signs), 0.5), binom.isf(FALSE_ALARM / 2, len(signs), 0.5)
    assert low <= int((signs > 0).sum()) <= high


def test_ziggurat_layers_have_equal_area():
    """256 layers under the normal density, the first with the tail: each has 1/256 of the area under its covering."""
    area = EDGE * HEIGHTS[1] + math.sqrt(math.pi / 2) * math.erfc(EDGE / math.sqrt(2))
    assert len(EDGES) == 257
    assert EDGES[0] * HEIGHTS[1] == pytest.approx(area, rel=1e-13)
    for layer in range(1, 256):
        assert EDGES[layer] * (HEIGHTS[layer + 1] - HEIGHTS[layer]) == pytest.approx(area, rel=1e-6)
        assert HEIGHTS[layer] == pytest.approx(math.exp(-(EDGES[layer] ** 2) / 2), rel=1e-14)
    assert HEIGHTS[256] == 1.0


def test_normal_of_a_word_is_a_function():
    assert [normal(mix(k)) for k in range(100)] == [normal(mix(k)) for k in range(100)]
