"""Unknown variances many orders of magnitude apart: where a minimum that was lost to rounding once broke the guarantee.

A noisy arm against a hardly noisy, slightly better one. If both are believed to share the noisy arm's mean, the other
one pays beyond all bounds; if they share the other's, next to nothing. Whoever overlooks the second is sure of the
noisy arm whenever it leads.
"""

import math
from typing import Any

import numpy as np
import pytest
from adversaries import NAMES, adversary
from scipy.stats import binom
from test_delta_correct import FALSE_ALARM, surprise

import toptwo as tt
from toptwo.families.gaussian import LOG_WEIGHTS
from toptwo.families.unknown_variance import EFFECTS, GaussianUnknownVariance, mixture_level
from toptwo.rules.round import Round
from toptwo.rules.stopping import MixtureEvidence, least_evidence

MEANS = (0.0, 0.05)
DELTA = 1e-3
SPREADS = (3e-5, 1e-5, 1e-7)
CAP = 30


class OverlooksTheFarEnd(GaussianUnknownVariance):
    """The fault: evidence with the common mean at the leader's, whatever it costs elsewhere."""

    def evidence(self, a: int, b: int, epsilon: float, state: Any) -> float:
        gap, pulls = state.means[a] - state.means[b] + epsilon, state.counts[b]
        variance = state.kept.squares[b] * state.inverse[b]
        if gap <= 0.0 or min(pulls, state.counts[a]) < 2.0:
            return 0.0
        total = 0.0
        for g in range(len(EFFECTS)):
            own, other = 1.0 + state.counts[a] * EFFECTS[g], 1.0 + pulls * EFFECTS[g]
            excess = (other - 1.0) * gap * gap / (other * variance + gap * gap)
            total += math.exp(LOG_WEIGHTS[g] + 0.5 * (pulls * math.log1p(excess) - math.log(own) - math.log(other)))
        return max(0.0, math.log(total))


class EvidenceAlone(MixtureEvidence):
    """The mixture rule without a look at the likelihood ratio, which bounds the evidence if all is well."""

    def stops(self, now: Round) -> bool:
        return least_evidence(now) >= self.level


def alone(delta, arms):
    """Return the mixture rule for unknown variances without its guard."""
    return EvidenceAlone(mixture_level(delta, arms))


def starved(family, runs, seed, name="starve the wrong arm", threshold="mixture"):
    sampler = adversary(name, MEANS, 0, 2, 3.0)
    options = {"delta": DELTA, "threshold": threshold, "max_samples": CAP, "runs": runs, "seed": seed}
    return tt.simulate(sampler, MEANS, family=family, **options)


def watched(family, runs, seed):
    return tt.simulate(
        "uniform", MEANS, delta=DELTA, family=family, threshold=alone, max_samples=CAP, runs=runs, seed=seed
    )


@pytest.mark.parametrize(("threshold", "runs"), [("mixture", 40_000), ("betting", 5000)])
@pytest.mark.parametrize("spread", SPREADS)
def test_no_adversary_makes_the_rule_err_more_often_than_delta(spread, threshold, runs, seed):
    for name in NAMES:
        result = starved(tt.GaussianUnknownVariance((1.0, spread)), runs, seed, name, threshold)
        assert surprise(result, DELTA) >= FALSE_ALARM, f"{name}: {result}"


@pytest.mark.parametrize("spread", SPREADS)
def test_evidence_needs_no_guard(spread, seed):
    result = watched(tt.GaussianUnknownVariance((1.0, spread)), 4000, seed)
    assert surprise(result, DELTA) >= FALSE_ALARM, str(result)


@pytest.mark.parametrize("spread", SPREADS)
def test_overlooking_the_far_end_fails_both_tests(spread, seed):
    family = OverlooksTheFarEnd((1.0, spread))
    guarded, unguarded = starved(family, 40_000, seed), watched(family, 4000, seed)
    assert surprise(guarded, DELTA) < FALSE_ALARM, str(guarded)
    assert surprise(unguarded, DELTA) < FALSE_ALARM, str(unguarded)


@pytest.mark.parametrize("threshold", ["mixture", "betting"])
@pytest.mark.parametrize("spread", [3e-5, 1e-7])
def test_no_confidence_in_the_wrong_arm_is_shown_along_the_way(spread, threshold, seed):
    """What a study displays at every fifth of 30 pulls; the fault showed .999 for the wrong arm in half the runs."""
    rng, runs, misled = np.random.default_rng(seed), 60, 0
    for _ in range(runs):
        options = {"algorithm": "uniform", "family": tt.GaussianUnknownVariance(), "threshold": threshold}
        study = tt.create_study(2, delta=1e-9, **options)
        worst = 0.0
        for pull in study.ask(CAP):
            study.tell(pull, MEANS[pull.index] + (1.0, spread)[pull.index] * rng.normal())
            if pull.number % 5 == 4 and study.verdict.arm == 0:
                worst = max(worst, study.verdict.confidence)
        misled += worst >= 1.0 - DELTA
    assert binom.sf(misled - 1, runs, DELTA) >= FALSE_ALARM
