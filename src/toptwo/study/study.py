"""Ask and tell: the caller measures, the study decides what to measure next and when it is enough.

What to measure and what follows from the answers is the business of a design (study/designs). What happened is written
to the journal that a storage keeps (study/storages), of which everything else follows (study/fold.py). The study hands
out pulls, checks what it is told, and says how things stand.
"""

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any, overload

from toptwo import checks
from toptwo.errors import InputError, StorageAwayError, StudyError
from toptwo.study.asking import handed_out, pull_of, refuse_if_stopped
from toptwo.study.constant_arms import ConstantArms
from toptwo.study.fold import Fold
from toptwo.study.journal import Journal
from toptwo.study.operations import ArmAdded, Failed
from toptwo.study.patience import Patience
from toptwo.study.pulls import Pull
from toptwo.study.question import arm_names
from toptwo.study.recipes import encode
from toptwo.study.reporting import report
from toptwo.study.rows import drop_given_up, given_back
from toptwo.study.storages.base import Storage
from toptwo.study.telling import answer, checked, heard, known_answer, number_of, results_of
from toptwo.study.values import as_given, average_of, pairs_of, taken_apart
from toptwo.study.verdict import Verdict
from toptwo.study.views import Views
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
        self.patience = Patience()  # with a storage that goes away, while a loop runs
        self._constant_arms = ConstantArms(self)
        self.stopping = False

    def _up_to_date(self) -> Fold:
        """Return what is known by now."""
        try:
            return self._journal.catch_up()
        except StorageAwayError as away:
            return self.patience.retry(away, self._journal.catch_up)

    @property
    def arms(self) -> tuple[Hashable, ...]:
        """Return the options."""
        return tuple(self._up_to_date().arms)

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
        first; under `design="blocks"` its whole row is given up, and another one asked. There are fewer than n where
        the budget ends, and where a phase does: a phased method (Exp-Gap, Peace, successive elimination) decides on
        its next phase only when the present one is answered. Under `design="blocks"`, pulls of a row come one after
        the other, and are to be measured in that order.
        """
        wanted = 1 if n is None else checks.whole("n", n, 1)
        self._constant_arms.refuse()
        with self._journal.lock:  # threads that share a study must not take from one hand at once
            hand = self._look_at_hand()
            if len(hand) < wanted:
                self._take_in_hand(wanted)
            pulls = [hand.popleft() for _ in range(min(wanted, len(hand)))]
        self._journal.keep_snapshot()
        return pulls[0] if n is None else pulls

    def _look_at_hand(self) -> deque[Pull]:
        """Return the pulls in hand, without those of rows that were given up since."""
        drop_given_up(self._in_hand, self._journal.fold)
        return self._in_hand

    def _take_in_hand(self, wanted: int) -> None:
        try:
            self._fill_hand(wanted)
        except StorageAwayError as away:
            self.patience.retry(away, partial(self._fill_hand, wanted))

    def _fill_hand(self, wanted: int) -> None:
        """Take as many pulls in hand as are wanted, if there are so many: all or, after an error, none."""
        pulls: list[Pull] = []
        missing = wanted - len(self._in_hand)
        with self._journal as journal:
            while len(pulls) < missing:
                more = handed_out(journal, missing - len(pulls), self._lease, needed=missing == wanted and not pulls)
                if not more:
                    break
                pulls += more
        self._in_hand.extend(pulls)

    def ask_block(self) -> list[Pull]:
        """Return a whole row of pulls, to be measured back to back in this order; one pull where rows are single."""
        self._constant_arms.refuse()
        with self._journal.lock:
            self._look_at_hand()
            if not self._in_hand:
                self._take_in_hand(1)
            row = list(self._in_hand)
            self._in_hand.clear()
        self._journal.keep_snapshot()
        return row

    def ask_phase(self) -> list[Pull]:
        """Return all pulls that can be measured before the algorithm wants to look at a value.

        For a phased method these are the pulls left of its phase, which may be many thousands; for others it is one.
        """
        self._constant_arms.refuse()
        with self._journal as journal:
            phased = getattr(journal.fold.design, "phased", False)
            pulls = handed_out(journal, journal.question.budget if phased else 1, self._lease, needed=True)
            while phased and (more := handed_out(journal, journal.question.budget, self._lease, needed=False)):
                pulls += more
        self._journal.keep_snapshot()
        return pulls

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
        try:
            self._hand_in(pull, value, cost, size)
        except StorageAwayError as away:
            self.patience.hand_in(
                away, partial(self._hand_in, pull, value, cost, size), [(pull, as_given(value, cost, size))]
            )

    def _hand_in(self, pull: Pull | int, value: Any, cost: float | None, size: int) -> None:
        if not self._told_at_once(pull, value, cost, size):
            with self._journal as journal:
                self._tell(journal, pull, value, cost, size)

    def tell_many(self, answers: Iterable[tuple[Pull | int, Any]]) -> None:
        """Hand in the values of many pulls at once: all of them, or none if one of them is refused.

        In place of a value there may be a batch, {"successes": 83, "trials": 1000}: what `tell` takes by name.
        """
        pairs = pairs_of(answers)
        try:
            self._hand_in_many(pairs)
        except StorageAwayError as away:
            self.patience.hand_in(away, partial(self._hand_in_many, pairs), pairs)

    def _hand_in_many(self, pairs: list[tuple[Any, Any]]) -> None:
        with self._journal as journal:
            told = [(pull, *taken_apart(value)) for pull, value in pairs]
            for pull, value, _, size in told:
                heard(journal, pull, value, size)
            for answer in told:
                self._tell(journal, *answer)

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
        try:
            self._note_failure(pull, reason)
        except StorageAwayError as away:
            self.patience.retry(away, partial(self._note_failure, pull, reason))

    def _note_failure(self, pull: Pull | int, reason: str) -> None:
        with self._journal as journal:
            fold = journal.fold
            number = number_of(journal, pull)
            lease = fold.leases.get(number)
            if number in fold.given_up:
                return
            if lease is None and known_answer(journal, number)[0] is not None and not fold.was_shared(pull):
                raise StudyError(f"pull {number} was told a value before: it did not fail.")
            late = lease is not None and isinstance(pull, Pull) and pull.token != lease.token
            if lease is not None and not late and number not in fold.failed:  # somebody else has it by now if late
                journal.do(Failed(number, str(reason)))

    def retry(self) -> None:
        """Hand out again, under the policy "abort", what failed: only right if failing says nothing about values."""
        with self._journal as journal:
            while journal.fold.failed:
                journal.do(given_back(journal.fold, next(iter(journal.fold.failed))))

    def give_back(self, pull: Pull | int) -> None:
        """Give a pull back that will not be measured here, so that it is handed out again at once.

        Under `design="blocks"` that gives its whole row up, and another one is asked in its place: nothing of a row
        counts that was not measured back to back. It must have nothing to do with any value of the row.
        """
        self._give_back([pull])

    def _give_back(self, pulls: Iterable[Pull | int]) -> None:
        """Give pulls back, all but those that somebody else has by now."""
        with self._journal as journal:
            fold = journal.fold
            for pull in pulls:
                number = number_of(journal, pull)
                lease = fold.leases.get(number)
                mine = lease is not None and (not isinstance(pull, Pull) or pull.token == lease.token)
                if mine and number not in fold.failed:
                    journal.do(given_back(fold, number))

    @property
    def amid_row(self) -> bool:
        """Return whether some pulls of a row were handed out here, and the others are next."""
        return bool(self._in_hand)

    def put_down(self, pulls: Iterable[Pull] = ()) -> None:
        """Give back pulls, and the rest of a row of which `ask` has handed out a part: the row is given up."""
        with self._journal.lock:
            left = [*pulls, *self._in_hand]
            self._in_hand.clear()
            if left and not self._journal.fold.over:
                with suppress(StorageAwayError):  # then their leases run out
                    self._give_back(left)

    def add(
        self,
        arm: Hashable,
        values: Iterable[float] | float | None = None,
        *,
        successes: int | None = None,
        trials: int | None = None,
    ) -> None:
        """Bring along results that exist already: a list of them, or a batch as `tell` takes it.

        They count as pulls asked and told now, all of them one step, so that the order of the list says nothing. That
        is valid as long as they were not chosen by their values: all results of an arm that were made under the same
        conditions, or none; and neither the moment of adding them nor the order of the arms may depend on what they
        show. An arm that was itself added while the study runs begins without results. The verdict says so.
        """
        with self._journal as journal:
            fold = journal.fold
            refuse_if_stopped(journal)
            added = results_of(fold, arm, values, successes, trials)
            if len(added.values) * added.size > fold.room:
                raise InputError(f"values must fit into the budget: {fold.room} measurements are left.")
            if added.values:
                journal.do(added)

    def add_arm(self, arm: Hashable) -> None:
        """Take in one more option while the study runs; of `independent` ones it must know (`more_arms`)."""
        with self._journal as journal:
            fold = journal.fold
            refuse_if_stopped(journal)
            if len(fold.arms) >= journal.question.budget:
                raise InputError("max_samples allows no pull of one more arm.")
            arm_names([*fold.arms, arm])
            journal.do(ArmAdded(encode(arm, "arm"), in_turn=True))

    # --- reading ----------------------------------------------------------------------------------------------------
    @property
    def pending(self) -> list[Pull]:
        """Return the pulls still unanswered.

        One that was lost may be measured again and told under the same pull, as long as it was not lost because of its
        value; one of a row is to be given back instead. If it was, tell a value fixed beforehand for failures
        (docs/mixture.md, section 7).
        """
        fold = self._up_to_date()
        return [pull_of(self._journal, lease) for lease in sorted(fold.leases.values())]

    @property
    def verdict(self) -> Verdict:
        """Return the answer: settled once for all, or how things stand now."""
        if self._verdict is None:
            fold = self._up_to_date()
            verdict = report(fold, changed=self._journal.changed)
            if not fold.over:
                return verdict
            self._verdict = verdict
        return self._verdict

    @property
    def running(self) -> bool:
        """Return whether the study still wants measurements; cheaper than reading the verdict."""
        return self._verdict is None and not self._up_to_date().over

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
            Stop after so many pulls or seconds here; the study can go on later, or elsewhere. Of `n_pulls` the last may
            begin a row (`design="blocks"`): it is measured to its end. After `timeout`, what is left of a row is given
            back.
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
