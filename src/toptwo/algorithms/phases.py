"""Phased methods: quotas of pulls handed out in bulk, and a plan that decides when they are answered.

All changes happen in `learn`, when the last value of a phase arrives, so that a study with answers that come late goes
through the same phases as a simulation; `next_pull` only reads.
"""

import math
from typing import Any, NamedTuple, Protocol

from toptwo.algorithms.base import WAIT
from toptwo.memory import memory_of, numbers, of_sampler, per_arm
from toptwo.rules.parts import Seen
from toptwo.rules.round import Round
from toptwo.state import Row, State
from toptwo.streams import Random


class Phases(NamedTuple):
    """What a phased method keeps."""

    plan: Any
    """What the plan keeps."""
    alive: Row = per_arm()
    """1 for the arms that survive."""
    target: Row = per_arm()
    """The number of pulls by which an arm has done its share of the phase."""
    answered: Row = per_arm()
    """Pulls whose rewards are known."""
    total: Row = per_arm()
    """The sum of the rewards of this phase."""
    phase: Row = numbers()
    """The number of the phase."""
    step: Row = numbers()
    """The number of the step inside it."""
    quota: Row = numbers()
    """The pulls per arm of this phase."""
    chosen: Row = numbers()
    """The answer plus one, when there is one."""


class PhasePlan(Protocol):
    """What a phased method decides at the end of a phase."""

    def turn(self, state: State, mine: Phases) -> None:
        """Eliminate arms, then open the next phase or settle the answer; called first when each arm has one reward."""
        ...


class Phased(NamedTuple):
    """The sampling rule of a phased method: every arm its share of the phase, in index order, and then the plan."""

    plan: PhasePlan

    def memory(self) -> Phases:
        """Return the books of the phases."""
        return Phases(memory_of(self.plan))

    def next_pull(self, now: Round, random: Random) -> tuple[int, int]:
        """Return the first arm that has not done its share, WAIT if values are still to come; nobody leads."""
        for i in range(len(now.state.means)):
            if now.state.counts[i] < now.mine.target[i]:
                return -1, i
        return -1, WAIT

    def batch_size(self, arm: int, now: Round) -> int:
        """Return what is left of the arm's share."""
        return int(now.mine.target[arm] - now.state.counts[arm])

    def learn(self, seen: Seen) -> None:
        """Take rewards in; at the end of a phase let the plan decide."""
        mine = seen.mine
        mine.answered[seen.arm] += seen.size
        mine.total[seen.arm] += seen.value * seen.size
        while phase_over(mine):
            self.plan.turn(seen.state, mine)


def phase_over(mine: Phases) -> bool:
    """Return whether all values of the phase are known, and there is no answer yet."""
    if mine.chosen[0] > 0.0:
        return False
    for i in range(len(mine.answered)):
        if mine.answered[i] < max(1.0, mine.target[i]):
            return False
    return True


def open_phase(members: Row, quota: float, mine: Phases) -> None:
    """Ask for so many fresh pulls of each arm marked in `members`.

    The engine's first pull of every arm is the first of phase 1.
    """
    for i in range(len(members)):
        first = mine.phase[0] == 1.0 and mine.step[0] == 0.0
        if not first:
            mine.total[i] = 0.0
        mine.target[i] = 0.0
        if members[i] > 0.0:
            mine.target[i] = quota if first else mine.answered[i] + quota
    mine.quota[0] = quota


def average(arm: int, mine: Phases) -> float:
    """Return the average reward of an arm in this phase."""
    return mine.total[arm] / mine.quota[0]


def count(members: Row) -> int:
    """Return how many arms a row marks."""
    marked = 0
    for i in range(len(members)):
        if members[i] > 0.0:
            marked += 1
    return marked


def begin(mine: Phases) -> None:
    """Let every arm survive."""
    for i in range(len(mine.alive)):
        mine.alive[i] = 1.0


def highest_average(mine: Phases) -> int:
    """Return the survivor of highest average in this phase."""
    arm, top = -1, -math.inf
    for i in range(len(mine.alive)):
        if mine.alive[i] > 0.0 and (arm < 0 or average(i, mine) > top):
            arm, top = i, average(i, mine)
    return arm


def settle(arm: int, mine: Phases) -> None:
    """Write the answer down."""
    mine.chosen[0] = arm + 1.0


class LastSurvivor(NamedTuple):
    """Stop when a phased method has an answer."""

    proven: bool = True

    def memory(self) -> Any:
        """Return the books of the phases, which the sampling rule keeps."""
        return of_sampler()

    def stops(self, now: Round) -> bool:
        """Return whether there is an answer."""
        return now.mine.chosen[0] > 0.0

    def answer(self, now: Round) -> int:
        """Return it."""
        return int(now.mine.chosen[0]) - 1

    def certified(self) -> bool:
        """Return whether δ-correctness is proven."""
        return self.proven
