"""Phased methods in a study: the phase is handed out as a batch, and decided on when it is answered."""

import random

import pytest

import toptwo as tt

NAMES = ["a", "b", "c", "d"]
MEANS = {"a": 0.0, "b": 1.0, "c": 0.2, "d": 0.6}
SIGMA = 0.05


def study(algorithm, **options):
    return tt.create_study(NAMES, delta=0.1, algorithm=algorithm, family=tt.Gaussian(SIGMA), **options)


def measured(pull, noise):
    return MEANS[pull.arm] + noise.gauss(0.0, SIGMA)


@pytest.mark.parametrize("algorithm", ["Exp-Gap", "Peace", "SE"])
def test_a_phase_is_a_batch_whatever_the_order_of_its_answers(algorithm):
    verdicts = []
    for order in (lambda pulls: pulls, lambda pulls: pulls[::-1], lambda pulls: sorted(pulls, key=lambda p: p.index)):
        one, values = study(algorithm), {}
        noise = random.Random(3)
        phases = 0
        while one.running:
            pulls = one.ask_phase()
            values |= {pull.number: measured(pull, noise) for pull in pulls}
            for pull in order(pulls):
                one.tell(pull, values[pull.number])
            phases += 1
        verdicts.append((one.verdict, phases))
    assert verdicts[0] == verdicts[1] == verdicts[2]
    verdict, phases = verdicts[0]
    assert verdict.arm == "b"
    assert verdict.confidence >= 0.9
    assert verdict.proven
    assert 1 < phases < verdict.pulls


def test_the_next_phase_waits_for_the_answers_of_this_one():
    one = study("Exp-Gap")
    noise = random.Random(1)
    pulls = one.ask(10_000)  # shorter: the first pulls of each arm, then nothing is known
    assert len(pulls) == 4
    with pytest.raises(tt.StudyError, match="waits for 4 pulls"):
        one.ask()
    for pull in pulls:
        one.tell(pull, measured(pull, noise))
    assert one.running
    phase = one.ask(10_000)
    assert len(phase) > 4
    for pull in phase[:-1]:
        one.tell(pull, measured(pull, noise))
    with pytest.raises(tt.StudyError, match="waits for 1 pulls"):
        one.ask_phase()


def test_a_phase_ends_with_the_budget():
    one = study("Exp-Gap", max_samples=7)
    for _ in range(2):
        for pull in one.ask_phase():
            one.tell(pull, MEANS[pull.arm])
    assert one.verdict.status == "undecided"
    assert one.verdict.pulls == 7


def test_other_methods_hand_out_one_pull():
    one = study("TTUCB")
    assert len(one.ask_phase()) == 1


OTHERS = ["LUCB", "LUCB1", "UGapE", "lilUCB-heuristic", "TaS", "TaS-C", "FWS", "DKM", "EBS", "1/2-LUCB", "KL-LUCB"]


@pytest.mark.parametrize("algorithm", ["Exp-Gap", "Peace", "SE", *OTHERS])
def test_identify_takes_any_of_them(algorithm):
    noise = random.Random(2)
    verdict = tt.identify(
        lambda arm: MEANS[arm] + noise.gauss(0.0, SIGMA), NAMES, 0.1, algorithm=algorithm, family=tt.Gaussian(SIGMA)
    )
    assert verdict.arm == "b"
    assert verdict.decided
    assert verdict.proven == ("lil" not in algorithm)
    assert "b is best" in str(verdict)


@pytest.mark.parametrize("algorithm", ["Exp-Gap", "lilUCB"])
def test_a_margin_is_refused_where_there_is_none(algorithm):
    with pytest.raises(tt.InputError, match="takes no margin"):
        study(algorithm, epsilon=0.1)
