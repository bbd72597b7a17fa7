"""What a study certifies: always about the arm that it names, and never twice the risk that was asked for."""

import random
from typing import NamedTuple

import pytest

import toptwo as tt
from toptwo.algorithms.uniform import RoundRobin
from toptwo.rules.parts import answer
from toptwo.rules.round import survey
from toptwo.rules.stopping import LikelihoodRatio
from toptwo.study.certificate import about, confidence

MEANS = {"a": 0.0, "b": 1.0, "c": 0.2}
SIGMA = 0.2
OWN_PROVEN = ("LUCB1", "KL-LUCB", "UGapE", "SE", "Exp-Gap", "Peace")


def verdicts(study, seed=1):
    """Measure to the end; return every verdict on the way."""
    noise, seen = random.Random(seed), []
    while study.running:
        for pull in study.ask_phase():
            study.tell(pull, MEANS[pull.arm] + noise.gauss(0.0, SIGMA))
        seen.append(study.verdict)
    return seen


# --- a rule that names another arm ------------------------------------------------------------------------------------
class Contrary(NamedTuple):
    """After 30 pulls, names the arm of lowest mean."""

    delta: float = 0.1
    arms: int = 3

    def stops(self, now):
        return now.number > 30

    def answer(self, now):
        return min(range(3), key=lambda i: now.state.means[i])


class Own(NamedTuple):
    """Round robin, stopped by the rule above."""

    def bind(self, question):
        return RoundRobin(), Contrary()


def test_the_confidence_of_an_answer_is_not_that_of_the_leader():
    last = verdicts(tt.create_study(list(MEANS), delta=0.1, algorithm=Own(), family=tt.Gaussian(SIGMA)))
    assert last[-2].arm == "b"
    assert last[-2].confidence > 0.99
    assert (last[-1].status, last[-1].arm) == ("winner", "a")
    assert last[-1].confidence == 0.0  # "a" is behind: nothing speaks for it


@pytest.mark.parametrize("threshold", ["mixture", "proven", "heuristic"])
def test_an_arm_that_is_behind_has_no_confidence_and_one_within_the_margin_its_own(threshold):
    study = tt.create_study(list(MEANS), delta=1e-30, algorithm="uniform", epsilon=0.3, family=tt.Gaussian(SIGMA))
    for pull in study.ask(240):
        study.tell(pull, {"a": 0.0, "b": 1.0, "c": 0.9}[pull.arm])
    now = study.design.now
    sure = [confidence(threshold, about(i, now)) for i in range(3)]
    assert sure[0] == 0.0
    assert 0.5 < sure[2] < sure[1]
    alone = survey(now.number, 2, 0.3, now.state, now.family)
    assert about(2, now).cost == pytest.approx(alone.cost)


def test_a_threshold_that_would_answer_otherwise_certifies_nothing():
    last = verdicts(tt.create_study(list(MEANS), algorithm="uniform", threshold=Contrary, family=tt.Gaussian(SIGMA)))
    assert [v.confidence for v in last if v.status == "running"] == [0.0] * (len(last) - 1)  # it would name "a"
    assert last[-1].arm == "a"
    assert last[-1].confidence == pytest.approx(1.0)  # the rule fires at any δ
    assert not last[-1].proven


# --- two rules at work ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", OWN_PROVEN)
def test_two_rules_share_what_was_asked_for(name):
    """Corollary 2 of docs/mixture.md: c − δ while running, 1 − δ for the winner."""
    delta = 0.1
    own = tt.create_study(list(MEANS), delta=delta, algorithm=name, family=tt.Gaussian(SIGMA))
    seen = verdicts(own)
    assert seen[-1].confidence == 1.0 - delta
    assert seen[-1].proven
    assert max(v.confidence for v in seen) == 1.0 - delta
    mixture = confidence("mixture", own.design.now)
    assert mixture > 1.0 - delta / 2.0  # what is not shown: it would be at a risk of its own


def test_what_is_shown_on_the_way_is_the_mixture_less_delta():
    options = {"delta": 0.1, "family": tt.Gaussian(SIGMA)}
    shown = verdicts(tt.create_study(list(MEANS), algorithm="UGapE", **options))
    study, noise = tt.create_study(list(MEANS), algorithm="UGapE", **options), random.Random(1)
    compared = 0
    for verdict in shown[:-1]:
        for pull in study.ask_phase():
            study.tell(pull, MEANS[pull.arm] + noise.gauss(0.0, SIGMA))
        if study.design.now is not None:
            sure = confidence("mixture", study.design.now)
            assert verdict.confidence == max(0.0, sure - 0.1)
            compared += verdict.confidence > 0.5
    assert compared > 0


def test_a_rule_without_proof_takes_nothing_from_the_mixture():
    shown = verdicts(tt.create_study(list(MEANS), delta=0.1, algorithm="lilUCB", family=tt.Gaussian(SIGMA)))
    assert max(v.confidence for v in shown[:-1]) > 0.9
    assert all(v.proven for v in shown[:-1])
    assert not shown[-1].proven


# --- bounds from a proven level ---------------------------------------------------------------------------------------
FAMILIES = {
    "gaussian": tt.Gaussian(0.2),
    "one σ per arm": tt.Gaussian([0.2, 0.1, 0.3]),
    "bernoulli": tt.Bernoulli(),
    "poisson": tt.Poisson(),
    "exponential": tt.Exponential(),
    "bounded": tt.Bounded(),
}


@pytest.mark.parametrize("algorithm", ["LUCB", "1/2-LUCB"])
@pytest.mark.parametrize("family", FAMILIES)
def test_bounds_from_a_proven_level_are_proven_and_from_the_heuristic_not(family, algorithm):
    values = {"a": 0, "b": 1, "c": 0} if family != "exponential" else {"a": 0.1, "b": 9.0, "c": 0.2}
    for threshold in ("proven", "heuristic") if family != "bounded" else ("proven",):
        study = tt.create_study(["a", "b", "c"], algorithm=algorithm, threshold=threshold, family=FAMILIES[family])
        while study.running:
            pull = study.ask()
            study.tell(pull, values[pull.arm])
        assert study.verdict.arm == "b"
        assert study.verdict.proven == (threshold == "proven")


@pytest.mark.parametrize("family", FAMILIES)
def test_bounds_apart_imply_the_likelihood_ratio(family):
    """Why they are proven: whenever they are apart, the likelihood ratio has reached their level."""
    values = {0: (0.0, 0.0, 1.0), 1: (1.0, 0.0, 1.0, 1.0), 2: (0.0, 1.0, 0.0)}
    study = tt.create_study(3, delta=0.1, algorithm="1/2-LUCB", threshold="proven", family=FAMILIES[family])
    stopping = study.design.setup.stopping
    plain, fired = LikelihoodRatio(stopping.level), 0
    while study.running and study.design.pulls < 1500:
        pull = study.ask()
        arm = pull.index
        told = values[arm][pull.number % len(values[arm])]
        study.tell(pull, told + 0.1 if family == "exponential" else told)
        if study.design.now is not None:
            now = study.design.now
            fired += plain.stops(now)
            assert plain.stops(now) or not stopping.stops(now)
            assert answer(stopping, now) == now.best
    assert fired > 0


# --- failures ---------------------------------------------------------------------------------------------------------
class Crashing:
    """Arm 0 scores 1, or crashes, half of the time; arm 1 always scores 0.8: the better one on average."""

    def __init__(self, seed):
        self.noise = random.Random(seed)

    def measure(self, arm):
        if arm == 0:
            return 1.0 if self.noise.random() < 0.5 else None
        return 0.8

    def again_until_it_succeeds(self, arm):
        while (value := self.measure(arm)) is None:
            pass
        return value

    def told_as_zero(self, arm):
        return self.measure(arm) or 0.0


def test_failures_measured_again_change_the_question():
    family = tt.Bounded(0.0, 1.0)
    assert tt.identify(Crashing(1).told_as_zero, 2, 0.001, family=family).arm == 1
    assert tt.identify(Crashing(1).again_until_it_succeeds, 2, 0.001, family=family).arm == 0


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_no_advice_to_measure_a_failure_again_whatever_its_reason(value):
    study = tt.create_study(2)
    with pytest.raises(tt.InputError, match="fixed beforehand for failures") as caught:
        study.tell(study.ask(), value)
    assert "again if the failure had nothing to do with what was measured" in str(caught.value)


@pytest.mark.parametrize(("family", "value"), [(tt.Bernoulli(), 0.5), (tt.Bounded(0.0, 1.0), 1.5), (tt.Poisson(), -1)])
def test_advice_for_values_outside_the_support_keeps_the_mean(family, value):
    study = tt.create_study(2, family=family)
    with pytest.raises(tt.InputError, match=r"do not measure again .* a rule fixed beforehand"):
        study.tell(study.ask(), value)
