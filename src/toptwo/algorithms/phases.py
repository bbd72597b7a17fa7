"""Phased methods: quotas of pulls handed out in bulk, and a plan that decides when they are answered.

All changes happen in `learn`, when the last value of a phase arrives, so that a study with answers that come late goes
through the same phases as a simulation; `next_pull` only reads.
"""

import math
from typing import NamedTuple, Protocol

from toptwo.algorithms.base import WAIT
from toptwo.families.base import Family
from toptwo.rules.round import Round
from toptwo.state import State
from toptwo.streams import Random

ALIVE = 0
"""Memory row: 1 for the arms that survive."""

TARGET = 1
"""Memory row: the number of pulls by which an arm has done its share of the phase."""

ANSWERED = 2
"""Memory row: pulls whose rewards are known."""

TOTAL = 3
"""Memory row: the sum of the rewards of this phase."""

CLOCK = 4
"""Memory row: the number of the phase, and of the step inside it."""

NOTES = 5
"""Memory row: the answer plus one when there is one, and the pulls per arm in this phase."""

ROWS = 6


class Plan(Protocol):
    """What a phased method decides at the end of a phase."""

    def rows(self) -> int:
        """Return how many memory rows it needs, ROWS or more."""
        ...

    def turn(self, state: State) -> None:
        """Eliminate arms, then open the next phase or settle the answer; called first when each arm has one reward."""
        ...


class Phased(NamedTuple):
    """The sampling rule of a phased method: every arm its share of the phase, in index order, and then the plan."""

    plan: Plan

    def memory_rows(self, arms: int) -> int:
        """Return the rows of the plan."""
        return self.plan.rows()

    def next_pull(self, now: Round, random: Random) -> tuple[int, int]:
        """Return the first arm that has not done its share, WAIT if values are still to come; nobody leads."""
        for i in range(len(now.state.means)):
            if now.state.counts[i] < now.state.memory[TARGET][i]:
                return -1, i
        return -1, WAIT

    def batch_size(self, arm: int, now: Round) -> int:
        """Return what is left of the arm's share."""
        return int(now.state.memory[TARGET][arm] - now.state.counts[arm])

    def learn(self, leader: int, arm: int, reward: float, size: int, state: State, family: Family) -> None:
        """Take rewards in; at the end of a phase let the plan decide."""
        take_in(arm, reward, size, state)
        while phase_over(state):
            self.plan.turn(state)


def take_in(arm: int, reward: float, size: int, state: State) -> None:
    """Add the average of some rewards to the phase."""
    state.memory[ANSWERED][arm] += size
    state.memory[TOTAL][arm] += reward * size


def phase_over(state: State) -> bool:
    """Return whether all values of the phase are known, and there is no answer yet."""
    memory = state.memory
    if memory[NOTES][0] > 0.0:
        return False
    for i in range(len(state.means)):
        if memory[ANSWERED][i] < max(1.0, memory[TARGET][i]):
            return False
    return True


def open_phase(members: int, quota: float, state: State) -> None:
    """Ask for so many fresh pulls of each arm marked in the memory row `members`.

    The engine's first pull of every arm is the first of phase 1.
    """
    memory = state.memory
    for i in range(len(state.means)):
        first = memory[CLOCK][0] == 1.0 and memory[CLOCK][1] == 0.0
        if not first:
            memory[TOTAL][i] = 0.0
        memory[TARGET][i] = 0.0
        if memory[members][i] > 0.0:
            memory[TARGET][i] = quota if first else memory[ANSWERED][i] + quota
    memory[NOTES][1] = quota


def average(arm: int, state: State) -> float:
    """Return the average reward of an arm in this phase."""
    return state.memory[TOTAL][arm] / state.memory[NOTES][1]


def count(members: int, state: State) -> int:
    """Return how many arms a memory row marks."""
    marked = 0
    for i in range(len(state.means)):
        if state.memory[members][i] > 0.0:
            marked += 1
    return marked


def begin(state: State) -> None:
    """Let every arm survive."""
    for i in range(len(state.means)):
        state.memory[ALIVE][i] = 1.0


def highest_average(state: State) -> int:
    """Return the survivor of highest average in this phase."""
    arm, top = -1, -math.inf
    for i in range(len(state.means)):
        if state.memory[ALIVE][i] > 0.0 and (arm < 0 or average(i, state) > top):
            arm, top = i, average(i, state)
    return arm


def settle(arm: int, state: State) -> None:
    """Write the answer down."""
    state.memory[NOTES][0] = arm + 1.0


class LastSurvivor(NamedTuple):
    """Stop when a phased method has an answer."""

    proven: bool = True

    def stops(self, now: Round) -> bool:
        """Return whether there is an answer."""
        return now.state.memory[NOTES][0] > 0.0

    def answer(self, now: Round) -> int:
        """Return it."""
        return int(now.state.memory[NOTES][0]) - 1

    def certified(self) -> bool:
        """Return whether δ-correctness is proven."""
        return self.proven
