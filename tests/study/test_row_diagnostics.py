"""Diagnostics of rows speak up where differences break the way of comparing, and keep quiet elsewhere."""

import itertools
import json
import math
import random

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats

import toptwo as tt
from toptwo.blocks.comparisons import make_comparison
from toptwo.blocks.schedule import shuffled_in_couples
from toptwo.cli import main
from toptwo.study.designs import make_design
from toptwo.study.diagnostics import base as shared
from toptwo.study.diagnostics.memory import log_memory
from toptwo.study.diagnostics.rows import RowDiagnostics, parts_of
from toptwo.study.diagnostics.runs import Runs
from toptwo.study.diagnostics.tally import Tally
from toptwo.study.fold import Fold

SURE = 1e-6
"""Probability that a right program fails a statistical test here."""

WATCHED = 4
"""Diagnostics of Gaussian differences that chance can bring about: outliers, skew, drift, memory."""

BOUNDED = make_comparison("mean", bounds=(-9.0, 9.0))


def kinds(comparison, rows):
    """Return the kinds of what is said of rows of values of two arms."""
    watch = RowDiagnostics(comparison, 2)
    for row in rows:
        watch.see((0, 1), row)
    return {diagnosis.kind for diagnosis in watch.read(0)}


def remembering(stream, strength):
    """Return a source of noise of standard deviation 1 in which each value remembers the one before."""
    last = stream.gauss(0.0, 1.0)
    while True:
        yield last
        last = strength * last + math.sqrt(1.0 - strength * strength) * stream.gauss(0.0, 1.0)


def blocks_of(law, seed, count):
    """Return rows of two arms that share a load, their own parts being of a law of stream, arm and number."""
    stream = random.Random(seed)
    loads = (random.Random(seed + 1).gauss(0.0, 2.0) for _ in range(count))
    return [[load + law(stream, arm, number) for arm in (0, 1)] for number, load in enumerate(loads)]


def with_memory(strength):
    sources = [remembering(random.Random(arm), strength) for arm in (0, 1)]
    return lambda stream, arm, number: next(sources[arm])


# --- data that break the way of comparing -----------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("kind", "count", "law"),
    [
        ("outliers", 60, lambda stream, arm, number: stream.gauss(0.0, 1.0) + 40.0 * (number == 50 and arm)),
        ("skew", 1024, lambda stream, arm, number: stream.expovariate(1.0) ** 2 * arm),
        ("drift", 256, lambda stream, arm, number: stream.gauss(0.02 * number * arm, 1.0)),
        ("autocorrelation", 100, with_memory(0.9)),
        ("coins", 40, lambda stream, arm, number: None),
    ],
)
def test_differences_that_are_not_gaussian_are_told(kind, count, law, seed):
    if kind == "coins":
        stream = random.Random(seed)
        rows = [[float(stream.random() < 0.5) for _ in range(2)] for _ in range(count)]
    else:
        rows = blocks_of(law, seed, count)
    assert kind in kinds(make_comparison("mean"), rows)


@pytest.mark.parametrize("comparison", [make_comparison("log"), make_comparison("wins"), BOUNDED])
def test_blocks_that_resemble_the_one_before_are_told_under_every_comparison(comparison):
    law = with_memory(0.95)
    rows = [[math.exp(law(None, arm, 0)) for arm in (0, 1)] for _ in range(400)]
    capped = [[min(value, 9.0) for value in row] for row in rows]
    assert "autocorrelation" in kinds(comparison, capped)
    random.Random(5).shuffle(capped)
    assert kinds(comparison, capped) == set(), "shuffled, they remember nothing"


def test_equal_values_and_equal_differences_are_named():
    watch = RowDiagnostics(make_comparison("mean"), 3)
    for number in range(4):
        watch.see((2, 0, 1), [7.0, number + 0.5, number + 0.0])
    still, equal = watch.read(0)
    assert still.sentence("abc").startswith("All 4 values of c are equal (7)")
    assert equal.sentence("abc").startswith("All differences between a and b are equal")


def test_what_holds_for_many_pairs_is_said_once_and_of_the_leader():
    stream, watch = random.Random(2), RowDiagnostics(make_comparison("mean"), 5)
    sources = [remembering(stream, 0.95) for _ in range(5)]
    for _ in range(120):
        watch.see(range(5), [next(source) for source in sources])
    (said,) = (diagnosis for diagnosis in watch.read(3) if diagnosis.kind == "autocorrelation")
    assert 3 in (said.arm, said.other)
    assert "other pairs." in said.words


SPIKE = {"rare": lambda noise: 100.0 * (noise.random() < 0.01), "steady": lambda noise: noise.gauss(0.5, 0.01)}
"""Means 1 and 0.5."""


def in_rows(seed, laws, **options):
    """Return the verdict of a study in rows, arms with laws of their own."""
    noise = random.Random(seed)
    study = tt.create_study(list(laws), design="blocks", seed=seed, **options)
    while study.running:
        for pull in study.ask_block():
            study.tell(pull, laws[pull.arm](noise))
    return study.verdict


def test_rare_spikes_are_no_silent_disaster(seed):
    verdicts = [in_rows(100 * seed + run, SPIKE, delta=0.05, max_samples=100) for run in range(30)]
    wrong = [verdict for verdict in verdicts if verdict.decided and verdict.arm == "steady"]
    assert len(wrong) > int(stats.binom.isf(SURE, len(verdicts), 0.05)), "nothing in the data tells of what comes later"
    assert all("values of rare are equal (0)" in " ".join(verdict.diagnostics) for verdict in wrong)


def with_own_memory(seed, strength=0.95, **options):
    """Return the verdict on two arms of equal means, each of which remembers its own past."""
    sources = [remembering(random.Random(10 * seed + arm), strength) for arm in (0, 1)]
    laws = {arm: lambda noise, source=sources[arm]: next(source) for arm in (0, 1)}
    return in_rows(seed, laws, delta=0.05, max_samples=800, **options)


def test_arms_that_remember_their_own_past_win_by_chance_and_hardly_ever_in_silence(seed):
    verdicts = [with_own_memory(100 * seed + run) for run in range(40)]
    decided = [verdict for verdict in verdicts if verdict.decided]
    assert len(decided) > int(stats.binom.isf(SURE, len(verdicts), 0.05))
    assert sum(not verdict.diagnostics for verdict in decided) <= 10
    long = [verdict for verdict in decided if verdict.pulls >= 100]
    assert all("resemble those of the block before" in " ".join(verdict.diagnostics) for verdict in long)


def test_a_verdict_that_comes_too_soon_to_show_anything_says_so():
    laws = {"low": lambda noise: noise.gauss(0.0, 0.1), "high": lambda noise: noise.gauss(9.0, 0.1)}
    assert "too few to show whether blocks resemble the one before" in str(in_rows(1, laws))
    close = {"low": lambda noise: noise.gauss(0.0, 1.0), "high": lambda noise: noise.gauss(0.6, 1.0)}
    slow = in_rows(1, close)
    assert slow.decided
    assert slow.pulls >= 40
    assert slow.diagnostics == ()


# --- data as assumed --------------------------------------------------------------------------------------------------
def studies_that_speak(studies, seed, *, places=0.0):
    """Return in how many studies of Gaussian differences anything is said, arms dropping out of blocks and coming."""
    spoke = 0
    for run in range(studies):
        stream, watch, said = random.Random(1000 * seed + run), RowDiagnostics(make_comparison("mean"), 3), False
        for block in range(128):
            row = shuffled_in_couples((0, 1, 2) if block < 40 else (0, 2), run, block)
            load = 0.1 * block + stream.gauss(0.0, 1.0)
            watch.see(row, [load + places * place + stream.gauss(arm, 1.0 + arm) for place, arm in enumerate(row)])
            said = said or (block % 16 == 15 and bool(watch.read(0)))
        spoke += said
    return spoke


def test_differences_as_assumed_raise_no_alarm(seed, monkeypatch):
    """Whatever is shared, and whoever is in a block; alarms that spend more than they may are no substitute."""
    studies = 120
    limit = int(stats.binom.isf(SURE, studies, WATCHED * shared.FALSE_ALARM))
    assert studies_that_speak(studies, seed) <= limit
    for module in ("skew", "drift"):
        monkeypatch.setattr(f"toptwo.study.diagnostics.{module}.allowed", lambda parts, values: math.log(0.3))
    assert studies_that_speak(studies, seed) > limit


def test_places_that_matter_raise_no_alarm(seed):
    """They make neighbours differ, since every second block turns the order round, and are no lead of either arm."""
    studies = 60
    limit = int(stats.binom.isf(SURE, studies, WATCHED * shared.FALSE_ALARM))
    assert studies_that_speak(studies, seed, places=2.0) <= limit


@pytest.mark.parametrize("comparison", [make_comparison("wins"), BOUNDED])
def test_runs_of_any_law_raise_no_alarm(comparison, seed):
    stream, studies, spoke = random.Random(seed), 150, 0
    for _ in range(studies):
        watch = RowDiagnostics(comparison, 2)
        for _ in range(150):
            watch.see((0, 1), [min(9.0, stream.expovariate(3.0)), 0.3])
        spoke += bool(watch.read(0))
    assert spoke <= int(stats.binom.isf(SURE, studies, shared.FALSE_ALARM))


# --- the bounds that they rest on -------------------------------------------------------------------------------------
def ever_above(strength, level, runs, seed):
    """Return in how many sequences the e-value of memory ever reaches a level."""
    reached = 0
    for run in range(runs):
        stream = random.Random(10_000 * seed + run)
        source, tally = remembering(stream, strength), Tally()
        reached += any(tally.add(3.0 + next(source)) is None or log_memory(tally) >= level for _ in range(40))
    return reached


def test_the_e_value_of_memory_keeps_the_promise_of_ville(seed):
    runs, level = 600, math.log(5.0)
    limit = int(stats.binom.isf(SURE, runs, 0.2))
    assert ever_above(0.0, level, runs, seed) <= limit
    assert ever_above(0.6, level, runs, seed) > limit


@pytest.mark.parametrize("strength", [0.3, 0.6, 0.85, 0.95])
def test_the_e_value_of_memory_is_the_ratio_of_gaussian_likelihoods(strength, monkeypatch):
    """Of residuals up to scale, by matrices: the density is |Ω|^½ (1'Ω1)^−½ R^−(n−1)/2."""
    values = np.random.default_rng(4).normal(2.0, 3.0, 9)
    tally = Tally()
    for value in values:
        tally.add(value)
    ones = np.ones(9)

    def log_density(part):
        inverse = np.linalg.inv(part ** np.abs(np.subtract.outer(range(9), range(9))))
        middle = ones @ inverse @ values / (ones @ inverse @ ones)
        rest = (values - middle) @ inverse @ (values - middle)
        _, log_det = np.linalg.slogdet(inverse)
        return 0.5 * log_det - 0.5 * math.log(ones @ inverse @ ones) - 4.0 * math.log(rest)

    monkeypatch.setattr("toptwo.study.diagnostics.memory.CORRELATIONS", (strength,))
    assert log_memory(tally) == pytest.approx(log_density(strength) - log_density(1e-12))


def expected_evidence(first, again):
    """Return the mean of the e-value of runs over all sequences, stopped early by somebody who hopes."""
    total = 0.0
    for sides in itertools.product((0, 1), repeat=14):
        runs, chance, won = Runs(), 1.0, 1.0
        for number, side in enumerate(sides):
            high = first if not number else (again if sides[number - 1] else 1.0 - again)
            chance *= high if side else 1.0 - high
            runs.add(bool(side))
            if won <= 1.5:
                won = math.exp(runs.log_evidence()) * (runs.log_evidence() > 0.0)
        total += chance * won
    return total


def test_the_e_value_of_runs_is_at_most_one_on_average():
    assert expected_evidence(0.5, 0.5) <= 1.0
    assert expected_evidence(0.5, 0.9) > 1.0, "sides that last must show"


def test_what_is_spent_on_pairs_adds_up_however_many_arms_come():
    spent = sum(1.0 / parts_of(4, later) for later in range(1, 300) for _ in range(later))
    assert 0.99 < spent < 1.0


# --- in a study -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("compare", ["mean", "wins"])
def test_what_is_said_of_rows_survives_a_snapshot(compare):
    """Taken while a block is half told and another one waits for it; arms come later."""
    question = tt.create_study(3, design="blocks", compare=compare, delta=1e-12)._journal.question
    one, other = make_design(question), make_design(question)
    source = [remembering(random.Random(arm), 0.95) for arm in range(4)]
    pulls = 0
    for number in range(150):
        choice = one.choose(10)
        one.asked(choice)
        if number > 75:
            other.asked(choice)
        values = [next(source[arm]) for arm in choice.row]
        waiting = list(enumerate(values, pulls))
        pulls += len(values)
        if number == 70:
            later = waiting
            one.add_arm()
            continue
        for place, value in reversed(waiting):
            one.told(place, value)
            if number > 75:
                other.told(place, value)
        if number == 75:
            one.told(*later.pop())
            other.add_arm()
            other.restore(json.loads(json.dumps(one.snapshot())))
            for place, value in later:
                one.told(place, value)
                other.told(place, value)
    assert json.dumps(one.snapshot()) == json.dumps(other.snapshot())
    assert one.findings().diagnostics == other.findings().diagnostics != ()


def test_a_snapshot_that_knows_nothing_of_diagnostics_is_passed_over():
    fold = Fold(tt.create_study(2, design="blocks")._journal.question)
    former = json.loads(fold.snapshot({}))
    del former["design"]["diagnostics"]
    assert not Fold(fold.question).restore(json.dumps({**former, "format": 2}), {})


def test_what_is_said_of_rows_is_shown_in_the_shell_and_in_json(tmp_path):
    place = {"storage": f"sqlite:///{tmp_path}/rows.db", "study_name": "spikes"}
    verdict = in_rows(4, SPIKE, max_samples=100, **place)
    assert verdict.diagnostics
    words = ["study", "show", "spikes", "--storage", place["storage"]]
    shown, plain = (CliRunner().invoke(main, [*words, *more]).stdout for more in ([], ["--json"]))
    assert verdict.diagnostics[0] in shown
    assert json.loads(plain)["diagnostics"] == list(verdict.diagnostics)
    assert tt.load_study("spikes", place["storage"]).replay() == ""
