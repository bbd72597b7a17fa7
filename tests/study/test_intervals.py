"""Intervals agree with the stopping rule, are right as often as they promise, and cost nothing until somebody looks."""

import json
import math
import pickle
import random

import pytest
from scipy.stats import binom

import toptwo as tt
from toptwo.families.base import evidence_against_mean, mean_range
from toptwo.rules.looks import wealth_at_margin
from toptwo.rules.parts import Seen, learn
from toptwo.rules.round import survey
from toptwo.state import state_of
from toptwo.study.designs.independent import Independent
from toptwo.study.intervals import Interval, PullBounds, edge

FALSE_ALARM = 1e-6

FAMILIES = {
    "gaussian": (tt.Gaussian(0.5), lambda noise, mean: noise.gauss(mean, 0.5)),
    "one σ per arm": (tt.Gaussian([0.5, 0.3, 0.4]), lambda noise, mean: noise.gauss(mean, 0.3)),
    "unknown variance": (tt.GaussianUnknownVariance(), lambda noise, mean: noise.gauss(mean, 0.5)),
    "bernoulli": (tt.Bernoulli(), lambda noise, mean: float(noise.random() < mean)),
    "poisson": (tt.Poisson(), lambda noise, mean: float(sum(noise.random() < mean / 20 for _ in range(20)))),
    "exponential": (tt.Exponential(), lambda noise, mean: noise.expovariate(1.0 / mean)),
    "gamma": (tt.Gamma(2.0), lambda noise, mean: noise.gammavariate(2.0, mean / 2.0)),
    "bounded": (tt.Bounded(), lambda noise, mean: 0.2 * noise.random() + mean - 0.1),
}
MEANS = (0.3, 0.8, 0.5)


def thresholds(family):
    return [*FAMILIES[family][0].levels(), "heuristic"]


def design_of(family, threshold, epsilon=0.0, direction=1.0, delta=0.1, arms=3, algorithm=None):
    return Independent(
        arms,
        delta=delta,
        epsilon=epsilon,
        algorithm=algorithm or tt.TTUCB(ties="closest"),
        threshold=threshold,
        family=FAMILIES[family][0] if isinstance(family, str) else family,
        sign=direction,
        max_samples=700,
        seed=0,
    )


def step(design, value_of):
    choice = design.choose(1)
    design.asked(choice)
    design.told(design.pulls - 1, value_of(choice.row[0]))


QUESTIONS = ((0.0, 1.0), (0.15, 1.0), (0.1, -1.0))
"""Margins and directions: one of them for each rule in `make test`, all in `make test-all`."""

CASES = [
    pytest.param(family, threshold, *question, marks=() if (turn + number) % 3 == 0 else pytest.mark.slow)
    for turn, (family, threshold) in enumerate((family, rule) for family in FAMILIES for rule in thresholds(family))
    for number, question in enumerate(QUESTIONS)
]


# --- agreement --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("family", "threshold", "epsilon", "direction"), CASES)
def test_the_rule_stops_exactly_when_the_intervals_say_so(family, threshold, epsilon, direction, seed):
    """Every gap at or above −ε, contenders the leader alone, and the study over: all three or none."""
    noise, draw = random.Random(seed), FAMILIES[family][1]
    one = design_of(family, threshold, epsilon, direction)
    early = looks = 0
    while not one.over:
        step(one, lambda arm: draw(noise, MEANS[arm]))
        if one.now is None or (one.pulls % 7 and not one.over):
            continue
        bounds = one.findings().bounds
        rivals = [arm for arm in range(3) if arm != one.best]
        above = all(bounds.gap(arm).low >= -epsilon for arm in rivals)
        over = one.findings().status == "winner"
        assert above == over
        assert (bounds.contenders == (one.best,)) == over
        assert all((bounds.gap(arm).low < -epsilon) == (arm in bounds.contenders) for arm in rivals)
        assert all(bounds.gap(arm).low <= bounds.gap(arm).high for arm in rivals)
        assert bounds.gap(one.best) is None
        raw = all(bounds._evidence(arm, epsilon, bounds._now) >= 0.0 for arm in rivals)
        if threshold == "betting":  # between two looks the evidence may suffice a little before the rule sees it
            looks, early = looks + 1, early + (raw and not over)
            assert raw or not over
        else:
            assert raw == over
    assert early <= 2 + 0.2 * looks
    assert one.findings().status in ("winner", "undecided")


def test_two_arms_agree_too(seed):
    noise = random.Random(seed)
    for threshold in ("betting", "mixture", "proven", "heuristic"):
        one = design_of(tt.Gaussian(0.5), threshold, arms=2)
        while not one.over:
            step(one, lambda arm: noise.gauss(0.4 * arm, 0.5))
            bounds = one.findings().bounds
            assert bounds is None or (bounds.gap(1 - one.best).low >= 0.0) == one.over


def test_late_answers_wait_for_intervals_too():
    """Intervals read the prefix in the order of asking: the same as if the answers had come at once."""
    values = [random.Random(3).gauss(0.0, 1.0) for _ in range(90)]
    studies = [tt.create_study(3, algorithm="uniform", family=tt.Gaussian(), delta=1e-6) for _ in range(2)]
    for study, order in zip(studies, (range(90), [*range(1, 90), 0]), strict=True):
        pulls = study.ask(90)
        for number in order:
            if number == 0 and order != range(90):
                assert study.verdict.arms[0].interval is None
            study.tell(pulls[number], values[number] + pulls[number].index)
    one, other = studies[0].verdict, studies[1].verdict
    assert [(r.interval, r.gap) for r in one.arms] == [(r.interval, r.gap) for r in other.arms]
    assert one.contenders == other.contenders


@pytest.mark.parametrize("family", ["gaussian", "one σ per arm", "unknown variance", "bounded"])
def test_the_lowest_mean_has_mirrored_intervals(family):
    law, draw = FAMILIES[family]
    noise = random.Random(5)
    values = [[draw(noise, mean) for mean in MEANS] for _ in range(20)]

    def bounds_of(family, sign):
        one = design_of(family, "mixture", direction=sign, delta=1e-9, algorithm=tt.Uniform())
        for row in values:
            for value in row:
                step(one, lambda arm, value=value: sign * value)
        return one.findings().bounds

    up, down = bounds_of(law, 1.0), bounds_of(tt.Bounded(-1.0, 0.0) if family == "bounded" else law, -1.0)
    for arm in range(3):
        assert up.mean(arm) == pytest.approx((-down.mean(arm).high, -down.mean(arm).low), rel=1e-6)
        assert up.gap(arm) is None or up.gap(arm) == pytest.approx(down.gap(arm), rel=1e-6)


def test_intervals_speak_of_values_as_they_were_told():
    """Values far from 0 are kept as differences from an origin; intervals are not."""
    near, far = (
        tt.create_study(3, algorithm="uniform", family=tt.Gaussian(), delta=1e-9, direction="minimize")
        for _ in range(2)
    )
    noise = random.Random(6)
    for number in range(60):
        value = noise.gauss(number % 3, 1.0)
        near.tell(near.ask(), value)
        far.tell(far.ask(), value + 2.0**40)
    for one, other in zip(near.verdict.arms, far.verdict.arms, strict=True):
        assert [end - 2.0**40 for end in other.interval] == pytest.approx(list(one.interval), abs=1e-3)
        assert other.gap is None or list(other.gap) == pytest.approx(list(one.gap), abs=1e-3)


# --- coverage ---------------------------------------------------------------------------------------------------------
def most(runs, delta):
    """Return the number of misses that a true level δ exceeds with probability at most FALSE_ALARM."""
    return int(binom.isf(FALSE_ALARM, runs, delta))


def runs_that_miss(family, excluded, runs, pulls, seed):
    """Return in how many runs of an arm the true mean is outside at some time."""
    law, draw = FAMILIES[family]
    law = law.for_arms(3) if hasattr(law, "for_arms") else law
    noise, missed, mean = random.Random(seed), 0, 0.3
    arm = 1  # the one whose noise `draw` has where arms differ
    for _ in range(runs):
        state = state_of(law, 3)
        for _ in range(pulls):
            law.observe(arm, draw(noise, mean), state)
            if excluded(law, arm, mean, state):
                missed += 1
                break
    return missed


def by_mixture(law, arm, mean, state):
    return evidence_against_mean(law, arm, mean, state) >= -math.log(0.1)


def by_ninety_per_cent(law, arm, mean, state):
    """The likelihood ratio of a 90 % interval made for one look, looked at again and again."""
    return state.counts[arm] > 9.0 and law.deviation(arm, mean, state) >= 0.5 * 1.645**2


@pytest.mark.parametrize("family", FAMILIES)
def test_the_interval_of_a_mean_is_right_at_all_times(family, seed):
    limit = most(300, 0.1)
    assert runs_that_miss(family, by_mixture, 300, 120, seed) <= limit
    assert runs_that_miss(family, by_ninety_per_cent, 300, 120, seed) > limit


@pytest.mark.parametrize("family", FAMILIES)
def test_the_ends_are_where_the_evidence_suffices(family, seed):
    noise, draw = random.Random(seed), FAMILIES[family][1]
    one = design_of(family, "mixture", delta=1e-5)
    while one.pulls < 120 and not one.over:
        step(one, lambda arm: draw(noise, MEANS[arm]))
    bounds, now, law = one.findings().bounds, one.now, one.setup.family
    for arm in range(3):
        low, high = bounds.mean(arm)
        assert low <= now.state.means[arm] <= high
        span = mean_range(law)
        for end in {low, high} - {span.low, span.high}:
            assert evidence_against_mean(law, arm, end, now.state) >= 5 * math.log(10) - 1e-9
            inner = end + 1e-5 * (now.state.means[arm] - end)
            assert evidence_against_mean(law, arm, inner, now.state) < 5 * math.log(10)
        if bounds.gap(arm) is not None:
            rule = one.setup.stopping
            for margin, first, second in ((-bounds.gap(arm).low, now.best, arm), (bounds.gap(arm).high, arm, now.best)):
                assert law.evidence(first, second, margin, now.state) >= rule.level
                inner = margin - 1e-5 * (1.0 + abs(margin))
                assert law.evidence(first, second, inner, now.state) < rule.level


def test_intervals_are_as_short_as_anytime_intervals_can_be_hoped_to_be():
    state = state_of(tt.Gaussian(), 2)
    for arm in (0, 1):
        for number in range(500):
            tt.Gaussian().observe(arm, 0.1 * arm + (-1.0) ** number, state)
    rule = tt.rules.MixtureEvidence(math.log(20.0))
    bounds = PullBounds(rule, survey(1001, 1, 0.0, state, tt.Gaussian()), 0.05, 1.0, False)
    usual = 1.96 / math.sqrt(500)
    assert 1.2 * usual < 0.5 * (bounds.mean(0).high - bounds.mean(0).low) < 2.0 * usual
    assert 1.2 * usual < 0.5 * (bounds.gap(0).high - bounds.gap(0).low) / math.sqrt(2) < 2.0 * usual


def adversarial_runs(threshold, missed, runs, pulls, seed, epsilon=0.0):
    """Play a near tie of three; return in how many runs a true gap was outside its interval at some time.

    The sampler wants the interval to fail: it starves the arm that is truly best when that looks bad.
    """
    means, failed = (0.0, 0.02, 0.0), 0
    for run in range(runs):
        noise, one = random.Random(1000 * seed + run), design_of(tt.Gaussian(), threshold, epsilon, delta=0.2)
        setup, known = one.setup, one.settled
        best, cost = -1, 0.0
        for number in range(pulls):
            arm = number if number < 3 else (best if noise.random() < 0.5 else noise.randrange(3))
            if number >= 3 and arm == 1 and best != 1 and noise.random() < 0.7:
                arm = best
            value = noise.gauss(means[arm], 1.0)
            setup.family.observe(arm, value, known.state)
            seen = Seen(-1, arm, value, 1, best, cost, known.state, setup.family, known.stopping)
            learn(setup.stopping, seen)
            if number < 2:
                continue
            best = max(range(3), key=lambda i: known.state.means[i])
            now = survey(number + 2, best, epsilon, known.state, setup.family).by(known.stopping)
            cost = now.cost
            if number % 3 == 0 and best != 1 and missed(PullBounds(setup.stopping, now, 0.2, 1.0, False), now, means):
                failed += 1
                break
    return failed


def leader_overrated(bounds, now, means):
    """Whether the gap to the truly best arm is below its interval."""
    return bounds._evidence(1, -(means[now.best] - means[1]), now) >= 0.0


def naive(bounds, now, means):
    """The likelihood ratio of an 80 % interval made for one look, in the place of the evidence."""
    margin = -(means[now.best] - means[1])
    return tt.rules.transportation_cost(now.best, 1, now._replace(epsilon=margin)) >= 0.5 * 1.282**2


@pytest.mark.parametrize("epsilon", [0.0, 0.1])
@pytest.mark.parametrize("threshold", ["betting", "mixture", "proven"])
def test_the_gap_to_the_best_arm_is_not_overrated(threshold, epsilon, seed):
    limit = most(150, 0.2)
    assert adversarial_runs(threshold, leader_overrated, 150, 120, seed, epsilon) <= limit
    assert adversarial_runs(threshold, naive, 150, 120, seed, epsilon) > limit


def pair_outside(bounds, now, means):
    """Whether the gap between the leader and arm 1 is outside what the pair's evidence allows, on either side."""
    gap = means[now.best] - means[1]
    return bounds._pair(now.best, 1, -gap, now) >= 0.0 or bounds._pair(1, now.best, gap, now) >= 0.0


def test_upper_ends_and_positive_lower_ends_are_right_for_each_pair(seed):
    limit = most(150, 0.2)
    assert adversarial_runs("betting", pair_outside, 150, 120, seed) <= limit


@pytest.mark.parametrize("family", FAMILIES)
def test_bets_at_a_margin_that_vanishes_are_those_at_none(family, seed):
    """The capital is divided as under the margin of the study: theorem 3 is about one process."""
    noise, draw = random.Random(seed), FAMILIES[family][1]
    one = design_of(family, "betting", delta=1e-6)
    while one.pulls < 300 and not one.over:
        step(one, lambda arm: draw(noise, MEANS[arm]))
    rule, now, compared = one.setup.stopping, one.now, 0
    for arm in range(3):
        if arm != now.best and rule.least_wealth(arm, math.inf, now).lower > 0.0:
            at_none, nearly = (wealth_at_margin(rule, arm, margin, now) for margin in (0.0, 1e-9))
            assert nearly == pytest.approx(at_none, abs=0.05)
            compared += 1
    assert compared


# --- form -------------------------------------------------------------------------------------------------------------
def told(threshold="mixture", **options):
    noise = random.Random(2)
    study = tt.create_study(["a", "b", "c"], threshold=threshold, **{"family": tt.Gaussian(0.5), **options})
    for _ in range(30):
        if study.running:
            pull = study.ask()
            study.tell(pull, MEANS[pull.index] + noise.gauss(0.0, 0.5))
    return study


def test_nothing_is_worked_out_before_somebody_asks(monkeypatch):
    def refuse(*_):
        raise AssertionError("an interval was worked out")

    monkeypatch.setattr(PullBounds, "_mean", refuse)
    monkeypatch.setattr(PullBounds, "_gap", refuse)
    monkeypatch.setattr(PullBounds, "_worked_out", refuse)
    verdict = told(delta=1e-9).verdict
    assert verdict.pulls == 30
    with pytest.raises(AssertionError, match="worked out"):
        str(verdict)


def test_a_verdict_keeps_the_intervals_of_its_moment():
    study, noise = told(delta=1e-9), random.Random(3)
    early, copy = study.verdict, study.verdict
    numbers = [(report.interval, report.gap) for report in copy.arms]
    for _ in range(60):
        pull = study.ask()
        study.tell(pull, MEANS[pull.index] + noise.gauss(0.0, 0.5))
    assert [(report.interval, report.gap) for report in early.arms] == numbers
    assert study.verdict.arms[0].interval != early.arms[0].interval


def test_verdicts_are_plain_data_on_request():
    study = tt.create_study(["a", ("b", 1), None])
    assert json.loads(study.verdict.to_json())["contenders"] == ["a", "('b', 1)", None]
    data = json.loads(told().verdict.to_json())
    assert [arm["arm"] for arm in data["arms"]] == ["a", "b", "c"]
    low, high = data["arms"][0]["interval"]
    assert low < data["arms"][0]["mean"] < high
    assert [arm["gap"] is None for arm in data["arms"]] == [arm["arm"] == data["arm"] for arm in data["arms"]]
    assert [arm["contender"] for arm in data["arms"]] == [arm["arm"] in data["contenders"] for arm in data["arms"]]
    assert "NaN" not in told(family=None).verdict.to_json()


def test_verdicts_can_be_pickled_with_their_intervals():
    verdict = told("betting").verdict
    again = pickle.loads(pickle.dumps(verdict))
    assert again == verdict
    assert [(r.interval, r.gap) for r in again.arms] == [(r.interval, r.gap) for r in verdict.arms]
    assert again.contenders == verdict.contenders


def test_a_rule_that_has_no_evidence_for_pairs_says_nothing_of_gaps():
    study = told(algorithm="LUCB1", delta=0.1)
    while study.running:
        assert study.verdict.contenders == ("a", "b", "c")
        pull = study.ask()
        study.tell(pull, MEANS[pull.index])
    assert study.verdict.contenders == (study.verdict.arm,)
    assert [report.gap for report in study.verdict.arms] == [None] * 3
    assert study.verdict.arms[0].interval.low < study.verdict.arms[0].mean


def test_the_table_shows_intervals_and_who_is_left():
    text = str(told("mixture", delta=1e-4).verdict)
    assert " behind by " in text
    assert " to " in text.splitlines()[1]
    assert Interval(0.1, 0.2).covers(0.15)
    assert not Interval(0.1, 0.2).covers(0.3)


def test_edges_are_found_in_either_direction_and_end_where_they_must():
    assert edge(lambda x: x * x - 9.0, 0.0, 1e-3, math.inf) == pytest.approx(3.0, rel=1e-6)
    assert edge(lambda x: x * x - 9.0, 0.0, -1e-3, -math.inf) == pytest.approx(-3.0, rel=1e-6)
    assert edge(lambda x: x * x - 9.0, 0.0, 1e-3, 2.0) == 2.0
    assert edge(lambda x: math.inf if x >= 0.7 else -1.0, 0.0, 1e-3, 1.0) == pytest.approx(0.7, rel=1e-6)
    assert edge(lambda x: -1.0, 0.0, 1e-3, math.inf) == math.inf
