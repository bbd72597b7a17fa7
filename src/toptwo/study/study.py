"""Ask and tell: the caller measures, the study decides what to measure next and when it is enough.

What to measure and what follows from the answers is the business of a design (study/designs); the study hands out
pulls, checks what it is told, and says how things stand.
"""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import count
from numbers import Real
from typing import Any, Literal, overload

from toptwo import checks
from toptwo.engine.question import UNLIMITED
from toptwo.errors import InputError, StudyError
from toptwo.study.defaults import default_algorithm, default_family, default_threshold
from toptwo.study.designs.base import Design
from toptwo.study.designs.independent import Independent
from toptwo.study.verdict import ArmReport, Verdict
from toptwo.words import counted

DIRECTIONS = {"maximize": 1.0, "minimize": -1.0}

FAILED = (
    "measure again if the failure had nothing to do with what was measured, else tell the value that you have fixed "
    "beforehand for failures (a time limit, a score of zero)"
)

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
    threshold: Any = None,
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
        "mixture" (proven) by default (study/defaults.py); see `tt.simulate`.
    family
        Law of the measurements; by default Gaussian of any variance, `tt.GaussianUnknownVariance()`. A law that knows
        more needs fewer measurements, and must be true: the guarantee rests on it (docs/families.md).
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
    law = default_family() if family is None else family
    design = Independent(
        len(names),
        delta=delta,
        epsilon=epsilon,
        algorithm=default_algorithm(law, len(names)) if algorithm is None else algorithm,
        threshold=default_threshold(law) if threshold is None else threshold,
        family=law,
        sign=sign,
        max_samples=max_samples,
        seed=seed,
    )
    budget = UNLIMITED if max_samples is None else int(max_samples)
    return Study(names, design, float(delta), float(epsilon), "maximize" if sign > 0.0 else "minimize", budget)


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
        self,
        names: tuple[Hashable, ...],
        design: Design,
        delta: float,
        epsilon: float,
        direction: str,
        max_samples: int,
    ) -> None:
        self.arms = names
        self.design = design
        self._delta, self._epsilon, self._direction, self._budget = delta, epsilon, direction, max_samples
        self._token = next(_tokens)
        self._pulls: list[Pull] = []
        self._values: list[float | None] = []
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
        return self._ask(self._budget if getattr(self.design, "phased", False) else 1)

    def _ask(self, wanted: int) -> list[Pull]:
        if self.design.over:
            raise StudyError(f"The study is over ({self.verdict.status}): read study.verdict instead of asking on.")
        room = self._budget - len(self._pulls)
        if room <= 0:
            raise StudyError("The budget max_samples is spent on pulls under way: tell their values first.")
        pulls: list[Pull] = []
        while len(pulls) < min(wanted, room):
            choice = self.design.choose(min(wanted, room) - len(pulls))
            if choice is None and not pulls:
                raise StudyError(f"This phase waits for {len(self.pending)} pulls under way: tell their values first.")
            if choice is None:
                break
            self.design.asked(choice)
            pulls += [self._new_pull(arm) for _ in range(choice.times) for arm in choice.row]
        return pulls

    def _new_pull(self, arm: int) -> Pull:
        pull = Pull(len(self._pulls), self.arms[arm], arm, self._token)
        self._pulls.append(pull)
        self._values.append(None)
        return pull

    # --- telling ----------------------------------------------------------------------------------------------------
    def tell(self, pull: Pull | int, value: float) -> None:
        """Hand in the value of a pull, at any time and in any order; the same value twice is fine."""
        number = self._number(pull)
        told = self.checked(value, self._pulls[number].arm)
        known = self._values[number]
        if known is not None:
            if known != told:
                raise StudyError(f"pull {number} was told {known:g} before, and {value!r} now: a value counts once.")
            return
        self._values[number] = told
        self.design.told(number, told)

    def checked(self, value: Any, arm: Hashable) -> float:
        """Return a measured value of an arm as a float, or raise InputError if it cannot be one."""
        number = number_or_raise(value, arm)
        self.design.check(number, arm)
        return number

    def _number(self, pull: Pull | int) -> int:
        number = pull.number if isinstance(pull, Pull) else pull
        if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < len(self._pulls):
            raise InputError(f"pull must be one that this study has asked for, not {pull!r}.")
        if isinstance(pull, Pull) and self._pulls[number] != pull:
            raise InputError(f"pull {pull!r} belongs to another study: tell it there.")
        return number

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
        if self._verdict is None:
            verdict = self._report()
            if not self.design.over:
                return verdict
            self._verdict = verdict
        return self._verdict

    @property
    def running(self) -> bool:
        """Return whether the study still wants measurements; cheaper than reading the verdict."""
        return not self.design.over

    def _report(self) -> Verdict:
        """Write down the state of the answer."""
        found = self.design.findings()
        return Verdict(
            status=found.status,
            arm=self.arms[max(found.arm, 0)],
            confidence=found.confidence,
            pulls=found.pulls,
            remaining=found.remaining,
            delta=self._delta,
            epsilon=self._epsilon,
            direction=self._direction,
            threshold=found.threshold,
            proven=found.proven,
            assumption=found.assumption,
            waiting=found.waiting,
            arms=tuple(
                ArmReport(name, mean, pulls, arm, found.bounds)
                for arm, (name, mean, pulls) in enumerate(zip(self.arms, found.means, found.counts, strict=True))
            ),
            constant=tuple(self.arms[arm] for arm in found.constant),
            diagnostics=tuple(diagnosis.sentence(self.arms) for diagnosis in found.diagnostics),
        )

    def __repr__(self) -> str:
        state = "running" if self.running else "over"
        return f"<Study of {len(self.arms)} arms, {counted(self.design.findings().pulls, 'measurement')}, {state}>"


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
