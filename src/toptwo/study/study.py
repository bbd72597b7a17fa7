"""Ask and tell: the caller measures, the study decides what to measure next and when it is enough.

Answers may come late and out of order, and slowness may go together with the value. Two readings of the answers keep
that harmless (docs/mixture.md, "Late answers"):

- the *verdict* reads pulls in the order in which they were asked, up to the first one still unanswered. That prefix is
  the same whoever was fast, so the guarantee of the stopping rule holds as if answers came at once;
- the *choice of the next pull* may use more, since the guarantee holds for any sampling: for each arm the answered
  prefix of its pulls, with pulls under way counted but not yet valued.
"""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import count
from numbers import Real
from typing import Any, Literal, overload

from toptwo import checks
from toptwo.algorithms import TTUCB
from toptwo.algorithms.base import WAIT
from toptwo.algorithms.top_two import NO_SHARE
from toptwo.engine.question import NOT_A_SHARE, make_setup, not_an_arm, stream_label
from toptwo.engine.rounds import BEGINNING, Decision, decide, first_pull, knowledge, look
from toptwo.engine.steps import Steps
from toptwo.errors import InputError, StudyError
from toptwo.families import make_family
from toptwo.families.base import check_value, is_constant, mirrored, with_counts
from toptwo.rules.round import Round, recommend
from toptwo.rules.thresholds import DEFAULT_THRESHOLD
from toptwo.streams import Random, fork
from toptwo.study.certificate import about, confidence, remaining
from toptwo.study.verdict import ArmReport, Status, Verdict
from toptwo.words import counted

PROVEN = ("betting", "mixture", "proven")
DIRECTIONS = {"maximize": 1.0, "minimize": -1.0}


FAILED = (
    "measure again if the failure had nothing to do with what was measured, else tell the value that you have fixed "
    "beforehand for failures (a time limit, a score of zero)"
)


MANY_ARMS = 64
"""With fewer arms the interpreter is as fast as a call of compiled code."""

SCANNED = 5_000_000
"""Arms looked at before a study compiles its steps: some seconds of the interpreter, which is what compiling takes."""

_tokens = count(1)


@dataclass(frozen=True)
class Pull:
    """One measurement to make: `arm` is what to measure, `number` its place in the order of asking."""

    number: int
    arm: Hashable
    index: int
    study: int
    """Which study asked for it."""


def create_study(
    arms: int | Sequence[Hashable],
    *,
    delta: float = 0.05,
    epsilon: float = 0.0,
    algorithm: Any = None,
    threshold: Any = DEFAULT_THRESHOLD,
    family: Any = None,
    direction: Literal["maximize", "minimize"] = "maximize",
    max_samples: int | None = None,
    seed: int = 0,
) -> "Study":
    """Return a study in memory that finds the best arm by asking for measurements.

    Parameters
    ----------
    arms
        The options: names or any other hashable objects, or their number.
    delta
        Probability that the verdict may be wrong.
    epsilon
        Margin: any arm within ε of the best is a right answer. Give one if two options may be equal: without it, equal
        options are measured for ever.
    algorithm
        A name or object; TTUCB with deterministic ties by default.
    threshold
        "mixture" (proven) by default; see `tt.simulate`.
    family
        Law of the measurements, `tt.Gaussian(sigma=1.0)` by default. **Give your own σ**: the guarantee rests on it.
    direction
        "maximize" or "minimize".
    max_samples
        Budget; the verdict is then "undecided".

    Examples
    --------
    >>> import toptwo as tt
    >>> study = tt.create_study(["a", "b"], delta=0.05, family=tt.Gaussian(sigma=0.5))
    >>> while study.verdict.status == "running":
    ...     pull = study.ask()
    ...     study.tell(pull, {"a": 1.0, "b": 3.0}[pull.arm])
    >>> study.verdict.arm, study.verdict.pulls
    ('b', 5)
    """
    names = _names(arms)
    sign = checks.one_of("direction", direction, DIRECTIONS)
    sampler = TTUCB(ties="closest") if algorithm is None else algorithm
    setup = make_setup(
        sampler,
        len(names),
        delta=delta,
        threshold=threshold,
        family=family if sign > 0.0 else mirrored(make_family(family)),
        epsilon=epsilon,
        max_samples=max_samples,
    )
    root = fork(checks.whole("seed", seed, 0), 0)
    random = Random([fork(root, stream_label(sampler))])
    return Study(names, setup, threshold, checks.probability("delta", delta), sign, random)


def _names(arms: Any) -> tuple[Hashable, ...]:
    if isinstance(arms, str):
        raise InputError(f"arms must be a list of options, not one text {arms!r}: write [{arms!r}, ...].")
    names = range(checks.room("arms", checks.whole("arms", arms, 2), 64 * arms)) if checks.is_whole(arms) else arms
    try:
        names = tuple(names)
        distinct = len(set(names))
    except TypeError:
        raise InputError(f"arms must be a number or a list of hashable options, such as names, not {arms!r}.") from None
    if len(names) < 2:
        raise InputError(f"arms must hold at least 2 options, not {len(names)}: there is nothing to choose.")
    if distinct < len(names):
        raise InputError("arms must be different from each other: give equal options different names.")
    return names


class Study:
    """An identification under way; made by `create_study`."""

    def __init__(
        self, names: tuple[Hashable, ...], setup: Any, threshold: Any, delta: float, sign: float, random: Random
    ) -> None:
        self.arms = names
        self._token = next(_tokens)
        self._setup, self._threshold, self._delta, self._sign = setup, threshold, delta, sign
        self._measured = setup.family if sign > 0.0 else mirrored(setup.family)  # law of the values as they are told
        self._random = random
        arms = len(names)
        self._settled = knowledge(setup, arms)  # global prefix: what the verdict reads
        self._known = knowledge(setup, arms)  # per-arm prefixes: what sampling reads
        self._pulls: list[Pull] = []
        self._decisions: list[Decision] = []
        self._values: list[float | None] = []
        self._by_arm: list[list[int]] = [[] for _ in names]
        self._read = 0  # pulls in the global prefix
        self._best = -1
        self._standing = BEGINNING
        self._steps = Steps(setup)
        self._verdict: Verdict | None = None

    # --- asking -----------------------------------------------------------------------------------------------------
    @overload
    def ask(self) -> Pull: ...
    @overload
    def ask(self, n: int) -> list[Pull]: ...
    def ask(self, n: int | None = None) -> Pull | list[Pull]:
        """Return the next pull to measure, or a list of n to measure side by side.

        There are fewer than n where the budget ends, and where a phase does: a phased method (Exp-Gap, Peace,
        successive elimination) decides on its next phase only when the present one is answered.
        """
        pulls = self._ask(1 if n is None else checks.whole("n", n, 1))
        return pulls[0] if n is None else pulls

    def ask_phase(self) -> list[Pull]:
        """Return all pulls that can be measured before the algorithm wants to look at a value.

        For a phased method these are the pulls left of its phase, which may be many thousands; for others it is one.
        """
        return self._ask(self._setup.max_samples if self._phased else 1)

    def _ask(self, wanted: int) -> list[Pull]:
        if self._verdict is not None:
            raise StudyError(f"The study is over ({self._verdict.status}): read study.verdict instead of asking on.")
        room = self._setup.max_samples - len(self._pulls)
        if room <= 0:
            raise StudyError("The budget max_samples is spent on pulls under way: tell their values first.")
        pulls: list[Pull] = []
        while len(pulls) < min(wanted, room):
            decision = self._choose()
            if decision.arm == WAIT and not pulls:
                raise StudyError(f"This phase waits for {len(self.pending)} pulls under way: tell their values first.")
            if decision.arm == WAIT:
                break
            size = min(decision.size, wanted - len(pulls), room - len(pulls))
            pulls += [self._new_pull(decision.resized(1)) for _ in range(size)]
        return pulls

    def _new_pull(self, decision: Decision) -> Pull:
        pull = Pull(len(self._pulls), self.arms[decision.arm], decision.arm, self._token)
        self._pulls.append(pull)
        self._decisions.append(decision)
        self._values.append(None)
        self._by_arm[decision.arm].append(pull.number)
        return pull

    @property
    def _phased(self) -> bool:
        """Return whether the algorithm decides on many pulls at once."""
        return hasattr(self._setup.algorithm, "batch_size")

    def _choose(self) -> Decision:
        """Return what to pull next; the arm may be WAIT."""
        asked, arms = len(self._pulls), len(self.arms)
        if asked < arms:
            return first_pull(asked)
        if self._read == asked:  # no pull under way: the verdict's look still holds
            return self._checked(self._steps.decide(self._standing, self._known, self._random))
        counts = [float(len(pulls)) for pulls in self._by_arm]
        if min(self._known.state.counts) == 0.0 and not self._phased:  # nothing is known of some arm: wait evenly
            return first_pull(counts.index(min(counts)))
        best = recommend(self._best, self._known.state, self._random)
        view = self._known._replace(state=with_counts(self._setup.family, counts, self._known.state))
        return self._checked(decide(look(asked, best, self._setup, view), self._setup, view, self._random))

    def _checked(self, decision: Decision) -> Decision:
        if decision.arm == WAIT and self._phased:
            return decision
        if not 0 <= decision.arm < len(self.arms):
            raise InputError(NOT_A_SHARE if decision.arm == NO_SHARE else not_an_arm(len(self.arms)))
        return decision

    # --- telling ----------------------------------------------------------------------------------------------------
    def tell(self, pull: Pull | int, value: float) -> None:
        """Hand in the value of a pull, at any time and in any order; the same value twice is fine."""
        number = self._number(pull)
        told = self.checked(value, self.arms[self._pulls[number].index]) * self._sign
        known = self._values[number]
        if known is not None:
            if known != told:
                raise StudyError(
                    f"pull {number} was told {known * self._sign:g} before, and {value!r} now: a value counts once."
                )
            return
        self._values[number] = told
        self._extend_known(self._pulls[number].index)
        self._extend_settled()

    def checked(self, value: Any, arm: Hashable) -> float:
        """Return a measured value of an arm as a float, or raise InputError if it cannot be one."""
        number = number_or_raise(value, arm)
        check_value(self._measured, number, arm)
        return number

    def _number(self, pull: Pull | int) -> int:
        number = pull.number if isinstance(pull, Pull) else pull
        if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < len(self._pulls):
            raise InputError(f"pull must be one that this study has asked for, not {pull!r}.")
        if isinstance(pull, Pull) and self._pulls[number] != pull:
            raise InputError(f"pull {pull!r} belongs to another study: tell it there.")
        return number

    def _extend_known(self, arm: int) -> None:
        """Take in what is now answered of an arm's pulls, in the order of asking."""
        pulls = self._by_arm[arm]
        position = int(self._known.state.counts[arm])
        while position < len(pulls) and (value := self._values[pulls[position]]) is not None:
            self._steps.absorb(self._decisions[pulls[position]], value, self._known)
            position += 1

    def _compile_if_it_pays(self) -> None:
        """Go on with compiled steps, which decide the same, when scans over many arms have cost seconds."""
        if len(self.arms) >= MANY_ARMS and self._read * len(self.arms) >= SCANNED and type(self._steps) is Steps:
            from toptwo.engine.cpu_steps import CompiledSteps, to_array_stream, to_arrays

            self._steps = CompiledSteps(self._setup)
            self._settled, self._known = to_arrays(self._settled), to_arrays(self._known)
            self._random = to_array_stream(self._random)

    def _extend_settled(self) -> None:
        """Move the global prefix on, one pull at a time, and stop where the stopping rule says so."""
        self._compile_if_it_pays()
        while self._verdict is None and self._read < len(self._pulls):
            value = self._values[self._read]
            if value is None:
                return
            decision = self._decisions[self._read]
            self._standing = self._steps.settle(decision, value, self._standing, self._settled, self._random)
            self._read += 1
            self._best = self._standing.answer
            if self._standing.over:
                self._verdict = self._report("winner")
            elif self._read >= self._setup.max_samples:
                self._verdict = self._report("undecided")

    # --- reading ----------------------------------------------------------------------------------------------------
    @property
    def pending(self) -> list[Pull]:
        """Return the pulls still unanswered.

        One that was lost may be measured again and told under the same pull, as long as it was not lost because of its
        value. If it was, tell a value fixed beforehand for failures (docs/mixture.md, section 7).
        """
        return [pull for pull, value in zip(self._pulls, self._values, strict=True) if value is None]

    @property
    def verdict(self) -> Verdict:
        """Return the answer: settled once for all, or how things stand now."""
        if self._verdict is not None:
            return self._verdict
        return self._report("running")

    @property
    def running(self) -> bool:
        """Return whether the study still wants measurements; cheaper than reading the verdict."""
        return self._verdict is None

    @property
    def _now(self) -> Round | None:
        """Return the round as the verdict sees it; nothing before each arm has a value."""
        if self._read < len(self.arms):
            return None
        return look(self._read, self._standing.best, self._setup, self._settled).by(self._settled.stopping)

    def _report(self, status: Status) -> Verdict:
        """Write down the state of the answer."""
        state = self._settled.state
        reports = (
            ArmReport(name, self._sign * state.means[i] if pulls else math.nan, int(pulls))
            for i, (name, pulls) in enumerate(zip(self.arms, state.counts, strict=True))
        )
        named = isinstance(self._threshold, str)
        sure, left, proven = self._certificate(status, self._now)
        return Verdict(
            status=status,
            arm=self.arms[max(self._best, 0)],
            confidence=sure,
            pulls=self._read,
            remaining=left,
            delta=self._delta,
            epsilon=self._setup.epsilon,
            direction="maximize" if self._sign > 0.0 else "minimize",
            threshold=self._threshold if named else repr(self._threshold),
            proven=proven,
            assumption=self._setup.family.assumption(),
            waiting=sum(value is not None for value in self._values[self._read :]) if status == "running" else 0,
            arms=tuple(reports),
            constant=self._constant(),
        )

    def _constant(self) -> tuple[Hashable, ...]:
        """Return the arms of which the family cannot say anything, because their values are all equal."""
        family, state = self._setup.family, self._settled.state
        return tuple(name for i, name in enumerate(self.arms) if is_constant(family, i, state))

    def _certificate(self, status: Status, now: Round | None) -> tuple[float, float, bool]:
        """Return the confidence in the arm named, the pulls still to go, and whether that is proven.

        An algorithm that stops by a proven rule of its own spends δ on it, and only what is left of 1 − δ' says
        something while it runs (docs/mixture.md, corollary 2).
        """
        stopping = self._setup.stopping
        proven = isinstance(self._threshold, str) and checks.fold(self._threshold) in PROVEN
        own = hasattr(stopping, "certified")
        if own and status == "winner":
            return 1.0 - self._delta, 0.0, bool(stopping.certified())
        if now is None:
            return 0.0, math.inf, proven
        sure = confidence(self._threshold, about(self._best, now))
        if own:
            return max(0.0, sure - self._delta) if stopping.certified() else sure, math.nan, proven
        return sure, remaining(stopping, now), proven

    def __repr__(self) -> str:
        state = "running" if self.running else "over"
        return f"<Study of {len(self.arms)} arms, {counted(self._read, 'measurement')}, {state}>"


def number_or_raise(value: Any, arm: Hashable) -> float:
    """Return a measured value as a float, or say what is wrong with it."""
    number = value
    if not isinstance(number, Real):
        try:
            number = value.item()  # a NumPy or PyTorch scalar
        except (AttributeError, ValueError, RuntimeError):
            raise InputError(f"value for arm {arm!r} must be a number, not {value!r}.") from None
    try:
        number = float(number)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"value for arm {arm!r} must be a number within the range of floats.") from None
    if not math.isfinite(number):
        raise InputError(f"value for arm {arm!r} must be finite, not {value!r}: {FAILED}.")
    return number
