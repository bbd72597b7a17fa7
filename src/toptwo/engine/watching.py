"""Users' rules watched while they are interpreted: what one does wrong becomes a sentence with rule, line and cause.

Answers are looked at as they are given, by a subclass of the rule that takes its place; an exception is only looked at
when it has come out, so that rules which do nothing wrong pay nothing for it.
"""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, TypeVar

import numpy as np

from toptwo.algorithms.base import WAIT
from toptwo.checks import is_number, is_whole
from toptwo.errors import InputError
from toptwo.records import is_record, methods_of, rebuild

T = TypeVar("T")

Answers = dict[str, tuple[Callable[[Any, tuple[Any, ...]], bool], str]]
"""What methods must return: a judgement of the answer, given the arguments, and words for it."""

OWN = str(Path(__file__).parent.parent)


def is_foreign(thing: Any) -> bool:
    """Return whether a class or function is a user's."""
    return not (thing.__module__ or "").startswith("toptwo.")


def place_of(code: CodeType, line: int | None = None) -> str:
    """Return file and line in words."""
    return f"{Path(code.co_filename).name}, line {line or code.co_firstlineno}"


# --- answers ----------------------------------------------------------------------------------------------------------
def _arms(given: tuple[Any, ...]) -> int:
    """Return the number of arms, from the round that a rule is given."""
    return next(len(part.state.means) for part in given if hasattr(part, "state"))


def _arm(value: Any, given: tuple[Any, ...]) -> bool:
    return is_whole(value) and 0 <= value < _arms(given)


def _other_arm(value: Any, given: tuple[Any, ...]) -> bool:
    return _arm(value, given) and value != given[0]


def _pair(value: Any, given: tuple[Any, ...]) -> bool:
    if not (isinstance(value, tuple) and len(value) == 2 and all(is_whole(part) for part in value)):
        return False
    arms = _arms(given)
    return bool(value[0] < arms and WAIT <= value[1] < arms)


def _number(value: Any, given: tuple[Any, ...]) -> bool:
    return is_number(value) and not math.isnan(value)


def _share(value: Any, given: tuple[Any, ...]) -> bool:
    return is_number(value) and 0.0 <= value <= 1.0


def _inner_share(value: Any, given: tuple[Any, ...]) -> bool:
    return is_number(value) and 0.0 < value < 1.0


def _truth(value: Any, given: tuple[Any, ...]) -> bool:
    return isinstance(value, bool | np.bool_)


def _size(value: Any, given: tuple[Any, ...]) -> bool:
    return is_whole(value) and value >= 1


ANSWERS: Answers = {
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


STRICT = {**ANSWERS, "share": (_inner_share, ANSWERS["share"][1])}
"""The same in a rehearsal: later on, rounding may bring a share to an end."""


def checked(kind: type, name: str, answers: Answers = ANSWERS) -> Callable[..., Any]:
    """Return the method of a rule with a look at what it returns."""
    method: FunctionType = methods_of(kind)[name]
    good, words = answers[name]

    def checked(self: Any, *given: Any, **named: Any) -> Any:
        value = method(self, *given, **named)
        if not good(value, (*given, *named.values()) if named else given):
            raise InputError(
                f"{kind.__qualname__}.{name} ({place_of(method.__code__)}) returned {value!r}: it must return {words}."
            )
        return value

    return checked


@cache
def _watched_kind(kind: Any, strict: bool) -> Any:
    answers = STRICT if strict else ANSWERS
    methods = {name: checked(kind, name, answers) for name in answers if name in methods_of(kind)}
    return type(kind.__name__, (kind,), {"__slots__": (), "__module__": kind.__module__, "as_written": kind, **methods})


def watched(rules: T, *, strict: bool = False) -> T:
    """Return rules of which users' own have their answers looked at; the others as they are."""

    def change(part: Any) -> Any:
        if not is_record(part) or not is_foreign(type(part)) or hasattr(type(part), "as_written"):
            return part
        kind: Any = type(part)
        return _watched_kind(kind, strict)(*part)

    watching: T = rebuild(rules, change)
    return watching


def as_written(rules: T) -> T:
    """Return rules as their users wrote them: what is compiled, and what a digest is made of."""

    def change(part: Any) -> Any:
        kind = getattr(type(part), "as_written", None)
        return part if kind is None else kind(*part)

    plain: T = rebuild(rules, change)
    return plain


# --- exceptions -------------------------------------------------------------------------------------------------------
def blamed(problem: Exception) -> Exception:
    """Return what is wrong in a user's function, naming it and the line; any other problem as it is."""
    if not isinstance(problem, InputError | AssertionError):
        for code, line in _frames(problem):
            if not code.co_filename.startswith(OWN):
                return InputError(
                    f"{code.co_qualname} ({place_of(code, line)}) fails: {type(problem).__name__}: {problem}."
                )
    return problem


@contextmanager
def blaming() -> Iterator[None]:
    """Name the user's function and line if one fails meanwhile."""
    try:
        yield
    except Exception as problem:
        raise_blamed(problem)
        raise


def raise_blamed(problem: Exception) -> None:
    """Raise what is wrong in a user's function, if a problem came from one."""
    if (found := blamed(problem)) is not problem:
        raise found from problem


def _frames(problem: BaseException) -> Iterator[tuple[CodeType, int]]:
    """Yield the code and line of each frame of a traceback, the innermost first."""
    frames, trace = [], problem.__traceback__
    while trace is not None:
        frames.append((trace.tb_frame.f_code, trace.tb_lineno))
        trace = trace.tb_next
    return reversed(frames)
