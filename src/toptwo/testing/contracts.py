"""The contract of an algorithm, checked by running it."""

from typing import Any

import numpy as np

from toptwo.engine.question import make_setup
from toptwo.engine.rounds import decide, draw, first_pull, in_bulk, knowledge, look, stops
from toptwo.engine.simulation import simulate
from toptwo.rules.round import recommend
from toptwo.streams import Random, fork

MEANS = ((0.1, 0.4, 1.4, -0.3), (2.0, 0.0, 0.0, 0.5), (0.0, 0.3, 0.2, 0.9))
"""Spread, equal and skewed instances; the best arm is not always the first."""

LONG = 10_000
"""Samples of the longest run, at most."""

TIE = (0.5, 0.5)
"""Arms that nobody tells apart: whatever a rule does only after thousands of rounds is done here."""


def check_algorithm(algorithm: Any, *, compiled: bool = True, max_samples: int = 3000) -> None:
    """Run an algorithm through the contract; raise AssertionError at the first breach.

    The contract: every pull is an arm, and a leader pulled against is an arm too; the same seed gives the same run, on
    any number of threads and, to the last count, compiled as interpreted; other seeds give other runs (but for methods
    that pull in bulk, whose phases may be as long whatever the rewards). One run goes on to `max_samples`,
    or 10 000. A rule that fails on the way is named with its line, by InputError.

    Examples
    --------
    >>> check_algorithm("TTUCB", compiled=False)
    """
    _check_pulls(algorithm)
    options: dict[str, Any] = {"delta": 0.1, "max_samples": max_samples, "progress": False}
    plain = simulate(algorithm, np.array(MEANS), seed=3, engine="python", **options)
    assert (plain.counts.sum(axis=1) == plain.stopping_times).all(), "counts must add up to the samples taken"
    assert (plain.counts >= 1).all(), "every arm must be pulled at least once"
    again = simulate(algorithm, np.array(MEANS), seed=3, engine="python", **options)
    _assert_equal(plain, again, "the same seed must give the same run")
    other = simulate(algorithm, np.array(MEANS), seed=4, engine="python", **options)
    differs = (other.stopping_times != plain.stopping_times).any()
    assert differs or _in_bulk(algorithm), "another seed must give other rewards"
    late: dict[str, Any] = {**options, "delta": 1e-9, "runs": 1, "seed": 5, "max_samples": min(max_samples, LONG)}
    long = simulate(algorithm, TIE, engine="python", **late)
    if compiled:
        _assert_equal(long, simulate(algorithm, TIE, **late), "a long run compiled must equal interpreted")
        for threads in (1, 2):
            fast = simulate(algorithm, np.array(MEANS), seed=3, threads=threads, **options)
            _assert_equal(plain, fast, f"compiled on {threads} threads must equal interpreted")


def _in_bulk(algorithm: Any) -> bool:
    """Return whether an algorithm pulls in bulk."""
    setup = make_setup(algorithm, 2, delta=0.1, threshold="mixture", family=None, epsilon=0.0, max_samples=None)
    return in_bulk(setup)


def _assert_equal(one: Any, two: Any, message: str) -> None:
    for name in ("stopping_times", "recommended", "decided", "counts"):
        assert np.array_equal(getattr(one, name), getattr(two, name)), f"{message}: {name} differ"


def _check_pulls(algorithm: Any, rounds: int = 300) -> None:
    """Follow one run round by round and look at each decision."""
    means = MEANS[0]
    arms = len(means)
    setup = make_setup(algorithm, arms, delta=0.1, threshold="mixture", family=None, epsilon=0.0, max_samples=None)
    known, random, rewards = knowledge(setup, arms), Random([5]), [fork(5, arm) for arm in range(arms)]
    for arm in range(arms):
        draw(first_pull(arm), means[arm], setup, known, rewards)
    best, samples = -1, arms
    for _ in range(rounds):
        best = recommend(best, known.state, random)
        now = look(samples, best, setup, known)
        if stops(now, setup, known):
            return
        decision = decide(now, setup, known, random)
        assert decision.arm in range(arms), f"next_pull returned {decision.arm!r}, which is not an arm"
        assert decision.leader in range(-1, arms), (
            f"next_pull returned {decision.leader!r} as leader, which is neither −1 nor an arm"
        )
        assert decision.size >= 1, f"batch_size returned {decision.size!r}: at least 1"
        draw(decision, means[decision.arm], setup, known, rewards)
        samples += decision.size
