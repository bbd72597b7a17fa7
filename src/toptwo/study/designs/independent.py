"""Pulls one by one, each a measurement of its own: the decisions of the engine, with answers that may come late.

Answers may come late and out of order, and slowness may go together with the value. Two readings of the answers keep
that harmless (docs/mixture.md, "Late answers"):

- the *verdict* reads pulls in the order in which they were asked, up to the first one still unanswered. That prefix is
  the same whoever was fast, so the guarantee of the stopping rule holds as if answers came at once;
- the *choice of the next pull* may use more, since the guarantee holds for any sampling: for each arm the answered
  prefix of its pulls, with pulls under way counted but not yet valued.
"""

import functools
import math
from collections import deque
from collections.abc import Hashable
from typing import Any

import numpy as np

from toptwo import checks
from toptwo.algorithms.base import WAIT
from toptwo.algorithms.top_two import NO_SHARE
from toptwo.engine.question import NOT_A_SHARE, make_setup, not_an_arm, stream_label
from toptwo.engine.rounds import (
    BEGINNING,
    Decision,
    Standing,
    decide,
    decide_from,
    first_pull,
    in_bulk,
    knowledge,
    look,
    settle,
    stand,
    teach_rules,
)
from toptwo.engine.steps import Steps
from toptwo.engine.watching import as_written, watched
from toptwo.errors import InputError
from toptwo.families import make_family
from toptwo.families.base import check_value, is_constant, mean_range, mirrored, take_average, with_counts
from toptwo.families.origin import origin_of
from toptwo.rules.round import Round, recommend
from toptwo.state import state_of
from toptwo.streams import Random, fork
from toptwo.study.certificate import about, certificate
from toptwo.study.designs.added import NO_ROOM, carried_over, first_share, share_of_delta
from toptwo.study.designs.base import Findings, NextRow
from toptwo.study.designs.keeping import fill, plain
from toptwo.study.diagnostics import Diagnostics
from toptwo.study.intervals import PullBounds
from toptwo.study.question import StudyQuestion
from toptwo.study.verdict import Status

MANY_ARMS = 64
"""With fewer arms the interpreter is as fast as a call of compiled code."""

SCANNED = 5_000_000
"""Arms looked at before a study compiles its steps: some seconds of the interpreter, which is what compiling takes."""

STEPS = (settle, decide_from, decide, look, recommend)
"""What decides besides the rules."""


class UnreadPull:
    """A pull that was asked and is not yet read."""

    __slots__ = ("decision", "dropped", "value")

    def __init__(self, decision: Decision, value: float | None = None, dropped: bool = False) -> None:
        self.decision, self.value, self.dropped = decision, value, dropped


class Independent:
    """The design in which a measurement is one pull."""

    def __init__(
        self,
        arms: int,
        *,
        delta: float,
        epsilon: float,
        algorithm: Any,
        threshold: Any,
        family: Any,
        sign: float,
        max_samples: int | None,
        seed: int,
        more_arms: bool = False,
    ) -> None:
        self.arms, self.added, self._more_arms = arms, 0, more_arms
        self.in_blocks, self.remembers_choosing = False, True
        self._delta = checks.probability("delta", delta)
        self._fitted = functools.partial(
            make_setup,
            algorithm,
            threshold=threshold,
            family=family if sign > 0.0 else mirrored(make_family(family)),
            epsilon=epsilon,
            max_samples=max_samples,
        )
        self._share = first_share(algorithm, more_arms)  # of δ, to spend on the arms there are
        self.setup: Any = watched(self._fitted(arms, delta=self._delta * self._share))
        self._threshold, self._sign = threshold, sign
        self._measured = self.setup.family if sign > 0.0 else mirrored(self.setup.family)  # law of values as told
        self._random = Random([fork(fork(checks.whole("seed", seed, 0), 0), stream_label(algorithm))])
        self.settled = knowledge(self.setup, arms)  # global prefix: what the verdict reads
        self.known = knowledge(self.setup, arms)  # per-arm prefixes: what sampling reads
        self.origin = 0.0  # subtracted from all values (families/origin.py)
        self._early: list[list[tuple[Decision, float]]] = [[], []]  # what both took in before each arm had a value
        self.pulls = 0
        self.read = 0  # pulls in the global prefix
        self._open: dict[int, UnreadPull] = {}  # pulls that are not in the global prefix
        self._queues: list[deque[UnreadPull]] = [deque() for _ in range(arms)]  # pulls not in the prefix of their arm
        self._fresh = 0  # no arm before it waits for its first pull
        self._unseen = arms  # arms without a value in the global prefix
        self._begun = False  # each arm had one, once: those of arms added later are awaited with what is known kept
        self.best = -1
        self.standing = BEGINNING
        self.steps = Steps(self.setup)
        self.diagnostics = Diagnostics(self._measured, arms)
        self._status: Status = "running"
        self.over = False

    @classmethod
    def answering(cls, question: StudyQuestion) -> "Independent":
        """Return the design for a question."""
        if question.compare is not None or question.items is not None:
            raise InputError(
                'compare and items are for rows of measurements that belong together: give design="blocks".'
            )
        design = cls(
            len(question.arms),
            delta=question.delta,
            epsilon=question.epsilon,
            algorithm=question.algorithm,
            threshold=question.threshold,
            family=question.family,
            sign=question.sign,
            max_samples=question.max_samples,
            seed=question.seed,
            more_arms=question.more_arms,
        )
        if question.failures == "drop" and design.phased:
            raise InputError(
                'failures="drop" is not for phased algorithms, whose phases need every answer: give "worst".'
            )
        return design

    def parts(self) -> tuple[Any, ...]:
        """Return what decides."""
        return (*as_written(self.setup)[:3], *STEPS)

    # --- asking -----------------------------------------------------------------------------------------------------
    @property
    def phased(self) -> bool:
        """Return whether the algorithm decides on many pulls at once."""
        return in_bulk(self.setup)

    def choose(self, wanted: int) -> NextRow | None:
        """Return what to pull next; None while a phased method waits for its phase."""
        decision = self._decide()
        if decision.arm == WAIT:
            return None
        note = (int(decision.leader), int(decision.best), float(decision.cost), int(self._random.position[0]))
        return NextRow((int(decision.arm),), min(int(decision.size), wanted), None, note)

    def _decide(self) -> Decision:
        state = self.known.state
        while self._fresh < self.arms and (state.counts[self._fresh] or self._queues[self._fresh]):
            self._fresh += 1
        if self._fresh < self.arms:
            return first_pull(self._fresh)
        if self.read == self.pulls and not self._unseen:  # no pull under way: the verdict's look still holds
            return self._checked(self.steps.decide(self.standing, self.known, self._random))
        counts = [float(pulls + len(queue)) for pulls, queue in zip(state.counts, self._queues, strict=True)]
        if min(state.counts) == 0.0 and not self.phased:  # nothing is known of some arm: wait evenly
            return first_pull(counts.index(min(counts)))
        best = recommend(self.best, state, self._random)
        view = self.known._replace(state=with_counts(self.setup.family, counts, state))
        return self._checked(decide(look(self.pulls, best, self.setup, view), self.setup, view, self._random))

    def _checked(self, decision: Decision) -> Decision:
        if decision.arm == WAIT and self.phased:
            return decision
        if not 0 <= decision.arm < self.arms:
            raise InputError(NOT_A_SHARE if decision.arm == NO_SHARE else not_an_arm(self.arms))
        return decision

    def asked(self, choice: NextRow) -> None:
        """Take in the pulls of a choice."""
        arm = choice.row[0]
        leader, best, cost, position = choice.note
        self._random.position[0] = position
        queue, decision = self._queues[arm], Decision(leader, arm, 1, best, cost)
        for _ in range(choice.times):
            pull = self._open[self.pulls] = UnreadPull(decision)
            queue.append(pull)
            self.pulls += 1

    # --- telling ----------------------------------------------------------------------------------------------------
    def check(self, value: float, name: Hashable) -> None:
        """Refuse a value that cannot occur under the family, naming the arm."""
        check_value(self._measured, value, name)

    def check_average(self, average: float, size: int, name: Hashable) -> None:
        """Refuse an average where the family needs every value, and one that no values have."""
        family = self._measured
        if not take_average(family, 0, average, size, state_of(family, self.arms)):
            raise InputError(f"value for arm {name!r} must be a single one: {family!r} needs each, no average.")
        if mean_range(family).outside(np.array([average])).any():
            raise InputError(f"value for arm {name!r} must {mean_range(family).words()} on average, not {average:g}.")

    def told(self, pull: int, value: float, cost: float | None = None, size: int = 1) -> None:
        """Take in the value of a pull, which moves the prefix of its arm and the global one on.

        An average of several counts as that many samples, and is looked at once they are all in.
        """
        unread = self._open[pull]
        unread.value = value * self._sign
        if size != 1:
            unread.decision = unread.decision.resized(size)
        self._read_on(unread.decision.arm)

    def dropped(self, pull: int) -> None:
        """Take in that a pull is lost: both prefixes pass over it."""
        unread = self._open[pull]
        unread.dropped = True
        self._read_on(unread.decision.arm)

    def add_results(self, arm: int, values: list[float]) -> None:
        """Take in results that were there already: pulls that nobody led to, as the first ones of an arm."""
        position = int(self._random.position[0])
        for value in values:
            self.asked(NextRow((arm,), 1, None, (-1, -1, 0.0, position)))
            self.told(self.pulls - 1, value)
            position = int(self._random.position[0])

    def add_arm(self) -> None:
        """Take in one more arm: the rules are fitted anew, and what they have learnt is carried over."""
        if not self._more_arms:
            raise InputError(NO_ROOM)
        share = share_of_delta(self.added + 1)
        setup = watched(self._fitted(self.arms + 1, delta=self._delta * share))
        self.settled, self.known = (carried_over(known, setup, self.arms + 1) for known in (self.settled, self.known))
        self.setup, self.steps, self._share = setup, Steps(setup), share
        self._random = Random([int(self._random.position[0])])
        self._queues.append(deque())
        self.arms, self.added, self._unseen = self.arms + 1, self.added + 1, self._unseen + 1
        self._measured = setup.family if self._sign > 0.0 else mirrored(setup.family)
        self.diagnostics.grow(self._measured, self.arms)

    def _read_on(self, arm: int) -> None:
        """Move the prefix of an arm and the global one on, and stop where the stopping rule says so."""
        queue, waiting = self._queues[arm], self._open
        while queue and (queue[0].value is not None or queue[0].dropped):
            first = queue.popleft()
            if first.value is not None:
                self._absorb(first.decision, first.value, 1)
        self._compile_if_it_pays()
        while not self.over and (unread := waiting.get(self.read)) is not None:
            if unread.value is not None:
                self._settle(unread.decision, unread.value)
            elif not unread.dropped:
                return
            del waiting[self.read]
            self.read += 1
            if self.standing.over:
                self._status, self.over = "winner", True
            elif self.read >= self.setup.max_samples:
                self._status, self.over = "undecided", True

    def _settle(self, decision: Decision, value: float) -> None:
        """Take a value into the global prefix, and look if each arm has one."""
        if decision.size == 1:  # averages have another law
            self.diagnostics.see(decision.arm, value * self._sign)
        if self._unseen:
            self._unseen -= not self.settled.state.counts[decision.arm]
            if not self._unseen and not self._begun:
                self._find_origin(decision.arm, value)
        if self._unseen:
            self._absorb(decision._replace(best=-1, cost=0.0), value, 0)
            self.standing = BEGINNING._replace(samples=self.standing.samples + decision.size)
        elif decision.size > 1:
            standing = self.standing
            self._absorb(decision._replace(best=standing.best, cost=standing.cost), value, 0)
            best = recommend(standing.best, self.settled.state, self._random)
            self.standing = stand(standing.samples + decision.size, best, self.setup, self.settled)
        else:
            value -= self.origin
            self.standing = self.steps.settle(decision, value, self.standing, self.settled, self._random)
        self.best = self.standing.answer

    def _absorb(self, decision: Decision, value: float, reading: int) -> None:
        """Take a value into the global prefix (0) or that of its arm (1)."""
        known = self.known if reading else self.settled
        if decision.size == 1:
            self.steps.absorb(decision, value - self.origin, known)
        else:
            take_average(self.setup.family, decision.arm, value - self.origin, decision.size, known.state)
            teach_rules(decision, value - self.origin, self.setup, known)
        if self._unseen and not self._begun:
            self._early[reading].append((decision, value))

    def _find_origin(self, arm: int, value: float) -> None:
        """Now that each arm has a value: begin anew, and measure from near the best, if that saves digits."""
        self._begun = True
        firsts, early = {arm: value}, self._early
        for decision, seen in early[0]:
            firsts.setdefault(decision.arm, seen)
        self.origin, self._early = origin_of(self.setup.family, [firsts[arm] for arm in range(self.arms)]), [[], []]
        if self.origin:
            self.settled, self.known = knowledge(self.setup, self.arms), knowledge(self.setup, self.arms)
            for reading, taken in enumerate(early):
                for decision, seen in taken:
                    self._absorb(decision, seen, reading)

    def _compile_if_it_pays(self) -> None:
        """Go on with compiled steps, which decide the same, when scans over many arms have cost seconds."""
        scanned = 0 if self._unseen else self.read * self.arms
        if self.arms >= MANY_ARMS and scanned >= SCANNED and type(self.steps) is Steps:
            from toptwo.engine.cpu_steps import CompiledSteps, to_array_stream, to_arrays

            self.steps = CompiledSteps(self.setup)
            self.settled, self.known = to_arrays(self.settled), to_arrays(self.known)
            self._random = to_array_stream(self._random)

    # --- reading ----------------------------------------------------------------------------------------------------
    @property
    def now(self) -> Round | None:
        """Return the round as the verdict sees it; nothing before each arm has a value."""
        if self._unseen:
            return None
        return look(self.standing.samples, self.standing.best, self.setup, self.settled).by(self.settled.stopping)

    def findings(self) -> Findings:
        """Return what the global prefix shows."""
        state, family, rule, now = self.settled.state, self.setup.family, self.setup.stopping, self.now
        named = None if now is None else about(self.best, now)
        found = certificate(rule, self._threshold, self._delta, self._share, named, won := self._status == "winner")
        waiting = 0 if self.over else sum(unread.value is not None for unread in self._open.values())
        return Findings(
            status=self._status,
            arm=self.best,
            confidence=found.confidence,
            proven=found.proven,
            pulls=self.standing.samples,
            remaining=found.remaining,
            waiting=waiting,
            means=tuple(
                self._sign * (float(mean) + self.origin) if pulls else math.nan
                for mean, pulls in zip(state.means, state.counts, strict=True)
            ),
            counts=tuple(int(pulls) for pulls in state.counts),
            threshold=self._threshold if isinstance(self._threshold, str) else repr(self._threshold),
            assumption=family.assumption(),
            constant=tuple(arm for arm in range(self.arms) if is_constant(family, arm, state)),
            bounds=named and PullBounds(rule, named, self._delta * self._share, self._sign, won, self.origin),
            diagnostics=self.diagnostics.read(over=self.over),
        )

    # --- keeping ----------------------------------------------------------------------------------------------------
    def snapshot(self) -> Any:
        """Return all that was learnt, and the pulls that are not yet read."""
        return {
            "settled": plain(self.settled),
            "known": plain(self.known),
            "origin": self.origin,
            "early": [[[*decision, value] for decision, value in taken] for taken in self._early],
            "draws": int(self._random.position[0]),
            "pulls": self.pulls,
            "read": self.read,
            "unseen": self._unseen,
            "begun": self._begun,
            "best": int(self.best),
            "standing": [field.item() if hasattr(field, "item") else field for field in self.standing],
            "status": self._status,
            "diagnostics": self.diagnostics.snapshot(),
            "open": [[pull, *unread.decision, unread.value, unread.dropped] for pull, unread in self._open.items()],
            "queued": [pull for pull, unread in self._open.items() if unread in self._queues[unread.decision.arm]],
        }

    def restore(self, kept: Any) -> None:
        """Go on from a snapshot."""
        fill(self.settled, kept["settled"])
        fill(self.known, kept["known"])
        self._random.position[0] = kept["draws"]
        self.origin = kept["origin"]
        self._early = [[(Decision(*decision), value) for *decision, value in taken] for taken in kept["early"]]
        self.pulls, self.read, self._unseen, self.best = kept["pulls"], kept["read"], kept["unseen"], kept["best"]
        self._begun = kept["begun"]
        self.standing, self._status = Standing(*kept["standing"]), kept["status"]
        self.over = self._status != "running"
        self.diagnostics.restore(kept["diagnostics"])
        queued = set(kept["queued"])
        for pull, leader, arm, size, best, cost, value, dropped in kept["open"]:
            unread = self._open[pull] = UnreadPull(Decision(leader, arm, size, best, cost), value, dropped)
            if pull in queued:
                self._queues[arm].append(unread)
