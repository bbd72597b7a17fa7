"""Diagnostics speak up where the data break the family, and keep quiet elsewhere."""

import itertools
import json
import math
import random

import pytest
from scipy import stats

import toptwo as tt
from toptwo.families.base import for_arms
from toptwo.study.diagnostics import Diagnostics
from toptwo.study.diagnostics import base as shared
from toptwo.study.diagnostics.spread import log_e_value
from toptwo.study.diagnostics.tally import Tally

SURE = 1e-6
"""Probability that a right program fails a statistical test here."""


def kinds(family, values, arms=2):
    """Return the kinds of what is said of rows of values, one per arm."""
    watch = Diagnostics(for_arms(family, arms), arms)
    for row in values:
        for arm, value in enumerate(row):
            watch.see(arm, value)
    return {diagnosis.kind for diagnosis in watch.read()}


def noise_of(seed, count, law):
    stream = random.Random(seed)
    return [[law(stream, number) for _ in range(2)] for number in range(count)]


def correlated(strength):
    """Return noise of standard deviation 1 in which each value remembers the one before."""
    last = [0.0, 0.0]
    turn = itertools.cycle((0, 1))

    def draw(stream, number):
        arm = next(turn)
        last[arm] = strength * last[arm] + math.sqrt(1.0 - strength * strength) * stream.gauss(0.0, 1.0)
        return last[arm]

    return draw


UNKNOWN, KNOWN = tt.GaussianUnknownVariance(), tt.Gaussian(1.0)


# --- data that break a family -----------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("kind", "family", "count", "law"),
    [
        ("spread", KNOWN, 5, lambda stream, number: stream.gauss(0.0, 10.0)),
        ("spread", KNOWN, 80, lambda stream, number: stream.gauss(0.0, 1.5)),
        ("spread", tt.Gaussian([1.0, 0.5]), 40, lambda stream, number: stream.gauss(0.0, 1.0)),
        ("outliers", KNOWN, 400, lambda stream, number: stream.gauss(0.0, 0.5) + 30.0 * (number == 300)),
        ("outliers", UNKNOWN, 400, lambda stream, number: stream.gauss(0.0, 1.0) + 30.0 * (number == 300)),
        ("skew", UNKNOWN, 1024, lambda stream, number: stream.expovariate(1.0)),
        ("drift", UNKNOWN, 256, lambda stream, number: stream.gauss(0.01 * number, 1.0)),
        ("drift", KNOWN, 256, lambda stream, number: stream.gauss(-0.01 * number, 0.9)),
        ("drift", tt.Bernoulli(), 1024, lambda stream, number: float(stream.random() < 0.2 + 0.0005 * number)),
        ("drift", tt.Bounded(0, 10), 2048, lambda stream, number: 3 + 0.003 * number * stream.random()),
        ("autocorrelation", UNKNOWN, 4096, correlated(0.8)),
        ("autocorrelation", tt.Bounded(-9, 9), 4096, correlated(0.8)),
        (
            "autocorrelation",
            tt.Poisson(),
            4096,
            lambda stream, number: float(5 * (number // 2 % 2) + stream.randrange(3)),
        ),
        ("coins", KNOWN, 10, lambda stream, number: float(stream.random() < 0.5)),
        ("coins", UNKNOWN, 10, lambda stream, number: float(stream.random() < 0.5)),
        ("constant", KNOWN, 20, lambda stream, number: 3.5),
        ("constant", UNKNOWN, 2, lambda stream, number: 3.5),
    ],
)
def test_data_that_break_a_family_are_told(kind, family, count, law, seed):
    assert kind in kinds(family, noise_of(seed, count, law))


@pytest.mark.parametrize("family", [tt.Bernoulli(), tt.Poisson(), tt.Bounded(0, 1), tt.Exponential()])
def test_zeros_ones_and_equal_values_are_no_surprise_to_others(family):
    assert kinds(family, [[1.0, 1.0]] * 40) == set()


# --- data as assumed --------------------------------------------------------------------------------------------------
AS_ASSUMED = {
    "gaussian": (KNOWN, lambda stream: stream.gauss(0.0, 1.0)),
    "sub-gaussian coins": (tt.Gaussian(0.5), lambda stream: float(stream.random() < 0.3) + 1e-9),
    "unknown variance": (UNKNOWN, lambda stream: stream.gauss(5.0, 3.0)),
    "bernoulli": (tt.Bernoulli(), lambda stream: float(stream.random() < 0.4)),
    "exponential": (tt.Exponential(), lambda stream: stream.expovariate(1.0)),
    "bounded": (tt.Bounded(), lambda stream: stream.random() ** 8),
}


def studies_that_speak(name, studies, seed):
    """Return in how many studies of data as assumed anything is said, read after every value."""
    family, law = AS_ASSUMED[name]
    stream, spoke = random.Random(seed), 0
    for _ in range(studies):
        watch, said = Diagnostics(family, 2), False
        for number in range(256):
            watch.see(number % 2, law(stream))
            said = said or bool(watch.read() if number % 16 == 0 or number == 255 else watch._noted)
        spoke += said
    return spoke


@pytest.mark.parametrize("name", AS_ASSUMED)
def test_data_as_assumed_raise_no_alarm(name, seed, monkeypatch):
    """Six diagnostics, FALSE_ALARM each, over a whole study; tests of 5 % made at every look are no substitute."""
    studies = 150
    limit = int(stats.binom.isf(SURE, studies, 6 * shared.FALSE_ALARM))
    assert studies_that_speak(name, studies, seed) <= limit
    for module in ("skew", "drift", "autocorrelation"):
        monkeypatch.setattr(f"toptwo.study.diagnostics.{module}.allowed", lambda arms, values: math.log(0.4))
    monkeypatch.setattr("toptwo.study.diagnostics.outliers.Outliers._allowed", lambda self, arm, before: math.log(0.05))
    assert studies_that_speak(name, studies, seed) > limit


# --- the bounds that they rest on -------------------------------------------------------------------------------------
@pytest.mark.parametrize("freedom", [2.0, 3.0, 10.0, 300.0])
def test_the_bound_of_students_tail_is_above_it_and_not_by_much(freedom):
    for t in (1.0, 3.0, 6.0, 30.0):
        exact = math.log(2.0) + stats.t.logsf(t, freedom)
        assert exact <= shared.log_student_tail(t * t, freedom) <= exact + 1.2
    assert shared.log_student_tail(0.0, freedom) == 0.0


def test_the_bound_for_coins_is_above_the_binomial_tail():
    for tosses in (8, 100, 1000):
        for heads in range(tosses + 1):
            away = abs(heads - 0.5 * tosses)
            exact = 2.0 * stats.binom.sf(0.5 * tosses + away - 0.5, tosses, 0.5) if away else 1.0
            assert math.log(exact) <= shared.log_fair_coins(heads, tosses) + 1e-9


def test_what_is_spent_over_all_milestones_is_the_false_alarm():
    spent = sum(math.exp(shared.allowed(5, 8 << turn)) for turn in range(500)) * 5
    assert 0.99 * shared.FALSE_ALARM < spent < shared.FALSE_ALARM


def e_value(values, sigma):
    tally = Tally()
    for value in values:
        tally.add(value)
    return math.exp(log_e_value(tally.squares / sigma**2, tally.count))


def expected_e_value(sigma, adaptive):
    """Return the mean of the e-value over all sequences of twelve fair signs, stopped early by somebody who hopes."""
    total = 0.0
    for signs in itertools.product((-1.0, 1.0), repeat=12):
        won = 0.0
        for count in range(1, 13):
            won = e_value(signs[:count], sigma)
            if adaptive and won > 2.0:
                break
        total += won / 2.0**12
    return total


@pytest.mark.parametrize("adaptive", [False, True])
def test_the_e_value_of_sub_gaussian_noise_is_at_most_one_on_average(adaptive):
    assert expected_e_value(1.0, adaptive) <= 1.0
    assert expected_e_value(0.5, adaptive) > 1.0, "a sigma that is too small must show"


# --- in a study -------------------------------------------------------------------------------------------------------
DISASTER = (0.0, 6.0, 2.0)
"""Means that noise of σ = 10 hides."""


def disaster(seed, **options):
    noise = random.Random(seed)
    return tt.identify(lambda arm: noise.gauss(DISASTER[arm], 10.0), 3, 0.05, max_samples=600, **options)


def test_a_forgotten_sigma_is_no_disaster(seed):
    """σ = 10 in truth: right without a family; wrong and certain with σ = 1, and then every verdict says so."""
    runs = 60
    limit = int(stats.binom.isf(SURE, runs, 0.05))
    unsaid, told = (
        [disaster(1000 * seed + run, family=law) for run in range(runs)] for law in (None, tt.Gaussian(1.0))
    )
    assert sum(verdict.decided and verdict.arm != 1 for verdict in unsaid) <= limit
    assert sum(verdict.decided for verdict in unsaid) >= 20
    wrong = [verdict for verdict in told if verdict.decided and verdict.arm != 1]
    assert len(wrong) > limit
    assert all("sigma" in " ".join(verdict.diagnostics) for verdict in told)
    assert all(verdict.diagnostics[0] in str(verdict) for verdict in told)


def test_what_is_said_does_not_depend_on_the_order_of_answers():
    values = [random.Random(1).expovariate(1.0) + 0.01 * number for number in range(300)]
    verdicts = []
    for order in (range(300), reversed(range(300))):
        study = tt.create_study(["x", "y"], algorithm="uniform", delta=1e-12)
        pulls = study.ask(300)
        for number in order:
            study.tell(pulls[number], values[number])
        verdicts.append(study.verdict)
    assert verdicts[0].diagnostics == verdicts[1].diagnostics
    assert any("x" in sentence and "drift" in sentence for sentence in verdicts[0].diagnostics)


def test_what_is_said_survives_a_snapshot():
    one, other = Diagnostics(UNKNOWN, 2), Diagnostics(UNKNOWN, 2)
    values = noise_of(3, 77, lambda stream, number: stream.expovariate(1.0) ** 3)
    for row in values[:40]:
        for arm, value in enumerate(row):
            one.see(arm, value)
    other.restore(json.loads(json.dumps(one.snapshot())))
    for row in values[40:]:
        for arm, value in enumerate(row):
            one.see(arm, value)
            other.see(arm, value)
    assert one.snapshot() == other.snapshot()
    assert one.read(over=True) == other.read(over=True) != ()


def test_values_are_judged_as_they_were_measured():
    study = tt.create_study(2, direction="minimize", algorithm="uniform", delta=1e-12)
    for number in range(600):
        study.tell(study.ask(), random.Random(number).gauss(0.01 * number, 1.0))
    assert any("rise" in sentence for sentence in study.verdict.diagnostics)
