"""Exp-Gap: exponential-gap elimination (Karnin, Koren and Somekh, 2013), with median elimination inside."""

import math
from typing import NamedTuple

from toptwo.algorithms.base import Question
from toptwo.algorithms.phases import (
    ALIVE,
    CLOCK,
    ROWS,
    LastSurvivor,
    Phased,
    average,
    begin,
    count,
    open_phase,
    settle,
)
from toptwo.algorithms.sub_gaussian import standard_deviation
from toptwo.errors import InputError
from toptwo.state import State

ROUND = ROWS
"""Memory row of the averages of a round's sampling, kept while median elimination looks for a reference."""

CUP = ROWS + 1
"""Memory row: 1 for the arms left in the median elimination."""


class ExponentialGapPhases(NamedTuple):
    """Exp-Gap for one δ.

    Round r samples every survivor, finds a nearly best one by median elimination, and drops those ε_r below it;
    ε_r = 2^{−r}/4, δ_r = δ/(50r³). Their pulls for [0, 1], (2/ε_r²) ln(2/δ_r), are multiplied by 4σ².
    """

    delta: float
    sigma: float

    def rows(self) -> int:
        """Return the rows of the bookkeeping."""
        return ROWS + 2

    def turn(self, state: State) -> None:
        """End a phase: the sampling of a round (step 0) or a step of its median elimination."""
        memory, clock = state.memory, state.memory[CLOCK]
        if clock[0] == 0.0:
            begin(state)
            self.open_round(state)
        elif clock[1] == 0.0:
            for i in range(len(state.means)):
                memory[ROUND][i] = average(i, state)
                memory[CUP][i] = memory[ALIVE][i]
            self.open_step(state)
        else:
            keep_upper_half(state)
            if count(CUP, state) > 1:
                self.open_step(state)
            else:
                self.eliminate(state)

    def eliminate(self, state: State) -> None:
        """Drop the arms ε_r below the reference; they are compared in the round's own sampling."""
        memory, reference = state.memory, first_of(CUP, state)
        level = memory[ROUND][reference] - accuracy(memory[CLOCK][0])
        for i in range(len(state.means)):
            if memory[ROUND][i] < level:
                memory[ALIVE][i] = 0.0
        if count(ALIVE, state) == 1:
            settle(first_of(ALIVE, state), state)
        else:
            self.open_round(state)

    def open_round(self, state: State) -> None:
        """Sample every survivor (2/ε_r²) ln(2/δ_r) times, in units of [0, 1]."""
        clock = state.memory[CLOCK]
        clock[0] += 1.0
        clock[1] = 0.0
        self.open_sampling(ALIVE, 2.0, accuracy(clock[0]), 2.0 / self.risk(clock[0]), state)

    def open_step(self, state: State) -> None:
        """Sample every arm left in the cup (4/e²) ln(3/d) times: step l has e = ε_r/8 · (3/4)^{l−1}, d = δ_r/2^l."""
        clock = state.memory[CLOCK]
        error = accuracy(clock[0]) / 8.0 * 0.75 ** clock[1]
        clock[1] += 1.0
        self.open_sampling(CUP, 4.0, error, 3.0 * 2.0 ** clock[1] / self.risk(clock[0]), state)

    def open_sampling(self, members: int, factor: float, error: float, odds: float, state: State) -> None:
        """Open a phase of 4σ² (factor/error²) ln(odds) pulls per arm."""
        open_phase(members, math.ceil(4.0 * self.sigma * self.sigma * factor / (error * error) * math.log(odds)), state)

    def risk(self, number: float) -> float:
        """Return δ_r."""
        return self.delta / (50.0 * number * number * number)


def accuracy(number: float) -> float:
    """Return ε_r."""
    return 0.25 * math.pow(0.5, number)


def first_of(members: int, state: State) -> int:
    """Return the first arm that a memory row marks."""
    for i in range(len(state.means)):
        if state.memory[members][i] > 0.0:
            return i
    return -1


def keep_upper_half(state: State) -> None:
    """Drop from the cup all but the ⌈n/2⌉ arms of highest average; of equal ones the first stay."""
    memory, arms = state.memory, len(state.means)
    kept = (count(CUP, state) + 1) // 2
    for i in range(arms):
        if memory[CUP][i] > 0.0:
            ahead = 0
            for j in range(arms):
                value = average(j, state) - average(i, state)
                if memory[CUP][j] != 0.0 and (value > 0.0 or (value == 0.0 and j < i)):
                    ahead += 1
            if ahead >= kept:
                memory[CUP][i] = -1.0  # out, but still to be compared with the arms to come
    for i in range(arms):
        memory[CUP][i] = max(0.0, memory[CUP][i])


class ExponentialGap(NamedTuple):
    """Exponential-gap elimination: optimal in the gaps up to constants, which are large."""

    def bind(self, question: Question) -> tuple[Phased, LastSurvivor]:
        """Return the sampling and stopping rule for a question."""
        if question.epsilon > 0.0:
            raise InputError("epsilon: Exp-Gap looks for the one best arm and takes no margin; TTUCB and LUCB do.")
        sigma = standard_deviation("Exp-Gap", question.family)
        return Phased(ExponentialGapPhases(question.delta, sigma)), LastSurvivor()
