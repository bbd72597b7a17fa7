"""Teaches Numba the rules: how to call their methods, their helper functions and rules without fields.

Rules are plain Python. Three extensions make Numba compile them as they are:

- a method called on a NamedTuple is looked up on the NamedTuple's class, so each combination of rules gets its code;
- a plain function that a rule calls is compiled with it, without a decorator;
- a NamedTuple without fields (a rule without parameters) becomes an opaque value that carries only its class.
"""

import inspect
import types as python_types
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any

from numba import njit, types
from numba.core.typing.typeof import typeof_impl
from numba.extending import NativeValue, models, overload, overload_method, register_model, unbox

from toptwo import streams
from toptwo.engine.parts import PartCompiler
from toptwo.engine.tree import components, is_record, methods_of
from toptwo.errors import InputError
from toptwo.families import base
from toptwo.rules import hooks, round

OPTIONS: dict[str, Any] = {"error_model": "numpy", "_nrt": False}
"""No checks for division by zero (no rule divides by a count of zero), no reference counts (no rule allocates)."""

PART: dict[str, Any] = {
    **OPTIONS,
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
    "forceinline": True,
    "pipeline_class": PartCompiler,
}
"""For what is only called from compiled code: no entry points for the interpreter, nothing compiled twice."""


class FieldlessRule(types.Type):  # type: ignore[misc]
    """The type of a rule that has no parameters."""

    def __init__(self, instance_class: type) -> None:
        self.instance_class = instance_class
        super().__init__(name=f"FieldlessRule({instance_class.__module__}.{instance_class.__qualname__})")

    @property
    def key(self) -> type:
        """Return what makes two of these types equal: the class itself, since names may be used twice."""
        return self.instance_class


register_model(FieldlessRule)(models.OpaqueModel)


@unbox(FieldlessRule)
def _unbox_fieldless(kind: Any, value: Any, c: Any) -> Any:
    return NativeValue(c.context.get_dummy_value())


_typeof_tuple = typeof_impl.dispatch(tuple)


@typeof_impl.register(tuple)
def _typeof_record(value: Any, c: Any) -> Any:
    if is_record(value) and len(value) == 0:
        return FieldlessRule(type(value))
    return _typeof_tuple(value, c)


REPLACED = {
    streams.word,
    streams.integer,
    hooks.pass_on,
    hooks.batch_size,
    hooks.answer,
    round.surely_below,
    base.clearly_separated,
    base.clear_leader,
    base.clearly_below,
    base.pull_batch,
}
"""Functions with an implementation of their own in compiled code, below."""

_known: set[Callable[..., Any]] = set()


@cache
def _compiled(function: Callable[..., Any]) -> Any:
    return njit(function, **PART)


@typeof_impl.register(python_types.FunctionType)
def _typeof_function(value: Any, c: Any) -> Any:
    if value in REPLACED or value not in _known:
        return None
    return typeof_impl(_compiled(value), c)


def _bare(method: Any) -> Any:
    """Return a function without its annotations, which Numba would compare."""
    return python_types.FunctionType(
        method.__code__, method.__globals__, method.__name__, method.__defaults__, method.__closure__
    )


@overload(streams.word, jit_options=PART)
def _word(x):
    return lambda x: types.uint64(x)


@overload(streams.integer, jit_options=PART)
def _integer(x):
    return lambda x: types.int64(x)


@overload(hooks.pass_on, jit_options=PART)
def _pass_on(rule, leader, arm, reward, size, state, family):
    if hasattr(rule.instance_class, "learn"):
        return lambda rule, leader, arm, reward, size, state, family: rule.learn(
            leader, arm, reward, size, state, family
        )
    return lambda rule, leader, arm, reward, size, state, family: None


@overload(hooks.batch_size, jit_options=PART)
def _batch_size(algorithm, arm, now):
    if hasattr(algorithm.instance_class, "batch_size"):
        return lambda algorithm, arm, now: algorithm.batch_size(arm, now)
    return lambda algorithm, arm, now: 1


@overload(hooks.answer, jit_options=PART)
def _answer(stopping, now):
    if hasattr(stopping.instance_class, "answer"):
        return lambda stopping, now: stopping.answer(now)
    return lambda stopping, now: now.best


@overload(base.clear_leader, jit_options=PART)
def _clear_leader(family, width, state):
    if hasattr(family.instance_class, "clear_leader"):
        return lambda family, width, state: family.clear_leader(width, state)
    return lambda family, width, state: -1


@overload(base.clearly_below, jit_options=PART)
def _clearly_below(family, arm, width, value, state):
    if hasattr(family.instance_class, "clear_leader"):
        return lambda family, arm, width, value, state: family.bound_below(arm, width, value, state)
    return lambda family, arm, width, value, state: False


@overload(base.pull_batch, jit_options=PART)
def _pull_batch(family, arm, mean, size, state, rewards):
    if getattr(family.instance_class, "batch", None):
        return _bare(base.pull_batch_at_once)
    return _bare(base.pull_one_by_one)


@overload(round.surely_below, jit_options=PART)
def _surely_below(rule, arm, other, level, floor, now):
    if hasattr(rule.instance_class, "below"):
        return lambda rule, arm, other, level, floor, now: rule.below(arm, other, level, floor, now)
    return lambda rule, arm, other, level, floor, now: False


@overload(base.clearly_separated, jit_options=PART)
def _clearly_separated(family, a, b, epsilon, level, state):
    if hasattr(family.instance_class, "separated"):
        return lambda family, a, b, epsilon, level, state: family.separated(a, b, epsilon, level, state)
    return lambda family, a, b, epsilon, level, state: False


_taught: dict[str, tuple[str, ...]] = {}


def _methods(rule_class: type) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the names and argument names of a rule's methods."""
    for name, member in methods_of(rule_class).items():
        yield name, tuple(inspect.signature(member).parameters)[1:]


def _teach_method(name: str, arguments: tuple[str, ...]) -> None:
    listed = "".join(f", {argument}" for argument in arguments)
    source = f"def resolve(self{listed}):\n    return bare(getattr(self.instance_class, {name!r}))\n"
    scope: dict[str, Any] = {"bare": _bare}
    exec(source, scope)
    for kind in (types.BaseNamedTuple, FieldlessRule):
        overload_method(kind, name, jit_options=PART)(scope["resolve"])


def teach(functions: Iterable[Callable[..., Any]], *records: Any) -> None:
    """Make these functions, and the methods of every rule in these trees, known to Numba."""
    _known.update(functions)
    for rule in components(*records):
        rule_class = type(rule)
        for name, arguments in _methods(rule_class):
            if name not in _taught:
                _taught[name] = arguments
                _teach_method(name, arguments)
            elif (known := _taught[name]) != arguments:
                raise InputError(
                    f"{rule_class.__qualname__}.{name} takes ({', '.join(arguments)}) but rules with a method {name} "
                    f"take ({', '.join(known)}): use those names and that order, or another name for the method."
                )
