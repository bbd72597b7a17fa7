"""The driver in Numba's simulator: batches, lanes, launches and interruptions give the interpreted engine's results."""

from typing import NamedTuple

import numpy as np
import pytest

import toptwo as tt
from benchmarks import cuda_speed
from toptwo.engine import threads
from toptwo.engine.cuda import device, driver, kernel
from toptwo.engine.cuda.lanes import Layout
from toptwo.engine.question import make_setup

pytestmark = pytest.mark.filterwarnings("ignore:.*encountered in scalar")
"""NumPy's numbers, of which the simulator makes use, warn of infinity times zero; Python's and a device's do not."""

MEANS = np.array([[0.0, 1.5, 0.5], [0.3, 0.1, 2.0], [1.0, 3.0, 0.0]])


class Largest(NamedTuple):
    """A leader of one's own: the highest mean, but for every so many rounds."""

    every: int = 5

    def lead(self, now, random):
        best = int(random.uniform() * len(now.state.means)) if now.number % self.every == 0 else 0
        for i in range(len(now.state.means)):
            if now.state.means[i] > now.state.means[best]:
                best = i
        return best


class NoArm(NamedTuple):
    """A leader that forgets what arms there are, later than a rehearsal would see."""

    after: int = 1200

    def lead(self, now, random):
        return 7 if now.number > self.after else 0


def play(algorithm, engine, means=MEANS, **options):
    return tt.simulate(algorithm, means, engine=engine, seed=3, **{"max_samples": 60, **options})


def assert_same(one, other):
    for name in ("stopping_times", "recommended", "decided", "counts", "numbers"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)
    for name in one.trace._fields:
        np.testing.assert_array_equal(getattr(one.trace, name), getattr(other.trace, name), err_msg=name)


@pytest.mark.parametrize("name", tt.algorithms())
def test_every_algorithm_plays_as_interpreted(name):
    options = {"trace": [3, 7, 40], "threshold": "heuristic"}
    assert_same(play(name, "python", **options), play(name, "cuda", **options))


@pytest.mark.parametrize("threshold", ["mixture", "betting", "proven", "heuristic"])
@pytest.mark.parametrize("epsilon", [0.0, 0.2])
def test_every_stopping_rule_plays_as_interpreted(threshold, epsilon):
    options = {"threshold": threshold, "epsilon": epsilon, "max_samples": 200}
    assert_same(play("TTUCB", "python", **options), play("TTUCB", "cuda", **options))


FAMILIES = {
    "Bernoulli": (tt.Bernoulli(), MEANS / 4 + 0.1),
    "Poisson": (tt.Poisson(), MEANS + 0.1),
    "Exponential": (tt.Exponential(), MEANS + 0.1),
    "Gamma": (tt.Gamma(2.0), MEANS + 0.1),
    "Bounded": (tt.Bounded(0.0, 4.0), MEANS + 0.1),
    "unknown variance": (tt.GaussianUnknownVariance(), MEANS),
    "a variance for each arm": (tt.Gaussian((1.0, 0.5, 2.0)), MEANS),
}


@pytest.mark.parametrize("law", FAMILIES)
@pytest.mark.parametrize("epsilon", [0.0, 0.15])
def test_every_family_plays_as_interpreted(law, epsilon):
    family, means = FAMILIES[law]
    options = {"family": family, "epsilon": epsilon}
    assert_same(play("TTUCB", "python", means, **options), play("TTUCB", "cuda", means, **options))


def test_a_margin_counts_after_runs_without_one_and_before_others():
    """Kernels with and without a margin are two: neither stands in for the other."""
    options = {"family": tt.Bernoulli(), "threshold": "heuristic", "max_samples": 400}
    found = [play("TTUCB", "cuda", MEANS / 4 + 0.1, epsilon=epsilon, **options) for epsilon in (0.0, 0.3, 0.0)]
    assert_same(found[0], found[2])
    assert_same(found[1], play("TTUCB", "python", MEANS / 4 + 0.1, epsilon=0.3, **options))
    assert found[1].stopping_times.sum() < found[0].stopping_times.sum()


@pytest.mark.parametrize("name", ["TTUCB", "TaS", "FWS"])
def test_more_arms_than_fast_memory_has_room_for_play_as_interpreted(name):
    means = np.linspace(0.0, 2.0, 14)
    assert Layout(setup_of(name), 12).near_memory() > 0
    assert Layout(setup_of(name), 14).near_memory() == 0
    assert_same(play(name, "python", means), play(name, "cuda", means))


def setup_of(name):
    return make_setup(name, 3, delta=0.1, threshold="heuristic", family=None, epsilon=0.0, max_samples=None)


def test_lanes_take_no_more_than_a_share_of_the_memory(monkeypatch):
    monkeypatch.setattr(device, "simulated", lambda: False)
    monkeypatch.setattr(device, "free_memory", lambda: 10_000_000)
    few, many = (device.grid_for(10**6, 660, size) for size in (100, 10_000))
    assert few.blocks == int(device.SHARE_OF_MEMORY * 10_000_000) // (100 * device.BLOCK)
    assert many.blocks * many.block * 10_000 <= device.SHARE_OF_MEMORY * 10_000_000
    assert device.grid_for(10**6, 660, 1).blocks == 660


def test_a_rule_of_ones_own_plays_as_interpreted():
    algorithm = tt.TopTwo(leader=Largest())
    assert_same(play(algorithm, "python"), play(algorithm, "cuda"))


def test_more_runs_than_lanes_and_than_fit_in_memory(monkeypatch):
    """Five batches of a few runs each, three lanes."""
    monkeypatch.setattr(device, "grid_for", lambda runs, at_once, room: device.Grid(1, 3))
    plain = play("T3C", "python", MEANS[1], runs=23, trace=[3, 5])
    whole = play("T3C", "cuda", MEANS[1], runs=23, trace=[3, 5])
    monkeypatch.setattr(device, "free_memory", lambda: 3000)
    batches = []
    usual = driver._Job._batch

    def noted(self, share, *others):
        batches.append((share.first, share.last))
        usual(self, share, *others)

    monkeypatch.setattr(driver._Job, "_batch", noted)
    assert_same(plain, whole)
    assert_same(plain, play("T3C", "cuda", MEANS[1], runs=23, trace=[3, 5]))
    assert len(batches) > 3
    assert batches[0] == (0, 0)  # compiled before all else
    assert batches[-1][1] == 23


def test_a_launch_ends_wherever_the_runs_are(monkeypatch):
    """A turn is eight samples and a launch one turn: the next one goes on from there, and progress is shown between."""
    monkeypatch.setattr(kernel, "SHORT_TURN", 8)
    monkeypatch.setattr(driver, "MOST_TURNS", 1)
    monkeypatch.setattr(threads, "POLL", 0.0001)
    launches = []
    usual = driver._simulated

    def counted(run):
        launch = usual(run)
        return lambda *arguments: (launches.append(1), launch(*arguments))

    monkeypatch.setattr(driver, "_simulated", counted)
    assert_same(play("TTUCB", "python"), play("TTUCB", "cuda"))
    assert len(launches) >= 60 // 8


def test_an_interruption_leaves_the_finished_runs(monkeypatch):
    """Ctrl-C during the fifth launch: what is finished by then is what the interpreted engine has for those runs."""
    monkeypatch.setattr(driver, "MOST_TURNS", 1)
    monkeypatch.setattr(driver, "on_threads", interrupting(5))
    options = {"runs": 60, "max_samples": 90, "threshold": "heuristic"}
    part = play("TTUCB", "cuda", MEANS[0], **options)
    assert part.interrupted
    assert 0 < part.runs < 60
    whole = play("TTUCB", "python", MEANS[0], **options)
    np.testing.assert_array_equal(part.stopping_times, whole.stopping_times[part.numbers])
    np.testing.assert_array_equal(part.counts, whole.counts[part.numbers])


def interrupting(launches):
    """Return `on_threads` for one job whose user presses Ctrl-C when so many launches are over."""

    def on_threads(jobs, show, give_up):
        usual, count = driver._to_host, []

        def counted(array):
            count.extend([1] * (array.shape == (3,)))  # the counters are read after each launch
            if len(count) == launches:
                give_up()
            return usual(array)

        driver._to_host = counted
        try:
            jobs[0]()
        finally:
            driver._to_host = usual
        return True

    return on_threads


def test_a_rule_that_returns_no_arm_is_refused():
    with pytest.raises(tt.InputError, match=r"NoArm\.lead \(test_simulator\.py, line \d+\) returned 7: it must return"):
        play(tt.TopTwo(leader=NoArm()), "cuda", MEANS[0] * 0.0, epsilon=0.1, max_samples=1500)


def test_a_row_of_the_benchmark_compares_runs_that_are_cut_alike():
    row = cuda_speed.measured(cuda_speed.Case("TTUCB", "heuristic", 100.0, arms=14, runs=3, beside=2, cut=60))
    assert row[0] == "TTUCB, heuristic, K = 14, cut at 60"
    assert row[8] == "100.00%"


def test_auto_takes_the_device_where_it_pays(monkeypatch):
    from toptwo.engine import engines

    monkeypatch.setattr(engines, "PAYS_FROM", 5)
    few, many = (play("uniform", "auto", MEANS[1], runs=runs) for runs in (4, 5))
    assert (few.settings["engine"], many.settings["engine"]) == ("cpu", "cuda")
