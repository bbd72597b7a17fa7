"""Compiled = interpreted = naive, pull for pull, for the competitors of the Top Two family."""

import itertools
import math

import naive_competitors as twins
import naive_tracking as tracking
import numpy as np
import pytest
from naive import scan
from states import same_trace
from test_equality import INSTANCES, outcome, play

import toptwo as tt

NO_MARGIN = {"lilUCB", "lilUCB-heuristic", "Exp-Gap"}
"""Algorithms that have no answer for a margin."""

BY_THRESHOLD = {"TaS", "TaS-C", "FWS", "DKM", "EBS", "LUCB", "1/2-LUCB"}
"""Algorithms that stop by the threshold given; the others bring their own."""

BULK = {"Exp-Gap", "Peace"}
"""Algorithms that pull in batches, so that many samples cost little."""


def cap(name):
    return 3_000_000 if name in BULK else 400 if name == "DKM" else 1200


def margin(name, epsilon):
    return 0.0 if name in NO_MARGIN else epsilon


def is_outcome(got, name, *question, twin=None, **options):
    """Whether the twin has this outcome: that of DKM with some way to round the gains of the first rounds."""
    twin = twin or twins.COMPETITORS[name]
    ways = itertools.product((0, 1, -1), repeat=3) if name == "DKM" else [()]
    return any(got == twins.run(name, *question, twin=rounding(twin, nudges), **options) for nudges in ways)


def rounding(twin, nudges):
    return type(twin.__name__, (twin,), {"nudges": nudges})


@pytest.mark.parametrize("name", twins.COMPETITORS)
def test_compiled_is_interpreted_is_naive(name):
    question = {"delta": 0.05, "threshold": "heuristic", "sigma": 0.4, "epsilon": margin(name, 0.02)}
    options = {"seed": 11, "max_samples": cap(name)}
    compiled = play(name, INSTANCES, engine="cpu", **question, **options, trace=[4, 5, 9, 40, 5000])
    plain = play(name, INSTANCES, engine="python", **question, **options, trace=[4, 5, 9, 40, 5000])
    for part in ("stopping_times", "recommended", "decided", "counts", "means"):
        assert np.array_equal(getattr(compiled, part), getattr(plain, part)), part
    assert same_trace(compiled, plain)
    for run, means in enumerate(INSTANCES):
        assert is_outcome(outcome(compiled, run), name, means.tolist(), run=run, **question, **options)


# means, δ, threshold, σ, ε
CASES = {
    "two arms": ([0.0, 0.7], 0.1, "proven", 0.5, 0.0),
    "two, margin": ([0.4, 0.3], 0.2, "heuristic", 0.25, 0.15),
    "three, small noise": ([0.5, 0.42, 0.55], 0.01, "mixture", 0.05, 0.0),
    "three, tiny noise": ([0.5, 0.9, 0.7], 0.1, "heuristic", 0.01, 0.05),
    "four, margin": ([0.1, 0.5, 0.9, 0.4], 0.1, "heuristic", 0.4, 0.1),
    "five, large noise": ([0.0, 1.0, 2.5, 5.0, 3.5], 0.1, "heuristic", 2.0, 0.0),
    "five, equal best": ([0.2, 1.0, 0.1, 1.0, 0.3], 0.05, "mixture", 0.4, 0.4),
    "far below": ([-30.0, 0.0, 1.5, 0.7], 1e-4, "proven", 0.5, 0.0),
}


def question_of(name, case):
    """Means and question of a case, without the margin where there can be none; None if that leaves no best arm."""
    means, delta, threshold, sigma, epsilon = CASES[case]
    if name in NO_MARGIN and means.count(max(means)) > 1:
        means = [mean + 0.2 * (i == 1) for i, mean in enumerate(means)]
    return means, delta, threshold, sigma, margin(name, epsilon)


def is_case(got, name, case, seed, run, twin=None):
    means, delta, threshold, sigma, epsilon = question_of(name, case)
    options = {"sigma": sigma, "epsilon": epsilon, "max_samples": cap(name), "twin": twin}
    return is_outcome(got, name, means, delta, threshold, seed, run, **options)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", twins.COMPETITORS)
def test_interpreted_is_naive(name, case, seed):
    result = play(name, *question_of(name, case), runs=3, seed=seed, max_samples=cap(name))
    for run in range(3):
        assert is_case(outcome(result, run), name, case, seed, run)


@pytest.mark.parametrize("threshold", ["heuristic", "proven", "mixture"])
@pytest.mark.parametrize("name", twins.COMPETITORS)
def test_thresholds(name, threshold, seed):
    """Every threshold with every algorithm; those with a rule of their own do not care."""
    means, question = [0.3, 0.0, 1.1, 0.6], {"delta": 0.1, "sigma": 0.4, "epsilon": 0.0, "seed": seed}
    results = {
        name_of: outcome(play(name, means, threshold=name_of, runs=1, max_samples=cap(name), **question), 0)
        for name_of in {threshold, "heuristic"}
    }
    assert is_outcome(results[threshold], name, means, threshold=threshold, max_samples=cap(name), **question)
    assert name in BY_THRESHOLD or results[threshold] == results["heuristic"]


@pytest.mark.parametrize("name", ["LUCB", "SE", "Exp-Gap", "Peace"])
def test_limits_cut_rounds_and_batches(name):
    """At every limit around the stopping time, and in the middle of pairs, rounds and batches."""
    means, question = [0.0, 1.0, 0.4], {"delta": 0.1, "threshold": "heuristic", "sigma": 0.3, "epsilon": 0.0, "seed": 4}
    samples = twins.run(name, means, **question)[0]
    decided = []
    for limit in (3, 4, 5, 10, samples // 2, samples - 2, samples - 1, samples, samples + 1):
        got = outcome(play(name, means, runs=1, max_samples=limit, **question), 0)
        assert got == twins.run(name, means, max_samples=limit, **question)
        decided.append(got[2])
    assert decided == [False] * 7 + [True] * 2


# ---------------------------------------------------------------------------------------------------- negative controls


class LowerFloor(tracking.TrackAndStopCumulative):
    def floor(self, data):
        return (data.arms**2 + sum(data.count) + data.arms) ** -0.5 / 2


class LessForced(tracking.TrackAndStop):
    def choose(self, data, random):
        t = sum(data.count)
        if min(data.count) == math.ceil(math.sqrt(t) - data.arms / 2) - 1:
            weights = tracking.optimal_weights(data.mean)
            return scan(range(data.arms), lambda i: weights[i] - data.count[i] / t, random)
        return super().choose(data, random)


class NarrowSubdifferential(tracking.FrankWolfe):
    exponent = 1.0


class OneLearner(tracking.PureExplorationGame):
    def start(self):
        super().start()
        self.learners = [self.learners[0] for _ in self.learners]


class NarrowBox(tracking.ExplorationBiased):
    def box(self, data):
        lower, upper = super().box(data)
        return lower, [u - 0.01 * (u - low) for low, u in zip(lower, upper, strict=True)]


class FreshRival(twins.LUCB):
    def choose(self, data, random):
        second = self.second is not None
        arm = super().choose(data, random)
        return self.rival(data, random) if second else arm


class MoreBest(twins.HalfLUCB):
    beta = 0.51


class NextTime(twins.LUCB1):
    def level(self, t):
        return super().level(t + 1)


class NoLogarithm(twins.KLLUCB):
    def level(self, t):
        return math.log(405.5 * self.question.arms * t**1.1 / self.question.delta)


class RivalFirst(twins.UGapE):
    def choose(self, data, random):
        best = scan(range(data.arms), lambda k: -self.gap(k, data), random)
        rival = scan(tracking.others(best, data), lambda i: self.upper(i, data), random)
        return rival if data.count[rival] <= data.count[best] else best


class Careful(twins.SuccessiveElimination):
    """δ a little smaller."""

    def start(self):
        super().start()
        self.question = tracking.Question(**{**vars(self.question), "delta": self.question.delta * 0.9})


class Loose(twins.LilUCB):
    @property
    def confidence(self):
        return super().confidence * 1.1


class LooseHeuristic(twins.LilUCBHeuristic):
    @property
    def ratio(self):
        return 1 + 9.9 / self.question.arms


class OneMore(twins.ExponentialGap):
    def quota(self, times, accuracy, log):
        return super().quota(times, accuracy, log) + 1


class Afresh(twins.Peace):
    """The first pull of each arm not counted as part of the phase."""

    def sample(self, survivors, quota):
        self.first.clear()
        return (yield from super().sample(survivors, quota))


WRONG = {
    "TaS": LessForced,
    "TaS-C": LowerFloor,
    "FWS": NarrowSubdifferential,
    "DKM": OneLearner,
    "EBS": NarrowBox,
    "LUCB": FreshRival,
    "1/2-LUCB": MoreBest,
    "LUCB1": NextTime,
    "KL-LUCB": NoLogarithm,
    "UGapE": RivalFirst,
    "SE": Careful,
    "lilUCB": Loose,
    "lilUCB-heuristic": LooseHeuristic,
    "Exp-Gap": OneMore,
    "Peace": Afresh,
}


@pytest.mark.parametrize("name", twins.COMPETITORS)
def test_a_wrong_twin_is_noticed(name):
    """Negative control: one small change of each algorithm in its twin breaks equality on the cases above."""

    def differs():
        for case in CASES:
            result = play(name, *question_of(name, case), runs=2, seed=0, max_samples=cap(name))
            for run in range(2):
                if not is_case(outcome(result, run), name, case, 0, run, twin=WRONG[name]):
                    return True
        return False

    assert differs()


def test_the_answer_is_the_algorithms_own():
    """Peace answers by the averages of its last phase, which in some of these runs is not the highest mean overall."""

    class HighestMean(twins.Peace):
        def answer(self, data):
            return None if super().answer(data) is None else data.recommended

    means, question = (
        [0.5, 0.45, 0.4],
        {"delta": 0.3, "threshold": "heuristic", "sigma": 0.3, "epsilon": 0.6, "seed": 0},
    )
    result = play("Peace", means, runs=60, **question)
    own, other = (
        [twins.run("Peace", means, run=r, twin=t, **question) for r in range(60)] for t in (None, HighestMean)
    )
    assert [outcome(result, run) for run in range(60)] == own
    assert own != other


def test_all_kinds_of_ends_are_compared():
    """The cases contain runs that stop and runs that do not, of eliminations, indices and phases."""
    for name in ("SE", "lilUCB", "Exp-Gap"):
        ends = set()
        for case in CASES:
            ends |= set(play(name, *question_of(name, case), runs=2, seed=0, max_samples=cap(name)).decided.tolist())
        assert ends == {True, False}


@pytest.mark.parametrize("name", twins.COMPETITORS)
def test_equal_values_are_borne(name):
    """Measurements may well be equal: ties of means, bounds and gaps lead nowhere but to more pulls."""
    for values in ([1.0, 1.0, 1.0], [1.0, 1.0, 0.0], [0.0, 1.0, 1.0]):
        study = tt.create_study(3, algorithm=name, delta=0.1, threshold="heuristic", family="gaussian", max_samples=60)
        told = 0
        while study.running:
            pull = study.ask()
            study.tell(pull, values[pull.index])
            told += 1
        assert told == 60
