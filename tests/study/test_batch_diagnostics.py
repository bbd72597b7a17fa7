"""Batches are watched as well: averages against sigma, shares and counts against one fixed rate."""

import json
import math
import random

import pytest
from scipy import stats

import toptwo as tt
from toptwo.families.numerics.draws import poisson
from toptwo.study.diagnostics import Diagnostics
from toptwo.study.diagnostics import base as shared
from toptwo.study.diagnostics.batches import Batches
from toptwo.study.diagnostics.overdispersion import EventCounts, Overdispersion, Shares
from toptwo.study.diagnostics.spread import log_e_value, scatter_of
from toptwo.study.diagnostics.tally import Tally

SURE = 1e-6
"""Probability that a right program fails a statistical test here."""

RATE = 0.1


def bought(stream, rate, visitors):
    """Return the share of visitors who bought."""
    return sum(stream.random() < rate for _ in range(visitors)) / visitors


def kinds(watch):
    return {diagnosis.kind for diagnosis in watch.read()}


# --- averages and sigma -----------------------------------------------------------------------------------------------
def told_averages(deviation, seed, batches=60, sizes=(5,)):
    noise, study = random.Random(seed), tt.create_study(2, family=tt.Gaussian(1.0), delta=1e-300, algorithm="uniform")
    for number in range(batches):
        size = sizes[number // 2 % len(sizes)]
        study.tell(study.ask(), noise.gauss(0.0, deviation / math.sqrt(size)), trials=size)
    return study.verdict


@pytest.mark.parametrize("sizes", [(5,), (1, 5, 40)])
def test_averages_that_scatter_more_than_sigma_allows_are_told(sizes, seed):
    (said,) = (each for each in told_averages(10.0, seed, sizes=sizes).diagnostics if "sigma" in each)
    assert said.startswith("Values scatter about their means with a standard deviation of ")
    assert 8.0 < float(said.split(" times what")[0].split()[-1]) < 12.0


def test_averages_that_repeat_an_arm_are_enough_to_see_sigma_by(seed):
    noise = random.Random(seed)
    study = tt.create_study(2, family=tt.Gaussian(1.0), delta=1e-300, algorithm="uniform", max_samples=60)
    while study.running:
        study.tell(study.ask(), noise.gauss(0.0, math.sqrt(0.2)), trials=5)
    assert study.verdict.diagnostics == ()
    once = tt.create_study(2, family=tt.Gaussian(1.0), delta=1e-300, max_samples=2)
    for pull in once.ask(2):
        once.tell(pull, 0.0, trials=30)
    assert "No value repeats a measurement of the same arm" in once.verdict.diagnostics[0]


def test_averages_as_assumed_raise_no_alarm_about_sigma(seed):
    """And a deviation that is too large does, at the same number of values."""
    studies = 150
    limit = int(stats.binom.isf(SURE, studies, shared.FALSE_ALARM))

    def speak(deviation):
        stream, spoke = random.Random(seed), 0
        for _ in range(studies):
            watch = Diagnostics(tt.Gaussian(1.0), 2)
            for number in range(400):
                size = (1, 7, 30)[number // 2 % 3]
                watch.see(number % 2, stream.gauss(0.0, deviation / math.sqrt(size)), size)
            spoke += "spread" in kinds(watch)
        return spoke

    assert speak(1.0) <= limit < speak(1.3)


def test_an_average_counts_as_one_value_of_the_deviation_of_a_single_one():
    """Σ n (x̄ − mean)², by definition."""
    values, tally = [(1.0, 1), (4.0, 3), (-2.0, 7), (0.5, 1), (2.0, 3)], Tally()
    watch = Diagnostics(tt.Gaussian(1.0), 1)
    for value, size in values:
        watch.see(0, value, size)
    (tally,) = watch._tallies
    mean = sum(value * size for value, size in values) / sum(size for _, size in values)
    squares, count = scatter_of(tally)
    assert (squares, count) == (pytest.approx(sum(size * (value - mean) ** 2 for value, size in values)), 5)


def test_the_e_value_of_averages_is_at_most_one_on_average():
    """Over all sums of two, three and two fair signs, by their binomial law."""
    total = 0.0
    for one in range(3):
        for two in range(4):
            for three in range(3):
                batches, chance = Batches(), 1.0
                for heads, size in ((one, 2), (two, 3), (three, 2)):
                    batches.add(2.0 * heads / size - 1.0, size)
                    chance *= math.comb(size, heads) / 2**size
                total += chance * math.exp(log_e_value(batches.squares, batches.count))
    assert total <= 1.0


def test_averages_of_one_size_are_watched_for_drift_outliers_and_memory_too(seed):
    stream = random.Random(seed)
    drifting, spiky, alike = (Diagnostics(tt.Gaussian(1.0), 1) for _ in range(3))
    level = 0.0
    for number in range(512):
        drifting.see(0, stream.gauss(0.003 * number, 0.4), 4)
        spiky.see(0, stream.gauss(0.0, 0.4) + 9.0 * (number == 300), 4)
    for _ in range(4096):
        level = 0.8 * level + stream.gauss(0.0, 0.3)
        alike.see(0, level, 4)
    assert "drift" in kinds(drifting)
    assert "outliers" in kinds(spiky)
    assert "autocorrelation" in kinds(alike)


# --- shares and counts ------------------------------------------------------------------------------------------------
def told_shares(seed, mood, batches, visitors=200, arms=2):
    """Return what is watched of shares whose rates are RATE times 1 ± mood, anew in each batch."""
    stream, watch = random.Random(seed), Diagnostics(tt.Bernoulli(), arms)
    for number in range(batches):
        watch.see(number % arms, bought(stream, RATE * (1.0 + stream.choice((-mood, mood))), visitors), visitors)
    return watch


def test_rates_that_change_from_batch_to_batch_are_told(seed):
    assert "overdispersion" in kinds(told_shares(seed, 0.5, 60))
    assert "overdispersion" in kinds(told_shares(seed, 0.5, 60, arms=6))


def told_counts(seed, mood, count, size=1, mean=5.0):
    stream, watch = random.Random(seed), Diagnostics(tt.Poisson(), 2)
    for number in range(count):
        rate = size * mean * (1.0 + stream.choice((-mood, mood)))
        watch.see(number % 2, poisson(rate, stream.getrandbits(64)) / size, size)
    return watch


@pytest.mark.parametrize("size", [1, 20])
def test_counts_that_vary_more_than_their_mean_are_told(size, seed):
    assert "overdispersion" in kinds(told_counts(seed, 0.7, 200, size))


def alarms(told, studies, seed):
    return sum(bool(told(1000 * seed + run).read()) for run in range(studies))


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        (lambda seed: told_shares(seed, 0.0, 100), lambda seed: told_shares(seed, 0.3, 100)),
        (lambda seed: told_shares(seed, 0.0, 60, 20), lambda seed: told_shares(seed, 0.9, 60, 20)),
        (lambda seed: told_counts(seed, 0.0, 200), lambda seed: told_counts(seed, 0.6, 200)),
    ],
)
def test_fixed_rates_raise_no_alarm(right, wrong, seed):
    studies = 80
    limit = int(stats.binom.isf(SURE, studies, 3 * shared.FALSE_ALARM))
    assert alarms(right, studies, seed) <= limit < alarms(wrong, studies, seed)


def expected_capital(law, chances, size, batches):
    """Return the mean of what each bet has won over all sequences of batches, by the law of one batch given."""
    totals = [0.0, 0.0, 0.0]

    def go_on(seen, chance, left):
        if not left:
            best = law.log_constant(seen.events, seen.exposure)
            for number, log in enumerate(seen.logs):
                totals[number] += chance * math.exp(log - best)
            return
        for events, each in enumerate(chances):
            further = Batches()
            further.fill(seen.kept())
            Overdispersion(law).see(further, events / size, size)
            further.add(events / size, size)
            go_on(further, chance * each, left - 1)

    go_on(Batches(), 1.0, batches)
    return totals


@pytest.mark.parametrize("rate", [0.07, 0.5])
def test_bets_on_changing_shares_win_nothing_on_average_at_a_fixed_rate(rate):
    """Exact, over all outcomes; at a rate of 0 or 1 for each batch anew they win."""
    fixed = [stats.binom.pmf(heads, 8, rate) for heads in range(9)]
    assert all(mean <= 1.0 for mean in expected_capital(Shares(), fixed, 8, 4))
    either = [1.0 - rate, *[0.0] * 7, rate]
    assert max(expected_capital(Shares(), either, 8, 4)) > 1.0


def test_bets_on_changing_counts_win_nothing_on_average_at_a_fixed_rate():
    fixed = [stats.poisson.pmf(events, 2.0) for events in range(22)]
    assert all(mean <= 1.0 for mean in expected_capital(EventCounts(), fixed, 2, 3))
    either = [0.5, *[0.0] * 20, 0.5]
    assert max(expected_capital(EventCounts(), either, 2, 3)) > 1.0


@pytest.mark.parametrize("law", [Shares(), EventCounts()])
def test_what_is_bet_on_is_a_probability(law):
    """Predictions add up to 1, with the factors that both sides share put back."""
    seen, size, chances = Batches(), 6, []
    seen.add(0.5, 10)
    for events in range(7 if isinstance(law, Shares) else 400):
        both = math.log(math.comb(size, events)) if isinstance(law, Shares) else (
            events * math.log(size) - math.lgamma(events + 1.0)
        )  # fmt: skip
        chances.append(math.exp(law.log_predicted(float(events), size, seen)[1] + both))
    assert sum(chances) == pytest.approx(1.0)


# --- in a study -------------------------------------------------------------------------------------------------------
def conversions(seed, mood):
    """Return the verdict of a test of two pages that are equal, told in batches."""
    stream = random.Random(seed)
    study = tt.create_study(["a", "b"], family=tt.Bernoulli(), delta=0.05, max_samples=20_000)
    while study.running:
        pull = study.ask()
        rate = RATE * (1.0 + stream.choice((-mood, mood)))
        study.tell(pull, successes=sum(stream.random() < rate for _ in range(200)), trials=200)
    return study.verdict


def test_moods_make_winners_by_chance_and_the_verdict_says_so(seed):
    verdicts = [conversions(100 * seed + run, 0.5) for run in range(40)]
    wrong = [verdict for verdict in verdicts if verdict.decided]
    assert len(wrong) > int(stats.binom.isf(SURE, len(verdicts), 0.05))
    assert sum("rates" not in " ".join(verdict.diagnostics) for verdict in wrong) <= 6
    assert all(sentence in str(verdict) for verdict in wrong for sentence in verdict.diagnostics)


def test_what_is_said_of_batches_survives_a_snapshot():
    one, other = (Diagnostics(tt.Bernoulli(), 2) for _ in range(2))
    stream = random.Random(2)
    batches = [(stream.randrange(2), bought(stream, stream.choice((0.05, 0.2)), 50), 50) for _ in range(80)]
    for batch in batches[:33]:
        one.see(*batch)
    other.restore(json.loads(json.dumps(one.snapshot())))
    for batch in batches[33:]:
        one.see(*batch)
        other.see(*batch)
    assert one.snapshot() == other.snapshot()
    assert one.read(over=True) == other.read(over=True) != ()


def test_batches_are_judged_as_they_were_measured_where_the_lowest_rate_is_looked_for():
    stream = random.Random(3)
    study = tt.create_study(2, family=tt.Bernoulli(), direction="minimize", delta=1e-200, algorithm="uniform")
    for _ in range(60):
        study.tell(study.ask(), successes=round(200 * bought(stream, stream.choice((0.05, 0.15)), 200)), trials=200)
    assert any("fixed rate" in sentence for sentence in study.verdict.diagnostics)
