"""Ask and tell: the caller measures, the study decides what to measure next and when it is enough.

What to measure and what follows from the answers is the business of a design (study/designs). What happened is written
to the journal that a storage keeps (study/storages), of which everything else follows (study/fold.py). The study hands
out pulls, checks what it is told, and says how things stand.
"""

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Any, overload

from toptwo import checks
from toptwo.errors import InputError, NothingToAskError, StudyError
from toptwo.study.constant_arms import constant_arms
from toptwo.study.fold import Fold, Lease
from toptwo.study.journal import Journal
from toptwo.study.operations import ArmAdded, Asked, Failed, GivenBack, Leased, ResultsAdded
from toptwo.study.pulls import Pull
from toptwo.study.question import arm_names
from toptwo.study.recipes import encode
from toptwo.study.reporting import report
from toptwo.study.storages.base import Storage
from toptwo.study.telling import answer, checked, heard, known_value, number_of
from toptwo.study.values import average_of, listed, pairs_of
from toptwo.study.verdict import Verdict
from toptwo.study.views import Views
from toptwo.study.workers import worker
from toptwo.words import counted


class Study(Views):
    """An identification under way; made by `create_study` and `load_study`."""

    def __init__(self, storage: Storage, key: str, name: str) -> None:
        self.name = name
        self._key = key
        self._journal = Journal(storage, key)
        question = self._journal.question
        self._lease = question.lease if question.lease is not None else storage.leases
        self._in_hand: deque[Pull] = deque()  # of a row that was asked for, not yet handed out
        self._verdict: Verdict | None = None
        self._doublings = self._journal.fold.pulls.bit_length()
        self.stopping = False

    @property
    def arms(self) -> tuple[Hashable, ...]:
        """Return the options."""
        return tuple(self._journal.catch_up().arms)

    @property
    def design(self) -> Any:
        """Return what decides (study/designs), as of now."""
        return self._journal.fold.design

    @property
    def storage(self) -> Storage:
        """Return what keeps the study."""
        return self._journal.storage

    # --- asking -----------------------------------------------------------------------------------------------------
    @overload
    def ask(self) -> Pull: ...
    @overload
    def ask(self, n: int) -> list[Pull]: ...
    def ask(self, n: int | None = None) -> Pull | list[Pull]:
        """Return the next pull to measure, or a list of n to measure side by side.

        Each is a lease: one that was lost, because its deadline passed or it was given back, is handed out again
        first. There are fewer than n where the budget ends, and where a phase does: a phased method (Exp-Gap, Peace,
        successive elimination) decides on its next phase only when the present one is answered. Under
        `design="blocks"`, pulls of a row come one after the other, and are to be measured in that order.
        """
        wanted = 1 if n is None else checks.whole("n", n, 1)
        self._refuse_constant_arms()
        hand, missing = self._in_hand, wanted - len(self._in_hand)
        pulls: list[Pull] = []
        with self._journal as journal:
            while len(pulls) < missing:
                more = self._hand_out(journal, missing - len(pulls), needed=not hand and not pulls)
                if not more:
                    break
                pulls += more
        hand.extend(pulls)
        self._journal.keep_snapshot()
        return hand.popleft() if n is None else [hand.popleft() for _ in range(min(wanted, len(hand)))]

    def ask_block(self) -> list[Pull]:
        """Return a whole row of pulls, to be measured back to back in this order; one pull where rows are single."""
        self._refuse_constant_arms()
        with self._journal as journal:
            if not self._in_hand:
                self._in_hand.extend(self._hand_out(journal, 1, needed=True))
        self._journal.keep_snapshot()
        row = list(self._in_hand)
        self._in_hand.clear()
        return row

    def ask_phase(self) -> list[Pull]:
        """Return all pulls that can be measured before the algorithm wants to look at a value.

        For a phased method these are the pulls left of its phase, which may be many thousands; for others it is one.
        """
        self._refuse_constant_arms()
        with self._journal as journal:
            phased = getattr(journal.fold.design, "phased", False)
            pulls = self._hand_out(journal, journal.question.budget if phased else 1, needed=True)
            while phased and (more := self._hand_out(journal, journal.question.budget, needed=False)):
                pulls += more
        self._journal.keep_snapshot()
        return pulls

    def _hand_out(self, journal: Journal, wanted: int, *, needed: bool) -> list[Pull]:
        """Return pulls whose lease expired, or of the design's next choice: whole rows, maybe more than wanted."""
        fold = journal.fold
        self._refuse_if_stopped(journal)
        deadline = None if self._lease is None else journal.now + self._lease
        if (lost := fold.overdue(journal.now)) is not None:
            return self._lent_again(journal, lost, deadline)
        room = journal.question.budget - fold.pulls
        choice = journal.choose(min(wanted, room)) if room > 0 else None
        if choice is None and needed:
            raise NothingToAskError(self._why_nothing(fold, room))
        if choice is None:
            return []
        first = fold.pulls
        journal.do(Asked(*choice, deadline, worker()))
        return [self._pull(fold, fold.leases[number]) for number in range(first, fold.pulls)]

    def _lent_again(self, journal: Journal, lost: int, deadline: float | None) -> list[Pull]:
        """Hand out a pull again, with what is left of its row."""
        fold, block = journal.fold, journal.fold.leases[lost].block
        numbers = [lost] if block is None else [lease.number for lease in fold.leases.values() if lease.block == block]
        for number in numbers:
            journal.do(Leased(number, deadline, worker()))
        return [self._pull(fold, fold.leases[number]) for number in numbers]

    def _refuse_if_stopped(self, journal: Journal) -> None:
        """Say why nothing more can be asked, if so."""
        fold = journal.fold
        if fold.over:
            raise StudyError(f"The study is over ({self.verdict.status}): read study.verdict instead of asking on.")
        if journal.changed:
            raise StudyError(
                "the rule of this study has changed since it was created: go on with the code of then, or begin "
                "another study and bring the results along with study.add(arm, values)."
            )
        if fold.failed:
            number, reason = next(iter(fold.failed.items()))
            raise StudyError(
                f"pull {number} of arm {fold.arms[fold.leases[number].arm]!r} failed ({reason}): if that had nothing "
                "to do with its value, study.retry() hands it out again; else tell the value fixed beforehand for such "
                "failures."
            )

    def _refuse_constant_arms(self) -> None:
        """Say, each time the pulls have doubled, if arms would be measured for ever because their values are equal."""
        fold = self._journal.fold
        if (doublings := fold.pulls.bit_length()) > self._doublings:
            self._doublings = doublings
            if (problem := constant_arms(fold)) is not None:
                problem.study = self
                raise problem

    def _why_nothing(self, fold: Fold, room: int) -> str:
        if room <= 0:
            return "The budget max_samples is spent on pulls under way: tell their values first."
        if fold.design.in_blocks:
            return "All items are asked: tell the values of the pulls under way."
        return f"This phase waits for {len(fold.leases)} pulls under way: tell their values first."

    def _pull(self, fold: Fold, lease: Lease) -> Pull:
        number, arm, block, item, token, _ = lease
        return Pull(number, fold.arms[arm], arm, self._key, block, item, token)

    # --- telling ----------------------------------------------------------------------------------------------------
    def tell(
        self,
        pull: Pull | int,
        value: float | None = None,
        *,
        cost: float | None = None,
        successes: int | None = None,
        trials: int | None = None,
    ) -> None:
        """Hand in the value of a pull, at any time and in any order; the same value twice is fine.

        Another value is an error, unless the pull was lent again meanwhile: then the first answer counts.

        Parameters
        ----------
        pull
            What `ask` returned, or its number. One that was handed out again meanwhile still counts, once.
        value
            What was measured.
        cost
            What the measurement cost, in seconds say: under `design="blocks"` evidence is bought where it is cheap.
        successes, trials
            A batch in place of a value: 83 of 1000 visitors bought. With a value and `trials`, the value is the average
            of so many measurements, for laws to which an average says all (Gaussian with σ given, Poisson, …). How many
            there are must not depend on what they show.
        """
        size = 1
        if trials is not None or successes is not None:
            value, size = average_of(value, successes, trials)
        if not self._told_at_once(pull, value, cost, size):
            with self._journal as journal:
                self._tell(journal, pull, value, cost, size)

    def tell_many(self, answers: Iterable[tuple[Pull | int, float]]) -> None:
        """Hand in the values of many pulls at once: all of them, or none if one of them is refused."""
        with self._journal as journal:
            pairs = pairs_of(answers)
            for pull, value in pairs:
                heard(journal, pull, value)
            for pull, value in pairs:
                self._tell(journal, pull, value)

    def _told_at_once(self, pull: Any, value: Any, cost: float | None, size: int) -> bool:
        """Tell a pull that is open as far as is known here, without a turn; False if more must be known."""
        with self._journal.lock:
            if not self._journal.has_open(pull.number if isinstance(pull, Pull) else pull):
                return False
            told = answer(self._journal, pull, value, cost, size)
            return told is not None and self._journal.append(told)

    def _tell(self, journal: Journal, pull: Pull | int, value: Any, cost: float | None = None, size: int = 1) -> None:
        if (told := answer(journal, pull, value, cost, size)) is not None:
            journal.do(told)

    def checked(self, value: Any, arm: Hashable) -> float:
        """Return a measured value of an arm as a float, or raise InputError if it cannot be one."""
        return checked(self._journal.fold, value, arm)

    def fail(self, pull: Pull | int, reason: str = "no reason given") -> None:
        """Say that a pull failed. What follows is the study's policy, fixed when it was created (`failures`).

        "abort": nobody is asked for anything until a person decides: `retry`, or tell a value fixed beforehand.
        "worst": it counts as the value `worst`. "drop": it is read over, and the guarantee is conditional on failing
        having nothing to do with the values.
        """
        with self._journal as journal:
            fold = journal.fold
            number = number_of(journal, pull)
            lease = fold.leases.get(number)
            if lease is None and known_value(journal, number) is not None and not fold.was_shared(pull):
                raise StudyError(f"pull {number} was told a value before: it did not fail.")
            late = lease is not None and isinstance(pull, Pull) and pull.token != lease.token
            if lease is not None and not late and number not in fold.failed:  # somebody else has it by now if late
                journal.do(Failed(number, str(reason)))

    def retry(self) -> None:
        """Hand out again, under the policy "abort", what failed: only right if failing says nothing about values."""
        with self._journal as journal:
            for number in list(journal.fold.failed):
                journal.do(GivenBack(number))

    def give_back(self, pull: Pull) -> None:
        """Give a pull back that will not be measured here, so that it is handed out again at once."""
        with self._journal as journal:
            number = number_of(journal, pull)
            lease = journal.fold.leases.get(number)
            if lease is not None and pull.token == lease.token and number not in journal.fold.failed:
                journal.do(GivenBack(number))

    def add(self, arm: Hashable, values: Iterable[float]) -> None:
        """Bring along results that exist already.

        They count as pulls asked and told now. That is valid as long as they were not chosen by their values: all
        results of an arm that were made under the same conditions, or none.
        """
        with self._journal as journal:
            fold = journal.fold
            self._refuse_if_stopped(journal)
            if arm not in fold.arms:
                raise InputError(f"arm {arm!r} is not one of this study's: {', '.join(map(repr, fold.arms[:20]))}.")
            if fold.design.in_blocks:
                raise InputError(
                    'results that exist already were not measured side by side: design="blocks" cannot compare them.'
                )
            results = tuple(self.checked(value, arm) for value in listed("values must be a list of numbers", values))
            if len(results) > journal.question.budget - fold.pulls:
                raise InputError(
                    f"values must fit into the budget: {journal.question.budget - fold.pulls} pulls are left."
                )
            if results:
                journal.do(ResultsAdded(fold.arms.index(arm), results))

    def add_arm(self, arm: Hashable) -> None:
        """Take in one more option while the study runs; of `independent` ones it must know (`more_arms`)."""
        with self._journal as journal:
            fold = journal.fold
            self._refuse_if_stopped(journal)
            if len(fold.arms) >= journal.question.budget:
                raise InputError("max_samples allows no pull of one more arm.")
            arm_names([*fold.arms, arm])
            journal.do(ArmAdded(encode(arm, "arm")))

    # --- reading ----------------------------------------------------------------------------------------------------
    @property
    def pending(self) -> list[Pull]:
        """Return the pulls still unanswered.

        One that was lost may be measured again and told under the same pull, as long as it was not lost because of its
        value. If it was, tell a value fixed beforehand for failures (docs/mixture.md, section 7).
        """
        fold = self._journal.catch_up()
        return [self._pull(fold, lease) for lease in sorted(fold.leases.values())]

    @property
    def verdict(self) -> Verdict:
        """Return the answer: settled once for all, or how things stand now."""
        if self._verdict is None:
            fold = self._journal.catch_up()
            verdict = report(fold, changed=self._journal.changed)
            if not fold.over:
                return verdict
            self._verdict = verdict
        return self._verdict

    @property
    def running(self) -> bool:
        """Return whether the study still wants measurements; cheaper than reading the verdict."""
        return self._verdict is None and not self._journal.catch_up().over

    # --- the whole loop ---------------------------------------------------------------------------------------------
    def optimize(
        self,
        measure: Callable[..., float],
        n_pulls: int | None = None,
        timeout: float | None = None,
        n_jobs: int = 1,
        callbacks: Iterable[Callable[["Study", Pull], None]] = (),
        progress: bool | None = None,
    ) -> Verdict:
        """Ask, measure and tell until the study is over; return the verdict.

        Parameters
        ----------
        measure
            Called with an arm, returns one noisy measurement of it; with an arm and an item where rows have `items`.
        n_pulls, timeout
            Stop after so many pulls or seconds here; the study can go on later, or elsewhere.
        n_jobs
            Measurements side by side, in threads; −1 for as many as there are processors. For work in Python itself,
            start several processes with the same storage instead.
        callbacks
            Functions of the study and the pull, called after each answer; `study.stop()` ends the loop.
        progress
            Show the arms live; by default on a terminal, with a line now and then elsewhere. False: nothing.
        """
        from toptwo.study.running import optimize

        optimize(self, measure, n_pulls=n_pulls, timeout=timeout, n_jobs=n_jobs, callbacks=callbacks, progress=progress)
        return self.verdict

    def asking(self) -> Iterator[Pull]:
        """Yield pulls to measure and tell until the study is over, whoever ends it: for loops of many processes."""
        from toptwo.study.running import asking

        return asking(self)

    def stop(self) -> None:
        """End the loop of `optimize` in this process, once what is under way is told."""
        self.stopping = True

    # --- housekeeping -----------------------------------------------------------------------------------------------
    def __repr__(self) -> str:
        fold = self._journal.fold
        state = "over" if fold.over else "running"
        return f"<Study of {len(fold.arms)} arms, {counted(fold.design.findings().pulls, 'measurement')}, {state}>"

    def __reduce__(self) -> Any:
        return Study, (self.storage, self._key, self.name)
