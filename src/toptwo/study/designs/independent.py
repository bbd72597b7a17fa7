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

from toptwo import checks
from toptwo.algorithms.base import WAIT
from toptwo.algorithms.top_two import NO_SHARE
from toptwo.engine.question import NOT_A_SHARE, not_an_arm, stream_label
from toptwo.engine.rounds import (
    BEGINNING,
    Decision,
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
from toptwo.engine.watching import as_written
from toptwo.errors import InputError
from toptwo.families import make_family
from toptwo.families.base import check_value, is_constant, mirrored, take_average, with_counts
from toptwo.families.origin import origin_of
from toptwo.rules.round import Round, recommend
from toptwo.streams import Random, fork
from toptwo.study.certificate import about, certificate
from toptwo.study.designs.added import NO_ROOM, announce, first_share, take_in, watched_setup
from toptwo.study.designs.base import Findings, NextRow
from toptwo.study.designs.batches import check_average
from toptwo.study.designs.snapshots import restore, snapshot_of
from toptwo.study.designs.unread import UnreadPull
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
        counts_samples: bool = True,
    ) -> None:
        self.arms, self.added, self._more_arms = arms, 0, more_arms
        self.in_blocks, self.remembers_choosing = False, True
        self._delta = checks.probability("delta", delta)
        self._fitted = functools.partial(
            watched_setup,
            algorithm,
            threshold=threshold,
            family=family if sign > 0.0 else mirrored(make_family(family)),
            epsilon=epsilon,
            max_samples=max_samples,
        )
        self._share = first_share(algorithm, more_arms)  # of δ, to spend on the arms there are
        self.setup: Any = self._fitted(arms, delta=self._delta * self._share)
        self._threshold, self._sign = threshold, sign
        self._measured = self.setup.family if sign > 0.0 else mirrored(self.setup.family)  # law of values as told
        self._random = Random([fork(fork(checks.whole("seed", seed, 0), 0), stream_label(algorithm))])
        self.settled = knowledge(self.setup, arms)  # global prefix: what the verdict reads
        self.known = knowledge(self.setup, arms)  # per-arm prefixes: what sampling reads
        self.origin = 0.0  # subtracted from all values (families/origin.py)
        self._early: list[list[tuple[Decision, float]]] = [[], []]  # what both took in before each arm had a value
        self.pulls = self.read = 0  # read: pulls in the global prefix
        self._counts_samples, self._in_batches = counts_samples, 0  # of the budget, besides one for each pull
        self._open: dict[int, UnreadPull] = {}  # pulls that are not in the global prefix
        self._queues: list[deque[UnreadPull]] = [deque() for _ in range(arms)]  # pulls not in the prefix of their arm
        self._fresh = 0  # no arm before it waits for its first pull
        self._unseen = arms  # arms without a value in the global prefix
        self._begun = False  # each arm had one, once: those of arms added later are awaited with what is known kept
        self.best = -1
        self.standing = BEGINNING
        self.steps = self._ahead = Steps(self.setup)  # ahead: for the arms that can be chosen
        self._coming: deque[int] = deque()  # of each arm that the global prefix does not know: the first pull since
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
            counts_samples=question.budget_in == "samples",
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
        setup = self._ahead.setup
        view = self.known._replace(state=with_counts(setup.family, counts, state))
        return self._checked(decide(look(self.pulls, best, setup, view), setup, view, self._random))

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
        check_average(self._measured, self.arms, average, size, name)

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

    def add_results(self, arm: int, values: list[float], size: int = 1, together: bool = True) -> None:
        """Take in results that were there already: one step that nobody led to, whatever their order.

        Not `together` they are pulls one after the other, as journals of former versions have them.
        """
        if together:
            decision, results = first_pull(arm).resized(size), [value * self._sign for value in values]
            unread = self._open[self.pulls] = UnreadPull(decision, results=results)
            self._queues[arm].append(unread)
            self.pulls += len(values)
            self._read_on(arm)
            return
        position = int(self._random.position[0])
        for value in values:
            self.asked(NextRow((arm,), 1, None, (-1, -1, 0.0, position)))
            self.told(self.pulls - 1, value, None, size)
            position = int(self._random.position[0])

    def add_arm(self, in_turn: bool = True) -> None:
        """Take in one more arm: to be asked at once, and `in_turn` by the verdict (designs/added.py)."""
        if not self._more_arms:
            raise InputError(NO_ROOM)
        announce(self, in_turn)
        take_in(self)

    def _read_on(self, arm: int) -> None:
        """Move the prefix of an arm and the global one on, and stop where the stopping rule says so."""
        queue, waiting = self._queues[arm], self._open
        while queue and ((first := queue[0]).value is not None or first.dropped or first.results):
            queue.popleft()
            if first.value is not None:
                self._absorb(first.decision, first.value, 1)
            elif first.results:
                self._absorb_all(first.decision, first.results, 1)
        self._compile_if_it_pays()
        while not self.over and (unread := waiting.get(self.read)) is not None:
            if unread.value is not None:
                self._settle(unread.decision, unread.value)
            elif unread.results:
                self._settle_together(unread.decision, unread.results)
            elif not unread.dropped:
                return
            del waiting[self.read]
            self.read += len(unread.results) if unread.results else 1
            if self._coming:
                take_in(self)
            if self.standing.over and not (self._unseen or self._coming):
                self._status, self.over = "winner", True
            elif self.read + self._in_batches >= self.setup.max_samples:
                self._status, self.over = "undecided", True

    def _settle(self, decision: Decision, value: float) -> None:
        """Take a value into the global prefix, and look if each arm has one."""
        self.diagnostics.see(decision.arm, value * self._sign, decision.size)
        if self._counts_samples:
            self._in_batches += decision.size - 1
        if self._unseen:
            self._meet(decision.arm, value)
        if self._unseen:
            self._absorb(decision._replace(best=-1, cost=0.0), value, 0)
            self._look(decision.size)
        elif decision.size > 1:
            standing = self.standing
            self._absorb(decision._replace(best=standing.best, cost=standing.cost), value, 0)
            self._look(decision.size)
        else:
            value -= self.origin
            self.standing = self.steps.settle(decision, value, self.standing, self.settled, self._random)
            self.best = self.standing.answer

    def _settle_together(self, decision: Decision, results: list[float]) -> None:
        """Take results that were there already into the global prefix, and look once: their order says nothing."""
        for value in results:
            self.diagnostics.see(decision.arm, value * self._sign, decision.size)
        if self._counts_samples:
            self._in_batches += (decision.size - 1) * len(results)
        if self._unseen:
            self._meet(decision.arm, min(results))
        self._absorb_all(decision, results, 0)
        self._look(decision.size * len(results))

    def _meet(self, arm: int, value: float) -> None:
        """Note that an arm has a value in the global prefix, which is about to be absorbed."""
        self._unseen -= not self.settled.state.counts[arm]
        if not self._unseen and not self._begun:
            self._find_origin(arm, value)

    def _look(self, more: int) -> None:
        """Look after so many more samples, if each arm has one."""
        samples = self.standing.samples + more
        if self._unseen:
            self.standing = BEGINNING._replace(samples=samples)
        else:
            best = recommend(self.standing.best, self.settled.state, self._random)
            self.standing = stand(samples, best, self.setup, self.settled)
        self.best = self.standing.answer

    def _absorb_all(self, decision: Decision, results: list[float], reading: int) -> None:
        """Take a list of values in by size, so that nothing depends on its order, not even the last digit."""
        for value in sorted(results):
            self._absorb(decision, value, reading)

    def _absorb(self, decision: Decision, value: float, reading: int) -> None:
        """Take a value into the global prefix (0) or that of its arm (1)."""
        known, steps = self.known if reading else self.settled, self._ahead if reading and self._coming else self.steps
        if decision.size == 1:
            steps.absorb(decision, value - self.origin, known)
        else:
            setup = self._ahead.setup if reading else self.setup
            take_average(setup.family, decision.arm, value - self.origin, decision.size, known.state)
            teach_rules(decision, value - self.origin, setup, known)
        if self._unseen and not self._begun:
            self._early[reading].append((decision, value))

    def _find_origin(self, arm: int, value: float) -> None:
        """Now that each arm has a value: begin anew, and measure from near the best, if that saves digits."""
        self._begun = True
        firsts, early, arms = {arm: value}, self._early, len(self.settled.state.means)
        for decision, seen in early[0]:
            firsts.setdefault(decision.arm, seen)
        self.origin, self._early = origin_of(self.setup.family, [firsts[arm] for arm in range(arms)]), [[], []]
        if self.origin:
            self.settled, self.known = knowledge(self.setup, arms), knowledge(self._ahead.setup, self.arms)
            for reading, taken in enumerate(early):
                for decision, seen in taken:
                    self._absorb(decision, seen, reading)

    def _compile_if_it_pays(self) -> None:
        """Go on with compiled steps, which decide the same, when scans over many arms have cost seconds."""
        scanned = 0 if self._unseen or self._coming else self.read * self.arms
        if self.arms >= MANY_ARMS and scanned >= SCANNED and type(self.steps) is Steps:
            from toptwo.engine.cpu_steps import CompiledSteps, to_array_stream, to_arrays

            self.steps = CompiledSteps(self.setup)
            self.settled, self.known = to_arrays(self.settled), to_arrays(self.known)
            self._random = to_array_stream(self._random)

    # --- reading ----------------------------------------------------------------------------------------------------
    @property
    def now(self) -> Round | None:
        """Return the round as the verdict sees it; nothing before each arm has a value."""
        if self._unseen or self._coming:
            return None
        return look(self.standing.samples, self.standing.best, self.setup, self.settled).by(self.settled.stopping)

    def findings(self) -> Findings:
        """Return what the global prefix shows."""
        state, family, rule, now = self.settled.state, self.setup.family, self.setup.stopping, self.now
        named = None if now is None else about(self.best, now)
        found = certificate(rule, self._threshold, self._delta, self._share, named, won := self._status == "winner")
        new = [0.0] * len(self._coming)
        waiting = 0 if self.over else sum(unread.answers for unread in self._open.values())
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
                for mean, pulls in zip([*state.means, *new], [*state.counts, *new], strict=True)
            ),
            counts=tuple(int(pulls) for pulls in (*state.counts, *new)),
            threshold=self._threshold if isinstance(self._threshold, str) else repr(self._threshold),
            assumption=family.assumption(),
            constant=tuple(arm for arm in range(self.arms - len(new)) if is_constant(family, arm, state)),
            bounds=named and PullBounds(rule, named, self._delta * self._share, self._sign, won, self.origin),
            diagnostics=self.diagnostics.read(over=self.over),
        )

    # --- keeping ----------------------------------------------------------------------------------------------------
    def snapshot(self) -> Any:
        """Return all that was learnt, and the pulls that are not yet read."""
        return snapshot_of(self)

    def restore(self, kept: Any) -> None:
        """Go on from a snapshot."""
        restore(self, kept)
