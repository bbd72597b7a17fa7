"""The paper's instances, against the paper's text."""

import numpy as np
import pytest
from scipy.stats import kstest
from states import FALSE_ALARM

import toptwo as tt
from toptwo import problems


def hardness(means):
    """H as the paper defines it: Σ 2/Δ_i² over all arms, with Δ_best the smallest gap."""
    gaps = means.max() - np.sort(means)[:-1]
    return 2 / gaps.min() ** 2 + (2 / gaps**2).sum()


def test_random_instances(seed):
    """Section 4: μ₁ = 0.6 and μ_i uniform on [0.2, 0.5], K = 10."""
    means = problems.random_gaussian(3000, seed=seed)
    assert means.shape == (3000, 10)
    assert (means[:, 0] == 0.6).all()
    others = (means[:, 1:].ravel() - 0.2) / 0.3
    assert kstest(others, "uniform").pvalue > FALSE_ALARM
    assert kstest(others * 0.97, "uniform").pvalue <= FALSE_ALARM
    for column in range(1, 10):
        assert abs(np.corrcoef(means[:, column], means[:, column % 9 + 1])[0, 1]) < 5 / np.sqrt(3000)
    assert np.array_equal(means, problems.random_gaussian(3000, seed=seed))
    assert not np.array_equal(means, problems.random_gaussian(3000, seed=seed + 1))
    assert problems.random_gaussian(7, arms=4).shape == (7, 4)


@pytest.mark.parametrize("arms", [2, 10, 500])
def test_one_sparse(arms):
    """Section 4: μ₁ = 1/4, the others 0; H = 32K."""
    means = problems.one_sparse(arms)
    assert means.tolist() == [0.25] + [0.0] * (arms - 1)
    assert hardness(means) == pytest.approx(32 * arms)


@pytest.mark.parametrize("exponent", [0.3, 0.6])
def test_alpha(exponent):
    """Last appendix: μ_i = 1 − ((i−1)/(K−1))^α for i = 1, ..., K."""
    means = problems.alpha(6, exponent)
    assert means.tolist() == pytest.approx([1 - ((i - 1) / 5) ** exponent for i in range(1, 7)], abs=1e-15)
    assert (means[0], means[-1]) == (1.0, 0.0)
    assert (np.diff(means) < 0).all()


def test_hardness_of_alpha_instances():
    """H/K is 3.9 (K = 10) to 4.9 (K = 1000) at α = 0.3; H/K^1.2 is 6.0 to 10.7 at α = 0.6."""
    assert [round(hardness(problems.alpha(k, 0.3)) / k, 1) for k in (10, 1000)] == [3.9, 4.9]
    assert [round(hardness(problems.alpha(k, 0.6)) / k**1.2, 1) for k in (10, 1000)] == [6.0, 10.7]


def test_equal_means():
    """Last appendix: (K, μ_best, Δ) = (35, 0, 0.5), where r_K = 2K/(1 + √(K−1))² is about 3/2."""
    means = problems.equal_means()
    assert means.tolist() == [0.0] + [-0.5] * 34
    assert 2 * len(means) / (1 + np.sqrt(len(means) - 1)) ** 2 == pytest.approx(1.5, abs=0.01)
    assert problems.equal_means(3, 0.25, best=1.0).tolist() == [1.0, 0.75, 0.75]


def test_close_competitors(seed):
    """Last appendix: μ₁ = 0.6; gaps (995/1000 + u/100)/20 for arms 2 to 6 and /10 for arms 7 to 10, u uniform."""
    means = problems.close_competitors(2000, seed=seed)
    assert means.shape == (2000, 10)
    assert (means[:, 0] == 0.6).all()
    scale = np.array([20.0] * 5 + [10.0] * 4)
    noise = 100 * ((0.6 - means[:, 1:]) * scale - 0.995)
    assert kstest(noise.ravel(), "uniform").pvalue > FALSE_ALARM
    assert kstest(noise.ravel() ** 2, "uniform").pvalue <= FALSE_ALARM


def test_by_name():
    assert set(problems.PROBLEMS) == {
        "random",
        "one-sparse",
        "alpha-0.3",
        "alpha-0.6",
        "equal-means",
        "close-competitors",
    }
    expected = {
        "random": problems.random_gaussian(4, 10, 2),
        "one-sparse": problems.one_sparse(10),
        "alpha-0.3": problems.alpha(10, 0.3),
        "alpha-0.6": problems.alpha(10, 0.6),
        "equal-means": problems.equal_means(35, 0.5),
        "close-competitors": problems.close_competitors(4, 2),
    }
    for name in problems.PROBLEMS:
        assert np.array_equal(problems.by_name(name, 4, seed=2), expected[name])
    assert problems.by_name("random", 2, arms=5).shape == (2, 5)
    with pytest.raises(tt.InputError, match="10 arms"):
        problems.by_name("close-competitors", 2, arms=5)


@pytest.mark.parametrize("name", ["random", "one-sparse", "alpha-0.3", "equal-means"])
@pytest.mark.parametrize("arms", [0, 1, -3])
def test_too_few_arms_are_refused(name, arms):
    with pytest.raises(tt.InputError, match="arms"):
        problems.by_name(name, 2, arms=arms)
