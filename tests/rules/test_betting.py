"""The betting rule against a naive twin, exact sums over trees of rewards, and searches; docs/betting.md in numbers."""

import copy
import itertools
import math
import random

import numpy as np
import pytest
from naive.betting import Gamblers
from states import round_of
from wagers import LAWS, STUDIED, played, setup_of

import toptwo as tt
from toptwo.errors import InputError
from toptwo.rules.betting import Betting
from toptwo.rules.looks import expected_excess
from toptwo.rules.stopping import evidence_now, pulls_left
from toptwo.streams import fork, next_word


@pytest.mark.parametrize(("means", "epsilon"), [((0.0, 1.5), 0.0), ((0.0, 1.2, 0.4), 0.0), ((0.3, 1.2, 0.9), 0.4)])
def test_a_study_stops_where_the_twin_does(means, epsilon, seed):
    noise, sigma = random.Random(seed), 0.8
    study = tt.create_study(
        len(means), delta=0.2, epsilon=epsilon, threshold="betting", family=tt.Gaussian(sigma), seed=seed
    )
    twin, compared = Gamblers(len(means), sigma, epsilon), 0
    while study.running:
        pull = study.ask()
        value = means[pull.index] + noise.gauss(0.0, sigma)
        twin.add(pull.index, value)
        study.tell(pull, value)
        if study.design.read >= len(means) and (study.design.read % 10 == 0 or not study.running):
            now = study.design.now
            mine, others = evidence_now(Betting(1.0), now), twin.evidence(now.best)
            if others > 0.0:
                compared += 1
                assert mine == pytest.approx(others, abs=1e-6)
            assert mine <= others + 1e-9 or others <= 0.0
    assert compared > 0
    assert twin.evidence(study.design.best) >= math.log(5.0)
    assert study.verdict.confidence >= 0.8


# --- the rule in its surroundings -------------------------------------------------------------------------------------
@pytest.mark.parametrize("law", ["gaussian", "bernoulli", "bounded", "unknown variance"])
@pytest.mark.parametrize("epsilon", [0.0, 0.2])
def test_compiled_is_interpreted(law, epsilon, seed):
    family, means = STUDIED[law]
    options = {"delta": 0.1, "epsilon": epsilon, "threshold": "betting", "family": family, "seed": seed}
    runs = [
        tt.simulate("TTUCB", means, runs=runs, engine=engine, **options)
        for engine, runs in (("python", 4), ("cpu", 100))
    ]
    np.testing.assert_array_equal(runs[0].counts, runs[1].counts[:4])
    assert (runs[1].decided).all()


def measured_to_the_end(study, law, means, seed):
    """Deal the rewards of run 0 of the engine, as people measure them."""
    root = fork(seed, 0)
    positions = [fork(root, arm) for arm in range(len(means))]
    while study.running:
        pull = study.ask()
        study.tell(pull, float(law.reward(pull.index, means[pull.index], next_word(positions, pull.index))))
    return study.verdict


@pytest.mark.parametrize("law", ["gaussian", "poisson", "bounded", "unknown variance"])
@pytest.mark.parametrize("epsilon", [0.0, 0.2])
def test_a_study_told_one_by_one_is_the_engine(law, epsilon, seed):
    family, means = STUDIED[law]
    options = {"delta": 0.1, "epsilon": epsilon, "threshold": "betting", "family": family, "seed": seed}
    engine = tt.simulate("T3C", means, runs=1, engine="python", **options)
    verdict = measured_to_the_end(tt.create_study(3, algorithm="T3C", **options), family, means, seed)
    assert (verdict.pulls, verdict.arm) == (engine.stopping_times[0], engine.recommended[0])
    assert [report.pulls for report in verdict.arms] == engine.counts[0].tolist()
    assert verdict.proven
    assert verdict.confidence >= 0.9


def test_looking_for_the_lowest_of_negated_rewards_is_looking_for_the_highest(seed):
    options = {"delta": 0.1, "threshold": "betting", "family": tt.Gaussian(), "seed": seed}
    up, down = tt.create_study(3, **options), tt.create_study(3, direction="minimize", **options)
    noise = random.Random(seed)
    while up.running:
        pull, other = up.ask(), down.ask()
        value = LAWS["gaussian"][1][pull.index] + noise.gauss(0.0, 1.0)
        up.tell(pull, value)
        down.tell(other, -value)
    assert (up.verdict.arm, up.verdict.confidence) == (down.verdict.arm, down.verdict.confidence)
    assert not down.running


def test_late_answers_are_marked_as_those_see_them_who_read_in_the_order_of_asking(seed):
    """The same values in the same places give the same evidence, however late they come."""

    def standing(late):
        noise = random.Random(seed)
        study = tt.create_study(
            3, delta=1e-6, threshold="betting", seed=seed, algorithm="uniform", family=tt.Gaussian()
        )
        waiting = []
        for _ in range(60):
            waiting += [(pull, (0.0, 1.0, 0.3)[pull.index] + noise.gauss(0.0, 1.0)) for pull in study.ask(4)]
            random.Random(len(waiting)).shuffle(waiting)
            while len(waiting) > late:
                study.tell(*waiting.pop())
        for pull, value in waiting:
            study.tell(pull, value)
        return study

    prompt, slow = standing(0), standing(9)
    assert prompt.design.settled.stopping[:6] == slow.design.settled.stopping[:6]
    assert prompt.verdict.confidence == slow.verdict.confidence > 0.0


def test_asking_for_the_verdict_changes_nothing(seed):
    def times(ask):
        noise, study = (
            random.Random(seed),
            tt.create_study(3, delta=0.05, threshold="betting", seed=seed, family=tt.Gaussian()),
        )
        while study.running:
            pull = study.ask()
            study.tell(pull, (0.0, 1.0, 0.5)[pull.index] + noise.gauss(0.0, 1.0))
            if ask:
                before = copy.deepcopy(study.design.settled)
                assert 0.0 <= study.verdict.confidence < 1.0
                assert study.design.settled == before
        return study.verdict.pulls

    assert times(True) == times(False)


def test_a_decision_does_not_depend_on_how_often_it_is_asked_for(seed):
    setup = setup_of("gaussian", delta=0.3)
    asked_once, asked_twice = [], []
    for pulls in range(3, 90):
        for answers, times in ((asked_once, 1), (asked_twice, 3)):
            now = played(setup, pulls, seed)
            given = [setup.stopping.stops(now) for _ in range(times)]
            assert len(set(given)) == 1
            answers.append(given[-1])
    assert asked_once == asked_twice
    assert any(asked_once)


def test_confidence_is_what_theorem_one_gives_and_the_forecast_ends_at_zero(seed):
    noise, study = (
        random.Random(seed),
        tt.create_study(3, delta=0.05, threshold="betting", seed=seed, family=tt.Gaussian()),
    )
    forecasts = []
    while study.running:
        pull = study.ask()
        study.tell(pull, (0.0, 1.0, 0.5)[pull.index] + noise.gauss(0.0, 1.0))
        if study.design.read >= 3:
            now = study.design.now
            evidence = evidence_now(study.design.setup.stopping, now)
            assert study.verdict.confidence == pytest.approx(max(0.0, -math.expm1(-evidence)), abs=1e-9)
            forecasts.append(pulls_left(study.design.setup.stopping, now))
    assert study.verdict.remaining == forecasts[-1] == 0.0
    assert all(forecast > 0.0 for forecast in forecasts[:3])


def test_a_family_that_cannot_be_bet_on_says_what_it_has():
    class Unproven(tt.Gaussian):
        def levels(self):
            return {"mixture": super().levels()["mixture"]}

    with pytest.raises(InputError, match=r"'betting' has no proof .* use threshold='.*mixture'"):
        tt.simulate("TTUCB", [0.2, 0.5], delta=0.1, threshold="betting", family=Unproven(), runs=1)


def test_an_arm_without_evidence_never_stops():
    now = round_of([0.0, 5.0, 1.0], [9, 9, 9], rule=Betting(2.0))
    assert not Betting(2.0).stops(now)  # nothing is marked
    assert evidence_now(Betting(2.0), now) == -math.inf


def test_a_margin_as_wide_as_the_range_makes_every_arm_right():
    options = {"epsilon": 1.5, "threshold": "betting", "family": "bernoulli", "engine": "python"}
    result = tt.simulate("TTUCB", [0.2, 0.5, 0.4], delta=0.1, runs=5, seed=1, **options)
    assert result.stopping_times.max() < 20


# --- what people see while they wait ----------------------------------------------------------------------------------
@pytest.mark.parametrize("means", [(0.0, 1.0, 0.5), (0.0, 0.6, 0.2, 0.1, 0.3)])
def test_the_forecast_does_not_jump_and_confidence_rises_in_time(means, seed):
    forecasts, shares = [], []
    for run in range(5):
        noise, study = (
            random.Random(100 * seed + run),
            tt.create_study(len(means), delta=0.05, threshold="betting", family=tt.Gaussian(), seed=100 * seed + run),
        )
        mine, risen = [], 0
        while study.running:
            pull = study.ask()
            study.tell(pull, means[pull.index] + noise.gauss(0.0, 1.0))
            if study.design.read >= len(means):
                now = study.design.now
                mine.append(pulls_left(study.design.setup.stopping, now))
                risen = risen or (study.design.read if evidence_now(study.design.setup.stopping, now) > 0.0 else 0)
        assert mine[-1] == 0.0 < min(mine[:-1])
        forecasts += [max(a, b) / min(a, b) for a, b in itertools.pairwise(mine[:-1])]
        shares.append(risen / study.verdict.pulls)
    assert max(forecasts) <= 3.0
    assert sorted(shares)[2] < 0.5  # of the pulls, in the middle one of five runs


def test_a_forecast_is_averaged_over_noise():
    normal = np.random.default_rng(0).normal(0.3, 0.8, 400_000)
    assert expected_excess(0.3, 0.8) == pytest.approx(np.maximum(normal, 0.0).mean(), abs=5.0 * 0.8 / 400_000**0.5)
