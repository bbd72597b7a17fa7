"""Every algorithm on every family it is listed for: it runs, and its pulls add up."""

import pytest

import toptwo as tt
from toptwo.families import FAMILIES
from toptwo.report.catalogue import runs_on

MEANS = (0.3, 0.7, 0.5)
"""Inside the range of every family."""


@pytest.mark.parametrize("name", tt.algorithms())
def test_listed_families_run(name):
    for family in FAMILIES:
        options = {"runs": 1, "family": family, "max_samples": 18, "engine": "python"}
        if family in runs_on(name):
            result = tt.simulate(name, MEANS, **options)
            assert result.counts.sum() == result.stopping_times[0] <= 18
        else:
            with pytest.raises(tt.InputError, match=r"[Uu]se "):
                tt.simulate(name, MEANS, **options)


@pytest.mark.parametrize("name", ["TaS", "KL-LUCB", "TTTS", "DKM"])
def test_compiled_is_interpreted_on_bernoulli_rewards(name):
    means = [(0.3, 0.7, 0.5), (0.9, 0.2, 0.85)]
    options = {"delta": 0.1, "family": "bernoulli", "max_samples": 150, "seed": 3}
    compiled, plain = (tt.simulate(name, means, engine=engine, **options) for engine in ("cpu", "python"))
    assert compiled.counts.tolist() == plain.counts.tolist()
    assert compiled.recommended.tolist() == plain.recommended.tolist()
