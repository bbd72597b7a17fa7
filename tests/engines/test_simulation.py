"""simulate: what it returns, whatever the threads, and when it is cut short."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
from typing import NamedTuple

import numpy as np
import pytest

import toptwo as tt

MEANS = [0.1, 0.9, 0.4]


def test_threads_do_not_matter():
    one = tt.simulate("T3C", MEANS, runs=300, seed=1, threads=1)
    three = tt.simulate("T3C", MEANS, runs=300, seed=1, threads=3)
    assert np.array_equal(one.stopping_times, three.stopping_times)
    assert np.array_equal(one.counts, three.counts)


def test_runs_are_pure_functions_of_their_number():
    """A longer call begins with the runs of a shorter one; an instance per run equals the repeated instance."""
    few, many = tt.simulate("TTUCB", MEANS, runs=10, seed=2), tt.simulate("TTUCB", MEANS, runs=40, seed=2)
    rows = tt.simulate("TTUCB", np.tile(MEANS, (40, 1)), seed=2)
    assert np.array_equal(few.stopping_times, many.stopping_times[:10])
    assert np.array_equal(rows.stopping_times, many.stopping_times)


def test_scale_does_not_matter():
    """Multiplying means and σ by a power of two leaves every decision."""
    plain = tt.simulate("TTUCB", MEANS, runs=30, seed=3)
    scaled = tt.simulate("TTUCB", 4.0 * np.array(MEANS), runs=30, seed=3, family=tt.Gaussian(4))
    assert np.array_equal(plain.counts, scaled.counts)


def test_max_samples_is_undecided_never_a_stop():
    result = tt.simulate("TTUCB", [0.0, 0.01], delta=1e-9, runs=20, max_samples=30)
    assert not result.decided.any()
    assert (result.stopping_times == 30).all()
    assert not result.correct.any()
    assert not result.wrong.any()
    summary = result.summary()
    assert (summary.undecided, summary.wrong) == (20, 0)
    assert "20 undecided" in str(summary)


def test_a_trace_shows_how_runs_stand():
    result = tt.simulate("TTUCB", MEANS, runs=200, seed=4, trace=[3, 10, 100, 100_000])
    assert result.trace.recommended.shape == (200, 4)
    late = result.stopping_times >= 100
    assert (result.trace.recommended[late, 2] >= 0).all()
    assert (result.trace.recommended[~late, 2] == -1).all()
    assert (result.trace.recommended[:, 3] == -1).all()
    errors = result.wrong_at[late].mean(axis=0)
    assert errors[0] > errors[2]
    short = tt.simulate("TTUCB", MEANS, runs=200, seed=4, max_samples=10)
    going = result.stopping_times >= 10
    assert np.array_equal(result.trace.recommended[going, 1], short.recommended[going])
    assert np.array_equal(result.trace.counts[going, 1], short.counts[going])
    assert (result.trace.counts.sum(axis=2)[late, :3] == [3, 10, 100]).all()
    shown = result.trace.recommended[late, :3, None]
    highest = np.take_along_axis(result.trace.means[late, :3], shown, axis=2)[..., 0]
    assert np.array_equal(highest, result.trace.means[late, :3].max(axis=2))
    assert (result.trace.leaders[late, 0] == -1).all()  # the first pulls have no leader
    assert (result.trace.leaders[late, 1:3] >= 0).all()
    assert np.isnan(result.trace.statistics[~late, 2]).all()


def test_margin_widens_what_is_right():
    result = tt.simulate("TTUCB", [0.5, 0.5, 0.0], runs=50, epsilon=0.2, delta=0.1)
    assert result.decided.all()
    assert (result.correct == (result.recommended != 2)).all()


def test_results_print_and_are_frozen():
    result = tt.simulate("TTUCB", MEANS, runs=50)
    assert "TTUCB" in repr(result)
    assert "95 % interval" in str(result)
    with pytest.raises(AttributeError):
        result.algorithm = "other"


def interrupt_after(seconds, code, **environment):
    """Run a program, wait for its first line, send Ctrl-C some time later; return its output, errors and status."""
    command = [sys.executable, "-c", textwrap.dedent(code)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, env=os.environ | environment, **pipes) as process:
        try:
            assert process.stdout.readline() == "ready\n"
            threading.Timer(seconds, lambda: os.kill(process.pid, signal.SIGINT)).start()
            output, errors = process.communicate(timeout=120)
        finally:
            process.kill()
    return output, errors, process.returncode


def test_interrupt_returns_finished_runs():
    """Ctrl-C in the middle of a long call: the finished runs come back, whole and equal to an undisturbed call."""
    code = """
        import signal, toptwo as tt, numpy as np
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a parent in the background may have it ignored
        tt.simulate("uniform", [0.0, 0.3], runs=1)
        print("ready", flush=True)
        result = tt.simulate("uniform", [0.0, 0.02], runs=100_000, delta=0.01, threads=2)
        assert result.interrupted and 0 < result.runs < 100_000, result.runs
        few = result.numbers[result.numbers < 64]
        same = tt.simulate("uniform", [0.0, 0.02], runs=64, delta=0.01, threads=2)
        assert len(few) and np.array_equal(result.stopping_times[:len(few)], same.stopping_times[few])
        print("finished", result.runs)
    """
    output, errors, status = interrupt_after(2.0, code)
    assert status == 0, errors
    assert "finished" in output


@pytest.mark.parametrize("seconds", [0.3, 0.9, 1.5])
def test_interrupt_while_compiling_is_an_interrupt(seconds, tmp_path):
    code = """
        import signal, toptwo as tt
        signal.signal(signal.SIGINT, signal.default_int_handler)
        print("ready", flush=True)
        try:
            tt.simulate("TTUCB", [0.0, 0.0001], runs=1000)
        except KeyboardInterrupt:
            print("interrupted")
    """
    output, errors, status = interrupt_after(seconds, code, NUMBA_CACHE_DIR=str(tmp_path))
    assert output == "interrupted\n", errors
    # An interrupt inside exec(text), as modules with dataclasses do when they are imported, makes Python end by the
    # signal in the end even if the program has caught it.
    assert status in (0, -signal.SIGINT), errors


def made(shift):
    """Return a rule without fields; all of these share one qualified name."""

    class Shifted(NamedTuple):
        def lead(self, now, random):
            return (now.best + shift) % 3

    return Shifted()


def test_rules_of_one_name_are_compiled_apart():
    for shift in (0, 1):
        algorithm = tt.TopTwo(leader=made(shift))
        options = {"runs": 20, "seed": 5, "max_samples": 300}
        compiled, plain = (tt.simulate(algorithm, MEANS, engine=engine, **options) for engine in ("cpu", "python"))
        assert np.array_equal(compiled.counts, plain.counts)


FACTOR = 1.0


class Scaled(NamedTuple):
    delta: float
    arms: int

    def at(self, n):
        return FACTOR * 4.0


def test_constants_changed_after_compiling_are_refused(monkeypatch):
    tt.simulate("uniform", MEANS, threshold=Scaled, runs=5)
    monkeypatch.setattr(sys.modules[__name__], "FACTOR", 3.0)
    with pytest.raises(tt.InputError, match="changed since it was compiled"):
        tt.simulate("uniform", MEANS, threshold=Scaled, runs=5)


class Listing(NamedTuple):
    def lead(self, now, random):
        return sorted(dict.fromkeys(range(3), 0))[0]


def test_what_cannot_be_compiled_is_refused_in_a_sentence():
    with pytest.raises(tt.InputError, match=r"cannot be compiled \(Listing, ") as caught:
        tt.simulate(tt.TopTwo(leader=Listing()), MEANS, runs=2)
    assert "\n" not in str(caught.value)


class Inherited(tt.rules.UpperConfidenceBound):
    """A rule may inherit its decision."""


def test_inherited_methods_compile():
    mine = tt.simulate(tt.TopTwo(leader=Inherited()), MEANS, runs=20, seed=5)
    assert mine.decided.all()


def test_huge_gaps_end_at_once():
    result = tt.simulate("TTUCB", [1e100, -1e100], runs=3, max_samples=50)
    assert (result.stopping_times == 2).all()
    result = tt.simulate("TTUCB", [1e100, -1e100, 0.0], runs=3, max_samples=50)
    assert (result.stopping_times <= 5).all()  # by betting each arm once more at the most
    with pytest.raises(tt.InputError, match="squares of others are no floats"):
        tt.simulate("TTUCB", [1e101, 0.0], runs=3)


def test_progress_bar_appears_when_asked_for(capsys, monkeypatch):
    monkeypatch.setattr("toptwo.engine.progress.PATIENCE", 0.0)
    tt.simulate("TTUCB", [0.0, 0.1], runs=2000, progress=True)
    assert "TTUCB" in capsys.readouterr().err
