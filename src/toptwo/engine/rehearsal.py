"""A rehearsal of rules that users wrote: what is wrong with one is said in a sentence before anything runs.

The same for simulations, studies and the contract suite, whether rules will be interpreted or compiled: signatures and
imports are read off the code, then a few rounds are played by the interpreter, with every answer looked at.
"""

import dis
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from toptwo.algorithms.base import WAIT, Algorithm
from toptwo.checks import is_number, is_whole
from toptwo.engine.code import Code
from toptwo.engine.rounds import Setup, answer_of, decide, draw, first_pull, knowledge, look, stops
from toptwo.errors import InputError
from toptwo.families.base import mean_range
from toptwo.optional import OPTIONAL
from toptwo.records import components, is_record, methods_of, rebuild
from toptwo.rules.challengers import Challenger
from toptwo.rules.choices import Choice
from toptwo.rules.leaders import Leader
from toptwo.rules.proportions import Proportion
from toptwo.rules.round import Scored, recommend
from toptwo.rules.schedules import Schedule
from toptwo.rules.stopping import Stopping
from toptwo.rules.tracking import Tracker
from toptwo.streams import Random, fork

OWN = str(Path(__file__).parent.parent)

PROTOCOLS = (Leader, Challenger, Proportion, Choice, Schedule, Stopping, Algorithm, Tracker, Scored)

EFFORT = 3000
"""Arms looked at during a rehearsal, about."""

FAR = tuple(10**power for power in range(1, 10))
"""Times at which schedules are looked at."""


def _arguments(code: CodeType) -> tuple[str, ...]:
    return code.co_varnames[1 : code.co_argcount]


SIGNATURES: dict[str, tuple[str, ...]] = {
    name: _arguments(member.__code__) for kind in PROTOCOLS for name, member in methods_of(kind).items()
} | {default.__name__: _arguments(default.__code__) for default in OPTIONAL.values()}
"""What methods of rules are called with."""


def is_foreign(kind: type) -> bool:
    """Return whether a class is a user's."""
    return not kind.__module__.startswith("toptwo.")


def place_of(code: CodeType, line: int | None = None) -> str:
    """Return file and line in words."""
    return f"{Path(code.co_filename).name}, line {line or code.co_firstlineno}"


def rehearse(setup: Setup, arms: int) -> None:
    """Refuse a user's rule that cannot work, naming rule, line and cause."""
    refuse_objects(setup.algorithm, setup.stopping)
    rules = [rule for rule in components(setup.algorithm, setup.stopping) if is_foreign(type(rule))]
    for rule in rules:
        _check_signatures(type(rule))
        _check_imports(rule)
        if hasattr(rule, "at"):
            _check_schedule(rule)
    if rules:
        _play(rebuild(setup, _watched), arms)


def refuse_objects(*records: Any) -> None:
    """Refuse rules that are objects of ordinary classes."""
    for record in records:
        for value in (record, *(field for part in components(record) for field in part)):
            kind = type(value)
            ordinary = not is_record(value) and is_foreign(kind) and kind.__module__ != "builtins"
            if ordinary and any(name in SIGNATURES for name in dir(kind)):
                raise InputError(
                    f"{kind.__qualname__} must be a NamedTuple (class {kind.__qualname__}(NamedTuple): ...), not an "
                    "ordinary class: fields are its parameters (docs/write-your-own-rule.md)."
                )


def _check_signatures(kind: type) -> None:
    for name, member in methods_of(kind).items():
        if name in SIGNATURES and (given := _arguments(member.__code__)) != SIGNATURES[name]:
            raise InputError(
                f"{kind.__qualname__}.{name} ({place_of(member.__code__)}) takes ({', '.join(given)}) but is called "
                f"with ({', '.join(SIGNATURES[name])}): use those names and that order."
            )


def _check_imports(rule: Any) -> None:
    for function in Code(rule).functions:
        if function.__module__ == type(rule).__module__:
            for step in dis.get_instructions(function):
                if step.opname == "IMPORT_NAME":
                    line = step.positions.lineno if step.positions else None
                    raise InputError(
                        f"{type(rule).__qualname__} imports {step.argval} inside {function.__name__} "
                        f"({place_of(function.__code__, line)}): put the import at the top of the file."
                    )


def _check_schedule(rule: Any) -> None:
    checked = _checked(type(rule), "at")
    for n in FAR:
        checked(rule, n)


# --- looking at every answer ------------------------------------------------------------------------------------------
def _arm(value: Any, given: tuple[Any, ...]) -> bool:
    return is_whole(value) and value >= WAIT


def _other_arm(value: Any, given: tuple[Any, ...]) -> bool:
    return _arm(value, given) and value != given[0]


def _pair(value: Any, given: tuple[Any, ...]) -> bool:
    return isinstance(value, tuple) and len(value) == 2 and all(is_whole(part) for part in value)


def _number(value: Any, given: tuple[Any, ...]) -> bool:
    return is_number(value) and not math.isnan(value)


def _share(value: Any, given: tuple[Any, ...]) -> bool:
    return is_number(value) and 0.0 < value < 1.0


def _truth(value: Any, given: tuple[Any, ...]) -> bool:
    return isinstance(value, bool | np.bool_)


def _size(value: Any, given: tuple[Any, ...]) -> bool:
    return is_whole(value) and value >= 1


ANSWERS: dict[str, tuple[Callable[[Any, tuple[Any, ...]], bool], str]] = {
    "lead": (_arm, "the number of an arm"),
    "challenge": (_other_arm, "the number of an arm other than the leader"),
    "track": (_arm, "the number of an arm"),
    "answer": (_arm, "the number of an arm"),
    "next_pull": (_pair, "two whole numbers, the leader (or -1) and the arm to pull"),
    "share": (_share, "a number strictly between 0 and 1"),
    "at": (_number, "a number"),
    "score": (_number, "a number"),
    "stops": (_truth, "True or False"),
    "takes_leader": (_truth, "True or False"),
    "adaptive": (_truth, "True or False"),
    "batch_size": (_size, "a whole number of at least 1"),
}
"""What methods of rules must return."""


def _checked(kind: type, name: str) -> Callable[..., Any]:
    """Return the method of a rule with a look at what it returns."""
    method: FunctionType = methods_of(kind)[name]
    good, words = ANSWERS[name]

    def checked(self: Any, *given: Any) -> Any:
        value = _blaming(lambda: method(self, *given))
        if not good(value, given):
            raise InputError(
                f"{kind.__qualname__}.{name} ({place_of(method.__code__)}) returned {value!r}: it must return {words}."
            )
        return value

    return checked


def _watched(part: Any) -> Any:
    """Return a user's rule as one whose answers are looked at; anything else as it is."""
    if not is_record(part) or not is_foreign(type(part)):
        return part
    kind = type(part)
    methods = {name: _checked(kind, name) for name in ANSWERS if name in methods_of(kind)}
    return type(kind.__name__, (kind,), {"__slots__": (), "__module__": kind.__module__, **methods})(*part)


def _blaming(work: Callable[[], Any]) -> Any:
    """Do some work; name the user's function and line if it fails in one."""
    try:
        return work()
    except (InputError, AssertionError):
        raise
    except Exception as problem:
        for code, line in _frames(problem):
            if not code.co_filename.startswith(OWN):
                raise InputError(
                    f"{code.co_qualname} ({place_of(code, line)}) fails: {type(problem).__name__}: {problem}."
                ) from problem
        raise


def _frames(problem: BaseException) -> Iterator[tuple[CodeType, int]]:
    """Yield the code and line of each frame of a traceback, the innermost first."""
    frames, trace = [], problem.__traceback__
    while trace is not None:
        frames.append((trace.tb_frame.f_code, trace.tb_lineno))
        trace = trace.tb_next
    return reversed(frames)


def _play(setup: Setup, arms: int) -> None:
    """Play some rounds with means that the family has."""
    span = mean_range(setup.family)
    low = span.low if math.isfinite(span.low) else min(0.0, span.high - 1.0)
    high = span.high if math.isfinite(span.high) else low + 2.0
    means = [low + (high - low) * (0.3 + 0.4 * ((7 * arm) % arms) / arms) for arm in range(arms)]
    known, random, rewards = knowledge(setup, arms), Random([1]), [fork(1, arm) for arm in range(arms)]

    def play() -> None:
        for arm in range(arms):
            draw(first_pull(arm), means[arm], setup, known, rewards)
        for samples in range(arms, arms + max(8, EFFORT // arms)):
            best = recommend(-1, known.state, random)
            now = look(samples, best, setup, known)
            if stops(now, setup, known):
                answer_of(now, setup, known)
                return
            decision = decide(now, setup, known, random)
            if not 0 <= decision.arm < arms or decision.size > EFFORT:
                return  # a phased rule that waits; anything else is for the run to say
            draw(decision, means[decision.arm], setup, known, rewards)

    _blaming(play)
