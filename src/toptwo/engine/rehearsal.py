"""A rehearsal of rules that users wrote: what is wrong with one is said in a sentence before anything runs.

The same for simulations, studies and the contract suite, whether rules will be interpreted or compiled: signatures and
imports are read off the code, then a few rounds are played by the interpreter, with every answer looked at.
"""

import dis
import math
from types import CodeType
from typing import Any

from toptwo.algorithms.base import Algorithm
from toptwo.engine.code import Code
from toptwo.engine.rounds import Setup, answer_of, decide, draw, first_pull, knowledge, look, stops
from toptwo.engine.watching import blaming, checked, is_foreign, place_of, watched
from toptwo.errors import InputError
from toptwo.families.base import mean_range
from toptwo.optional import OPTIONAL
from toptwo.records import components, is_record, methods_of
from toptwo.rules.challengers import Challenger
from toptwo.rules.choices import Choice
from toptwo.rules.leaders import Leader
from toptwo.rules.proportions import Proportion
from toptwo.rules.round import Scored, recommend
from toptwo.rules.schedules import Schedule
from toptwo.rules.stopping import Stopping
from toptwo.rules.tracking import Tracker
from toptwo.streams import Random, fork

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
        _play(watched(setup, strict=True), arms)


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
    at = checked(type(rule), "at")
    with blaming():
        for n in FAR:
            at(rule, n)


def _play(setup: Setup, arms: int) -> None:
    """Play some rounds with means that the family has."""
    span = mean_range(setup.family)
    low = span.low if math.isfinite(span.low) else min(0.0, span.high - 1.0)
    high = span.high if math.isfinite(span.high) else low + 2.0
    means = [low + (high - low) * (0.3 + 0.4 * ((7 * arm) % arms) / arms) for arm in range(arms)]
    known, random, rewards = knowledge(setup, arms), Random([1]), [fork(1, arm) for arm in range(arms)]

    with blaming():
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
