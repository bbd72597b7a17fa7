"""The counterexample to the paper's lemma on the UCB leader, played by the rule itself (docs/errata.md)."""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from toptwo import theory
from toptwo.algorithms import TTUCB
from toptwo.engine.question import make_setup
from toptwo.engine.rounds import absorb, decide, first_pull, knowledge, look
from toptwo.rules.round import recommend, update_best
from toptwo.streams import Random

MEANS = (1.0, 0.0, 0.0)
FIRST = -6.7
"""First reward of the best arm; every other reward equals its mean."""

ALPHA = 1.2


class PlayedRounds(NamedTuple):
    """What happened in the rounds K + 1, …, n: who led, who was pulled, and how far the means were off before."""

    leaders: NDArray[np.int64]
    pulled: NDArray[np.int64]
    deviations: NDArray[np.float64]
    """Largest |μ̂_i − μ_i| √N_i over the arms: E₁,ₙ asks it to be below √g(t) for t from n^{1/α} to n."""


def play(rounds: int, first: float = FIRST) -> PlayedRounds:
    """Return the first rounds of TTUCB with g_u and β = ½ on these rewards, without stopping.

    Examples
    --------
    >>> played = play(6000)
    >>> int((played.leaders != 0).sum()), len(played.leaders)
    (5997, 5997)
    """
    arms, random = len(MEANS), Random([1])
    setup = make_setup(
        TTUCB(bonus="union"), arms, delta=0.1, threshold="heuristic", family=None, epsilon=0.0, max_samples=None
    )
    known = knowledge(setup, arms)
    state = known.state
    for arm, mean in enumerate(MEANS):
        absorb(first_pull(arm), first if arm == 0 else mean, setup, known)
    best = recommend(-1, state, random)
    leaders, pulled, deviations = [], [], []
    for number in range(arms + 1, rounds + 1):
        deviations.append(max(abs(state.means[i] - MEANS[i]) * math.sqrt(state.counts[i]) for i in range(arms)))
        decision = decide(look(number - 1, best, setup, known), setup, known, random)
        leaders.append(decision.leader)
        pulled.append(decision.arm)
        before = state.means[decision.arm]
        absorb(decision, MEANS[decision.arm], setup, known)
        best = update_best(best, decision.arm, before, state, random)
    return PlayedRounds(np.array(leaders), np.array(pulled), np.array(deviations))


def judge(rounds: int, first: float = FIRST) -> dict[str, Any]:
    """Return, at n = `rounds`, how often wrong arms led, whether E₁,ₙ held, and what the two lemmas allow.

    Examples
    --------
    >>> found = judge(40_000)
    >>> found["wrong"], found["event"], round(found["printed"]), round(found["repaired"])
    (6660, True, 1349, 7288)
    """
    played = play(rounds, first)
    times = np.arange(len(MEANS) + 1, rounds + 1)
    watched = times >= rounds ** (1.0 / ALPHA)
    limits = np.sqrt(theory.bonus_union(times[watched], alpha=ALPHA))
    return {
        "rounds": rounds,
        # L_n counts the rounds before n.
        "wrong": int((played.leaders[:-1] != 0).sum()),
        "event": bool((played.deviations[watched] < limits).all()),
        "printed": float(theory.wrong_leaderships(MEANS, rounds, alpha=ALPHA, as_printed=True)),
        "repaired": float(theory.wrong_leaderships(MEANS, rounds, alpha=ALPHA)),
    }
