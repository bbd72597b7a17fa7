"""Compiled equals interpreted for bounded rewards and unknown variances, also when values outnumber the atoms."""

import numpy as np
import pytest

import toptwo as tt
from toptwo.families.bounded import ATOMS
from toptwo.streams import fork, next_word

BOUNDED = tt.Bounded(-1.0, 2.0)
UNKNOWN = tt.GaussianUnknownVariance(sigma=(1.0, 0.2, 0.5, 2.0))
MEANS = np.array([[0.0, 0.6, 1.2, 0.3], [0.5, 0.1, 0.4, 1.5]])


@pytest.mark.parametrize(
    ("algorithm", "family"),
    [("TTUCB", BOUNDED), ("A-TTTS", BOUNDED), ("TTUCB", UNKNOWN), ("A-TTTS", UNKNOWN), ("TT-IMED", UNKNOWN)],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_compiled_equals_interpreted(algorithm, family):
    options = {"family": family, "seed": 3, "epsilon": 0.05, "max_samples": 300, "delta": 0.01}
    plain = tt.simulate(algorithm, MEANS, engine="python", **options)
    fast = tt.simulate(algorithm, MEANS, threads=2, **options)
    assert plain.counts.max() > ATOMS
    for name in ("stopping_times", "recommended", "decided", "counts"):
        np.testing.assert_array_equal(getattr(plain, name), getattr(fast, name))


@pytest.mark.parametrize("family", [BOUNDED, UNKNOWN], ids=lambda family: type(family).__name__)
def test_a_study_makes_the_engines_pulls(family):
    """Told one by one, the same rewards lead to the same pulls."""
    law = family.for_arms(4) if hasattr(family, "for_arms") else family
    result = tt.simulate("TTUCB", MEANS[1], family=family, runs=1, seed=5, engine="python", max_samples=150)
    study = tt.create_study(4, family=family, delta=0.1, algorithm="TTUCB", max_samples=150, seed=5)
    root = fork(5, 0)
    positions = [fork(root, arm) for arm in range(4)]
    while study.running:
        pull = study.ask()
        study.tell(pull, law.reward(pull.index, MEANS[1][pull.index], next_word(positions, pull.index)))
    assert [report.pulls for report in study.verdict.arms] == result.counts[0].tolist()


@pytest.mark.parametrize("family", [BOUNDED, tt.GaussianUnknownVariance()], ids=lambda family: type(family).__name__)
def test_answers_that_are_late(family):
    """Pulls under way are counted but not valued, and the forecast grows the counts of what was seen."""
    noise = np.random.default_rng(1)
    study = tt.create_study(["a", "b", "c"], family=family, delta=0.01)
    waiting = []
    for _ in range(120):
        if not study.running:
            break
        waiting.append(study.ask())
        if len(waiting) > 7:
            pull = waiting.pop(int(noise.integers(len(waiting))))
            study.tell(pull, float(np.clip(0.4 * pull.index + 0.1 * noise.standard_normal(), -1.0, 2.0)))
    assert study.verdict.arm == "c"
    assert study.verdict.remaining < 1000
