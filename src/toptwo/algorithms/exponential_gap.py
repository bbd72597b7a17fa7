"""Exp-Gap: exponential-gap elimination (Karnin, Koren and Somekh, 2013), with median elimination inside."""

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
    open_phase,
    settle,
)
from toptwo.algorithms.sub_gaussian import standard_deviation
from toptwo.errors import InputError
from toptwo.memory import per_arm
from toptwo.state import Row, State


class Cup(NamedTuple):
    """What Exp-Gap keeps besides the books of the phases."""

    sampled: Row = per_arm()
    """The averages of a round's sampling, kept while median elimination looks for a reference."""
    left: Row = per_arm()
    """1 for the arms left in the median elimination."""


class ExponentialGapPhases(NamedTuple):
    """Exp-Gap for one δ.

    Round r samples every survivor, finds a nearly best one by median elimination, and drops those ε_r below it;
    ε_r = 2^{−r}/4, δ_r = δ/(50r³). Their pulls for [0, 1], (2/ε_r²) ln(2/δ_r), are multiplied by 4σ².
    """

    delta: float
    sigma: float

    def memory(self) -> Cup:
        """Return the books of a round's median elimination."""
        return Cup()

    def turn(self, state: State, mine: Phases) -> None:
        """End a phase: the sampling of a round (step 0) or a step of its median elimination."""
        cup = mine.plan
        if mine.phase[0] == 0.0:
            begin(mine)
            self.open_round(mine)
        elif mine.step[0] == 0.0:
            for i in range(len(mine.alive)):
                cup.sampled[i] = average(i, mine)
                cup.left[i] = mine.alive[i]
            self.open_step(mine)
        else:
            keep_upper_half(mine)
            if count(cup.left) > 1:
                self.open_step(mine)
            else:
                self.eliminate(mine)

    def eliminate(self, mine: Phases) -> None:
        """Drop the arms ε_r below the reference; they are compared in the round's own sampling."""
        cup = mine.plan
        level = cup.sampled[first_of(cup.left)] - accuracy(mine.phase[0])
        for i in range(len(mine.alive)):
            if cup.sampled[i] < level:
                mine.alive[i] = 0.0
        if count(mine.alive) == 1:
            settle(first_of(mine.alive), mine)
        else:
            self.open_round(mine)

    def open_round(self, mine: Phases) -> None:
        """Sample every survivor (2/ε_r²) ln(2/δ_r) times, in units of [0, 1]."""
        mine.phase[0] += 1.0
        mine.step[0] = 0.0
        number = mine.phase[0]
        self.open_sampling(mine.alive, 2.0, accuracy(number), 2.0 / self.risk(number), mine)

    def open_step(self, mine: Phases) -> None:
        """Sample every arm left in the cup (4/e²) ln(3/d) times: step l has e = ε_r/8 · (3/4)^{l−1}, d = δ_r/2^l."""
        error = accuracy(mine.phase[0]) / 8.0 * 0.75 ** mine.step[0]
        mine.step[0] += 1.0
        self.open_sampling(mine.plan.left, 4.0, error, 3.0 * 2.0 ** mine.step[0] / self.risk(mine.phase[0]), mine)

    def open_sampling(self, members: Row, factor: float, error: float, odds: float, mine: Phases) -> None:
        """Open a phase of 4σ² (factor/error²) ln(odds) pulls per arm."""
        open_phase(members, math.ceil(4.0 * self.sigma * self.sigma * factor / (error * error) * math.log(odds)), mine)

    def risk(self, number: float) -> float:
        """Return δ_r."""
        return self.delta / (50.0 * number * number * number)


def accuracy(number: float) -> float:
    """Return ε_r."""
    return 0.25 * math.pow(0.5, number)


def first_of(members: Row) -> int:
    """Return the first arm that a row marks."""
    for i in range(len(members)):
        if members[i] > 0.0:
            return i
    return -1


def keep_upper_half(mine: Phases) -> None:
    """Drop from the cup all but the ⌈n/2⌉ arms of highest average; of equal ones the first stay."""
    left = mine.plan.left
    kept = (count(left) + 1) // 2
    for i in range(len(left)):
        if left[i] > 0.0:
            ahead = 0
            for j in range(len(left)):
                value = average(j, mine) - average(i, mine)
                if left[j] != 0.0 and (value > 0.0 or (value == 0.0 and j < i)):
                    ahead += 1
            if ahead >= kept:
                left[i] = -1.0  # out, but still to be compared with the arms to come
    for i in range(len(left)):
        left[i] = max(0.0, left[i])


class ExponentialGap(NamedTuple):
    """Exponential-gap elimination: optimal in the gaps up to constants, which are large."""

    def bind(self, question: Question) -> tuple[Phased, LastSurvivor]:
        """Return the sampling and stopping rule for a question."""
        if question.epsilon > 0.0:
            raise InputError("epsilon: Exp-Gap looks for the one best arm and takes no margin; TTUCB and LUCB do.")
        sigma = standard_deviation("Exp-Gap", question.family)
        return Phased(ExponentialGapPhases(question.delta, sigma)), LastSurvivor()
