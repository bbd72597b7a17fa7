"""Elimination: pull all survivors alike and drop those that fall behind."""

import math
from typing import NamedTuple

from toptwo.algorithms.base import Question
from toptwo.algorithms.phases import (
    LastSurvivor,
    Phased,
    Phases,
    average,
    begin,
    count,
    highest_average,
    open_phase,
    settle,
)
from toptwo.algorithms.sub_gaussian import standard_deviation
from toptwo.special import expected_maximum
from toptwo.state import State


class EliminationRounds(NamedTuple):
    """Successive elimination for one δ: after m pulls each, drop arms 2α_m below the highest mean."""

    delta: float
    arms: int
    sigma: float
    epsilon: float

    def turn(self, state: State, mine: Phases) -> None:
        """Drop arms; a survivor has as many pulls as there were rounds."""
        alive = mine.alive
        if mine.phase[0] == 0.0:
            begin(mine)
        mine.phase[0] += 1.0
        radius = (
            2.0
            * self.sigma
            * math.sqrt(math.log(5.0 * self.arms * mine.phase[0] * mine.phase[0] / self.delta) / mine.phase[0])
        )
        best = -1
        for i in range(len(alive)):
            if alive[i] > 0.0 and (best < 0 or state.means[i] > state.means[best]):
                best = i
        for i in range(len(alive)):
            if i != best and state.means[best] - state.means[i] >= 2.0 * radius:
                alive[i] = 0.0
        if count(alive) == 1 or 2.0 * radius <= self.epsilon:
            settle(best, mine)
        else:
            mine.step[0] = 1.0  # every round but the engine's first pulls asks for one more pull each
            open_phase(alive, 1.0, mine)


class SuccessiveElimination(NamedTuple):
    """Successive elimination (Even-Dar, Mannor and Mansour, 2006, algorithm 3, with c = 5).

    Their radius √(ln(cKm²/δ)/m) for rewards in [0, 1] is 2σ√(ln(cKm²/δ)/m) for a variance proxy σ².
    """

    def bind(self, question: Question) -> tuple[Phased, LastSurvivor]:
        """Return the sampling and stopping rule for a question."""
        sigma = standard_deviation("successive elimination", question.family)
        return Phased(EliminationRounds(question.delta, question.arms, sigma, question.epsilon)), LastSurvivor()


class WidthPhases(NamedTuple):
    """Peace for one δ: phases long enough to halve the gap that can be told apart."""

    delta: float
    sigma: float
    epsilon: float

    def turn(self, state: State, mine: Phases) -> None:
        """Drop arms more than ε_k below the highest average of phase k; open the next one."""
        alive = mine.alive
        if mine.phase[0] == 0.0:
            begin(mine)
        else:
            accuracy = math.pow(0.5, mine.phase[0])
            best = highest_average(mine)
            for i in range(len(alive)):
                if alive[i] > 0.0 and average(i, mine) < average(best, mine) - accuracy:
                    alive[i] = 0.0
            if count(alive) == 1 or 2.0 * accuracy <= self.epsilon:
                settle(best, mine)
                return
        mine.phase[0] += 1.0
        open_phase(alive, self.pulls_each(mine.phase[0], count(alive)), mine)

    def pulls_each(self, phase: float, survivors: int) -> float:
        """Return the pulls per arm after which all differences are known to ε_k = 2^{−k} with risk δ/(k(k+1)).

        The noise of the differences has expected maximum 2w(n)σ/√N, w the Gaussian width of n arms, and exceeds it by
        2σ√(ln(1/δ_k)/N) with probability at most δ_k (Borell, Tsirelson, Ibragimov and Sudakov).
        """
        reach = 2.0 * expected_maximum(survivors) + 2.0 * math.sqrt(math.log(phase * (phase + 1.0) / self.delta))
        root = self.sigma * reach * math.pow(2.0, phase)
        return math.ceil(root * root)


class Peace(NamedTuple):
    """Peace (Katz-Samuels, Jain, Karnin and Jamieson, 2020) for arms without structure.

    The design problem of a phase is then symmetric in the survivors, and its optimum uniform on them.
    """

    def bind(self, question: Question) -> tuple[Phased, LastSurvivor]:
        """Return the sampling and stopping rule for a question."""
        sigma = standard_deviation("Peace", question.family)
        return Phased(WidthPhases(question.delta, sigma, question.epsilon)), LastSurvivor()
