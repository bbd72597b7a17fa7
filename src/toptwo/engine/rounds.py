"""One round: look, decide, draw, absorb. Plain Python; engine/cpu.py compiles it as it stands.

Simulations (engine/runs.py), studies and the contract suite drive the same four steps; they differ in who supplies the
reward and when they look.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from toptwo.algorithms.base import Algorithm
from toptwo.families.base import Family, draw_batch
from toptwo.memory import NOTHING, laid_out, memory_of, zeros
from toptwo.optional import answers
from toptwo.rules.parts import Seen, answer, batch_size, learn
from toptwo.rules.round import Round, survey, update_best
from toptwo.rules.stopping import Stopping
from toptwo.state import State, state_of
from toptwo.streams import Random, next_word


class Setup(NamedTuple):
    """What is run: the same for all runs of a call."""

    algorithm: Algorithm
    stopping: Stopping
    family: Family
    epsilon: float
    max_samples: int


class Knowledge(NamedTuple):
    """What the rewards of a run have taught: the statistics, and what the rules keep."""

    state: State
    sampling: Any
    stopping: Any


def knowledge(setup: Setup, arms: int, new: Callable[..., Any] = zeros) -> Knowledge:
    """Return what is known before the first pull, as lists unless told how to make a field of some sizes."""

    def own_statistics() -> State:
        return state_of(setup.family, arms, new)

    state = own_statistics()
    sampling = laid_out(memory_of(setup.algorithm), arms, new, family=own_statistics)
    stopping = laid_out(memory_of(setup.stopping), arms, new, family=own_statistics, sampler=lambda: sampling)
    return Knowledge(state, sampling, stopping)


class Decision(NamedTuple):
    """What was decided in a round, before its reward was seen."""

    leader: int
    """−1 if nobody led."""
    arm: int
    size: int
    """How many rewards of the arm."""
    best: int
    """î at that time; −1 in the first pulls."""
    cost: float
    """Its likelihood ratio against its rival; 0 in the first pulls."""

    def resized(self, size: int) -> "Decision":
        """Return the decision to pull so many."""
        return Decision(self.leader, self.arm, size, self.best, self.cost)


def in_bulk(setup: Setup) -> bool:
    """Return whether the algorithm may want many rewards of an arm before it looks again."""
    return answers(setup.algorithm, batch_size)


def first_pull(arm: int) -> Decision:
    """Return the decision to pull an arm of which nothing is known yet."""
    return Decision(-1, arm, 1, -1, 0.0)


def look(samples: int, best: int, setup: Setup, known: Knowledge) -> Round:
    """Return the round after so many samples, with î compared with every other arm."""
    return survey(samples + 1, best, setup.epsilon, known.state, setup.family)


def stops(now: Round, setup: Setup, known: Knowledge) -> bool:
    """Return whether this is the last round."""
    return setup.stopping.stops(now.by(known.stopping))


def answer_of(now: Round, setup: Setup, known: Knowledge) -> int:
    """Return the arm that the stopping rule stands for."""
    return answer(setup.stopping, now.by(known.stopping))


def decide(now: Round, setup: Setup, known: Knowledge, random: Random) -> Decision:
    """Return what to pull next; an arm outside 0 to K − 1 is for the driver to deal with."""
    seen = now.by(known.sampling)
    leader, arm = setup.algorithm.next_pull(seen, random)
    size = batch_size(setup.algorithm, arm, seen) if 0 <= arm < len(now.state.means) else 1
    return Decision(leader, arm, size, now.best, now.cost)


class Standing(NamedTuple):
    """How a run stands after so many samples: î, the arm closest to overtaking it, and whether that is enough."""

    samples: int
    best: int
    rival: int
    cost: float
    ties: int
    over: bool
    answer: int
    """The arm that the stopping rule stands for if the run is over."""


BEGINNING = Standing(0, -1, -1, 0.0, 0, False, -1)
"""Before the first reward."""


def settle(
    decision: Decision, reward: float, last: Standing, setup: Setup, known: Knowledge, random: Random
) -> Standing:
    """Absorb a reward, and look: for drivers who are told rewards in the order of decisions."""
    before = known.state.means[decision.arm]
    absorb(Decision(decision.leader, decision.arm, 1, last.best, last.cost), reward, setup, known)
    return stand_after(decision.arm, before, last, setup, known, random)


def stand_after(arm: int, before: float, last: Standing, setup: Setup, known: Knowledge, random: Random) -> Standing:
    """Look after one more reward of an arm, whose mean was `before`."""
    samples = last.samples + 1
    if samples < len(known.state.means):
        return Standing(samples, -1, -1, 0.0, 0, False, -1)
    return stand(samples, update_best(last.best, arm, before, known.state, random), setup, known)


def stand(samples: int, best: int, setup: Setup, known: Knowledge) -> Standing:
    """Look after so many samples."""
    now = look(samples, best, setup, known)
    over = stops(now, setup, known)
    return Standing(samples, best, now.rival, now.cost, now.ties, over, answer_of(now, setup, known) if over else best)


def decide_from(standing: Standing, setup: Setup, known: Knowledge, random: Random) -> Decision:
    """Return what to pull next as things stand."""
    now = Round(
        standing.samples + 1,
        standing.best,
        standing.rival,
        standing.cost,
        standing.ties,
        setup.epsilon,
        known.state,
        setup.family,
        NOTHING,
    )
    return decide(now, setup, known, random)


def draw(decision: Decision, mean: float, setup: Setup, known: Knowledge, rewards: Any) -> None:
    """Draw what was decided on from the law of the arm, and absorb it."""
    arm = decision.arm
    if decision.size == 1:
        absorb(decision, setup.family.reward(arm, mean, next_word(rewards, arm)), setup, known)
    else:
        average = draw_batch(setup.family, arm, mean, decision.size, known.state, rewards)
        teach_rules(decision, average, setup, known)


def absorb(decision: Decision, reward: float, setup: Setup, known: Knowledge) -> None:
    """Take one reward in: the family first, then every rule that learns."""
    setup.family.observe(decision.arm, reward, known.state)
    teach_rules(decision, reward, setup, known)


def teach_rules(decision: Decision, reward: float, setup: Setup, known: Knowledge) -> None:
    """Hand a reward, or the average of several, to the algorithm and to the stopping rule."""
    seen = Seen(
        decision.leader,
        decision.arm,
        reward,
        decision.size,
        decision.best,
        decision.cost,
        known.state,
        setup.family,
        known.sampling,
    )
    learn(setup.algorithm, seen)
    learn(setup.stopping, seen.by(known.stopping))
