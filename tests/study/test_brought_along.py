"""Results that exist already: one step, in which their order says nothing (docs/studies.md, section 4)."""

import json
import random

import pytest
from scipy.stats import binom

import toptwo as tt
from toptwo.study.designs.independent import Independent
from toptwo.study.fold import FORMAT, Fold
from toptwo.study.operations import ArmAdded, ResultsAdded, from_text

FALSE_ALARM = 1e-6

LAWS = {
    "gaussian": (tt.Gaussian(1.0), lambda noise: noise.gauss(0.3, 1.0)),
    "unknown-variance": (tt.GaussianUnknownVariance(), lambda noise: noise.gauss(0.3, 1.0)),
    "far off": (tt.Gaussian(1.0), lambda noise: noise.gauss(1e9, 1.0)),
    "bernoulli": (tt.Bernoulli(), lambda noise: float(noise.random() < 0.3)),
    "poisson": (tt.Poisson(), lambda noise: float(sum(noise.random() < 0.3 for _ in range(5)))),
    "exponential": (tt.Exponential(), lambda noise: noise.expovariate(1.0)),
    "bounded": (tt.Bounded(), lambda noise: noise.betavariate(1.0, 2.0)),
}
ORDERS = {
    "as measured": list,
    "rising": sorted,
    "falling": lambda values: sorted(values, reverse=True),
    "shuffled": lambda values: random.Random(9).sample(values, len(values)),
}


def design(law, arms, threshold, **options):
    asked = {"delta": 1e-9, "epsilon": 0.05, "algorithm": "T3C", "sign": 1.0, "max_samples": None, "seed": 3}
    return Independent(arms, family=LAWS[law][0], threshold=threshold, **{**asked, **options})


def told_in_order(law, arms, threshold, order, sign=1.0):
    """Return what is known after two lists: one at the start, one with pulls under way that are told afterwards."""
    one, noise, draw = design(law, arms, threshold, sign=sign), random.Random(2), LAWS[law][1]
    one.add_results(1, ORDERS[order]([draw(noise) for _ in range(20)]))
    for _ in range(12):
        one.asked(one.choose(1))
        one.told(one.pulls - 1, draw(noise))
    under_way = []
    for _ in range(4):
        one.asked(one.choose(1))
        under_way.append(one.pulls - 1)
    one.told(under_way.pop(), draw(noise))
    one.add_results(0, ORDERS[order]([draw(noise) for _ in range(20)]))
    other = design(law, arms, threshold, sign=sign)
    other.restore(json.loads(json.dumps(one.snapshot())))
    for late in under_way:
        value = draw(noise)
        one.told(late, value)
        other.told(late, value)
    assert one.snapshot() == other.snapshot()
    assert one.read == one.pulls == 56
    assert one.findings().pulls == 56
    rows = [one.choose(1)]
    for _ in range(10):
        one.asked(rows[-1])
        one.told(one.pulls - 1, draw(noise))
        rows.append(one.choose(1))
    kept = one.snapshot()
    del kept["diagnostics"]  # they look at the order, which drift would show in
    return kept, rows, one.findings().confidence


@pytest.mark.parametrize("arms", [2, 3])
@pytest.mark.parametrize("threshold", ["betting", "mixture"])
@pytest.mark.parametrize("law", LAWS)
def test_the_order_within_a_list_changes_nothing_bit_for_bit(law, threshold, arms):
    first, *others = (told_in_order(law, arms, threshold, order) for order in ORDERS)
    assert all(other == first for other in others)


def test_it_changes_nothing_where_the_lowest_mean_is_looked_for():
    assert told_in_order("gaussian", 3, "betting", "rising", -1.0) == told_in_order(
        "gaussian", 3, "betting", "falling", -1.0
    )


def ones_first(seed, together):
    """Return whether the worse of two pages wins when a thousand visitors of each are written as ones, then zeros."""
    visitors = random.Random(seed)
    one = design("bernoulli", 2, "betting", delta=0.05, epsilon=0.0, algorithm="TTUCB")
    for arm, rate in ((0, 0.12), (1, 0.08)):
        bought = sum(visitors.random() < rate for _ in range(1000))
        if not one.over:
            one.add_results(arm, [1.0] * bought + [0.0] * (1000 - bought), 1, together)
    found = one.findings()
    return found.status == "winner" and found.arm == 1


@pytest.mark.parametrize("together", [True, False])
def test_ones_written_before_zeros_do_not_mislead_unless_read_one_by_one(together):
    wrong = sum(ones_first(seed, together) for seed in range(40))
    assert (binom.sf(wrong - 1, 40, 0.05) >= FALSE_ALARM) == together


def test_a_study_that_brings_ones_before_zeros_along_waits_for_all_of_them():
    study = tt.create_study(["new", "old"], delta=0.05, family="bernoulli")
    for arm, bought in (("new", 120), ("old", 80)):
        study.add(arm, [1] * bought + [0] * (1000 - bought))
    assert study.verdict.pulls == 2000
    assert study.verdict.arm == "new"
    assert study.replay() == ""


def test_counts_brought_along_say_what_ones_and_zeros_do():
    def verdict(bring):
        study = tt.create_study(["new", "old"], delta=0.05, family="bernoulli")
        under_way = study.ask(2)
        for arm, bought in (("new", 120), ("old", 80)):
            bring(study, arm, bought)
        for pull in under_way:
            study.tell(pull, 0)
        return study.verdict

    counts = verdict(lambda study, arm, bought: study.add(arm, successes=bought, trials=1000))
    listed = verdict(lambda study, arm, bought: study.add(arm, [1] * bought + [0] * (1000 - bought)))
    assert counts.pulls == listed.pulls == 2002
    assert counts.confidence == pytest.approx(listed.confidence, abs=1e-9)
    assert counts.confidence > 0.9


def test_results_brought_along_are_not_bet_on():
    one = design("gaussian", 3, "betting", algorithm="TTUCB")
    for arm, level in enumerate((0.0, 2.0, 1.0)):
        one.add_results(arm, [level - 0.5, level, level + 0.5])
    assert one.best == 1
    one.add_results(1, [2.0] * 50)
    assert one.settled.stopping.marked == [0.0, 0.0, 0.0]
    one.asked(one.choose(1)._replace(row=(1,)))
    one.told(one.pulls - 1, 2.0)
    assert one.settled.stopping.marked == [0.0, 1.0, 0.0]


def test_an_arm_that_came_later_begins_without_results():
    study = tt.create_study(["a", "b"], family=tt.Gaussian(1.0), more_arms=True)
    study.add_arm("c")
    with pytest.raises(tt.InputError, match="'c' was added while the study ran"):
        study.add("c", [5.0, 6.0])
    study.add("a", [1.0])
    assert study.ask().arm == "b"


# --- journals of former versions -------------------------------------------------------------------------------------
def test_operations_of_former_journals_mean_what_they_meant():
    assert from_text("results added", "[1,[0.5,2.0]]") == ResultsAdded(1, (0.5, 2.0), together=False)
    assert from_text("arm added", '["wheat"]') == ArmAdded("wheat", in_turn=False)


def test_former_rules_decide_what_they_decided():
    """The numbers were noted with the code before results were one step and arms were taken in in turn."""
    options = {"delta": 0.05, "epsilon": 0.1, "algorithm": "TTUCB", "seed": 1, "more_arms": True}
    one, noise = design("gaussian", 3, "betting", **options), random.Random(7)
    means = (0.0, 0.3, 0.0, 0.2)

    def measure(pulls):
        for _ in range(pulls):
            choice = one.choose(1)
            one.asked(choice)
            one.told(one.pulls - 1, means[choice.row[0]] + noise.gauss(0.0, 1.0))

    measure(12)
    one.add_results(one.best, sorted((noise.gauss(0.0, 1.0) for _ in range(30)), reverse=True), together=False)
    measure(10)
    under_way = []
    for _ in range(8):
        choice = one.choose(1)
        one.asked(choice)
        under_way.append((one.pulls - 1, choice.row[0]))
    one.add_arm(in_turn=False)
    for pull, arm in reversed(under_way):
        one.told(pull, means[arm] + noise.gauss(0.0, 1.0))
    measure(10)
    kept = one.settled.stopping
    assert (kept.marked, kept.held) == ([2.0, 30.0, 0.0, 1.0], [9.0, 42.0, 0.0, 5.0])
    assert one.findings().counts == (15, 43, 6, 6)
    assert one.standing.cost == pytest.approx(0.11684373589524477, abs=1e-12)
    assert sum(kept.marked_gain) == pytest.approx(6.298650328390384, abs=1e-12)


@pytest.mark.parametrize(("kind", "used"), [(FORMAT - 1, False), (FORMAT, True), (FORMAT + 1, False)])
def test_snapshots_of_another_format_are_set_aside(kind, used):
    study = tt.create_study(["a", "b"], family=tt.Gaussian(1.0), more_arms=True, delta=1e-9)
    study.add("a", [0.3, 0.1, 0.2])
    study.add_arm("c")
    for pull in study.ask(4)[:3]:
        study.tell(pull, 0.5 * pull.index)
    fold = study._journal.fold
    kept = json.loads(fold.snapshot({}))
    kept["format"] = kind
    again = Fold(fold.question)
    assert again.restore(json.dumps(kept), {}) == used
    assert (repr(again.design.findings()) == repr(fold.design.findings())) == used
