"""Compiled = interpreted = naive, exactly, for every name of the Top Two family (the others: test_competitors.py).

The compiled engine is called once per name (compiling is what takes long); the variety of instances goes into the
comparison of the interpreted engine, which runs the same source, with the naive twin.
"""

from typing import NamedTuple

import naive
import numpy as np
import pytest
from naive_competitors import COMPETITORS
from states import same_trace

import toptwo as tt
from toptwo.algorithms import resolve, variants
from toptwo.engine.compiling import _tabulated

NAMES = [name for name in variants() if name not in COMPETITORS]

CAP = {"TTPS": 60, "TTEI": 120, "TT-LE": 120}
"""Most samples of a run of the rules that are slow without a compiler; 700 for the others."""


def cap(name):
    return next((samples for slow, samples in CAP.items() if slow in str(name)), 700)


def outcome(result, run):
    return (
        int(result.stopping_times[run]),
        int(result.recommended[run]),
        bool(result.decided[run]),
        result.counts[run].tolist(),
    )


def play(name, means, delta, threshold, sigma, epsilon, engine="python", **options):
    return tt.simulate(
        name,
        means,
        delta=delta,
        threshold=threshold,
        family=tt.Gaussian(sigma),
        epsilon=epsilon,
        engine=engine,
        threads=1,
        **options,
    )


def twin(name, means, delta, threshold, sigma, epsilon, **options):
    return naive.run(name, means, delta, threshold, sigma=sigma, epsilon=epsilon, **options)


INSTANCES = np.array(
    [
        [0.1, 0.9, 0.5, 0.3],
        [0.6, 0.5, 0.2, 0.7],
        [-1.0, 0.4, 1.0, 0.8],
        [0.0, -3.0, 0.55, 0.45],
        [0.3, 0.29, 0.31, 0.33],
        [-40.0, 2.0, 0.5, 1.2],
    ]
)


PREFIXED = ("TTUCB", "T3C", "EB-TCI")
"""Algorithms of which `make test` compiles every variant; of the others it compiles the plain form."""

COMPILED = [
    name if name in tt.algorithms() or name.endswith(PREFIXED) else pytest.param(name, marks=pytest.mark.slow)
    for name in NAMES
]


@pytest.mark.parametrize("name", COMPILED)
def test_compiled_is_interpreted_is_naive(name):
    # Names of the same rules (TTUCB is T-TTUCB) share a threshold and so their compiled code.
    threshold = ["mixture", "heuristic"][len(repr(resolve(name))) % 2]
    question = {"delta": 0.05, "threshold": threshold, "sigma": 0.8, "epsilon": 0.02}
    options = {"seed": 11, "max_samples": cap(name), "trace": [4, 5, 9, 40, 2000]}
    compiled = play(name, INSTANCES, engine="cpu", **question, **options)
    plain = play(name, INSTANCES, **question, **options)
    for part in ("stopping_times", "recommended", "decided", "counts", "means"):
        left, right = getattr(compiled, part), getattr(plain, part)
        assert left.dtype == right.dtype
        assert np.array_equal(left, right), part
    assert same_trace(compiled, plain)
    for run, means in enumerate(INSTANCES):
        assert outcome(compiled, run) == twin(name, means.tolist(), **question, seed=11, run=run, max_samples=cap(name))


# means, δ, threshold, σ, ε
CASES = {
    "two arms": ([0.0, 0.7], 0.1, "proven", 1.0, 0.0),
    "three, small noise": ([0.5, 0.42, 0.55], 0.01, "mixture", 0.1, 0.0),
    "four, margin": ([0.1, 0.5, 0.9, 0.4], 0.1, "heuristic", 0.7, 0.1),
    "equal best, margin": ([0.2, 1.0, 0.1, 1.0, 0.3], 0.05, "mixture", 1.5, 0.4),
    "six, large noise": ([0.0, 1.0, 2.5, 5.0, 3.5, 1.5], 0.1, "heuristic", 4.0, 0.0),
    "far below": ([-30.0, 0.0, 1.5, 0.7], 1e-9, "proven", 1.0, 0.0),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", NAMES)
def test_interpreted_is_naive(name, case):
    means, *question = CASES[case]
    result = play(name, means, *question, runs=2, seed=2023, max_samples=cap(name))
    for run in range(2):
        assert outcome(result, run) == twin(name, means, *question, seed=2023, run=run, max_samples=cap(name))


def top_two(leader, challenger, beta=0.5, choice=naive.Tracking):
    proportion = naive.InformationDirected() if beta == "ids" else naive.Fixed(beta)
    return naive.TopTwo(leader, challenger, proportion, choice())


EB, TS, UCB = naive.EmpiricalBest, naive.ThompsonSampling, naive.UpperConfidenceBound
TC, CLOSEST = naive.TransportationCost, naive.ClosestTransportationCost

# The package's object, and a maker of its twin.
OPTIONS = {
    "closest": (tt.TTUCB(ties="closest"), lambda: top_two(UCB(), CLOSEST())),
    "closest, adaptive": (tt.TTUCB("ids", ties="closest"), lambda: top_two(UCB(), CLOSEST(), "ids")),
    "closest T3C": (tt.T3C(ties="closest"), lambda: top_two(TS(), CLOSEST(), choice=naive.Sampling)),
    "closest EB-TC": (tt.EBTC(ties="closest"), lambda: top_two(EB(), CLOSEST(), choice=naive.Sampling)),
    "g_u": (tt.TTUCB(bonus="union"), lambda: top_two(UCB(naive.union_bonus), TC())),
    "alpha, s": (
        tt.TTUCB(alpha=1.5, s=2.0),
        lambda: top_two(UCB(lambda n: naive.mixture_bonus(n, alpha=1.5, s=2.0)), TC()),
    ),
    "shared": (tt.TTUCB(choice="shared"), lambda: top_two(UCB(), TC(), choice=naive.SharedTracking)),
    "shared, adaptive": (
        tt.TTUCB("ids", choice="shared"),
        lambda: top_two(UCB(), TC(), "ids", choice=naive.SharedTracking),
    ),
    "beta 0.3": (tt.TTUCB(0.3), lambda: top_two(UCB(), TC(), 0.3)),
    "beta 0.7, sampling": (
        tt.EBTCI(0.7),
        lambda: top_two(EB(), naive.TransportationCostImproved(), 0.7, choice=naive.Sampling),
    ),
    "TTTS, beta 0.8, tracking": (
        tt.TTTS(0.8, choice="tracking"),
        lambda: top_two(TS(), naive.Resampling(), 0.8),
    ),
    "TT-IMED, beta 0.9": (tt.TTIMED(0.9), lambda: top_two(naive.RegretMinimiser(naive.imed), TC(), 0.9)),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("option", OPTIONS)
def test_options_are_naive(option, case):
    algorithm, make = OPTIONS[option]
    means, *question = CASES[case]
    result = play(algorithm, means, *question, runs=2, seed=7, max_samples=800)
    for run in range(2):
        expected = twin(algorithm, means, *question, seed=7, run=run, max_samples=800, algorithm=make())
        assert outcome(result, run) == expected


@pytest.mark.parametrize("option", ["closest", "g_u", "shared"])
def test_options_compiled(option):
    algorithm, make = OPTIONS[option]
    question = {"delta": 0.1, "threshold": "heuristic", "sigma": 1.0, "epsilon": 0.0}
    result = play(algorithm, INSTANCES, engine="cpu", **question, seed=3, max_samples=1000)
    for run, means in enumerate(INSTANCES):
        expected = twin(algorithm, means.tolist(), **question, seed=3, run=run, max_samples=1000, algorithm=make())
        assert outcome(result, run) == expected


def test_all_kinds_of_ends_are_compared():
    """The cases above contain runs that stop and runs that do not, and both kinds of answers."""
    ends = set()
    for means, *question in CASES.values():
        result = play("TTEI", means, *question, runs=2, seed=2023, max_samples=cap("TTEI"))
        ends |= set(result.decided.tolist())
    assert ends == {True, False}


def test_stopping_is_checked_before_the_limit():
    """A run that may stop at its last sample is decided; with one sample less it is not."""
    means, *question = CASES["four, margin"]
    samples = outcome(play("TTUCB", means, *question, runs=1, seed=5), 0)[0]
    for limit, decided in ((samples, True), (samples - 1, False)):
        got = outcome(play("TTUCB", means, *question, runs=1, seed=5, max_samples=limit), 0)
        assert got == twin("TTUCB", means, *question, seed=5, max_samples=limit)
        assert (got[0], got[2]) == (limit, decided)


def test_a_wrong_twin_is_noticed():
    """Negative control: each single change of a rule in the twin breaks equality on the cases above."""

    def fails(name, make):
        for means, *question in CASES.values():
            result = play(name, means, *question, runs=2, seed=2023, max_samples=400)
            for run in range(2):
                got = twin(name, means, *question, seed=2023, run=run, max_samples=400, algorithm=make())
                if got != outcome(result, run):
                    return True
        return False

    class StrictTracking(naive.Tracking):
        def takes_leader(self, leader, share, data, random):
            return super().takes_leader(leader, share - 1e-9, data, random)

    wrong = {
        "bonus": lambda: top_two(UCB(lambda n: naive.mixture_bonus(n - 1)), TC()),
        "ties": lambda: top_two(UCB(), CLOSEST()),
        "tracking": lambda: top_two(UCB(), TC(), choice=StrictTracking),
        "proportion": lambda: top_two(UCB(), TC(), "ids"),
    }
    assert not fails("TTUCB", lambda: naive.by_name("TTUCB"))
    assert {change for change, make in wrong.items() if fails("TTUCB", make)} == set(wrong)


class Wrapped(NamedTuple):
    """A schedule that passes on another one's values."""

    bonus: tt.rules.MixtureBonus | tt.rules.UnionBonus

    def at(self, n):
        return self.bonus.at(n)


def test_schedules_with_equal_fields_keep_their_own_tables():
    """NamedTuples of different classes compare equal; the compiled engine's tables must not be shared between them."""
    bonuses = [tt.rules.MixtureBonus(), tt.rules.UnionBonus()]
    assert bonuses[0] == bonuses[1]
    tables = [_tabulated(part) for part in (*bonuses, *map(Wrapped, bonuses))]
    assert len({id(table.values) for table in tables}) == 4
    assert _tabulated(tt.rules.UnionBonus(1.2, 1.2)).values is tables[1].values


def test_the_twin_knows_every_algorithm():
    assert {naive.by_name(name) is not None for name in NAMES} == {True}
    assert set(naive.ALGORITHMS) | set(COMPETITORS) | {"uniform", "AT2", "TT-LE"} == set(tt.algorithms())
    assert repr(resolve("T-TTUCB")) == repr(resolve("TTUCB"))
