"""Teaches Numba the rules: how to call their methods, their helper functions and rules without fields.

Rules are plain Python. Three extensions make Numba compile them as they are:

- a method called on a NamedTuple is looked up on the NamedTuple's class, so each combination of rules gets its code;
- a plain function that a rule calls is compiled with it, without a decorator;
- a NamedTuple without fields (a rule without parameters) becomes an opaque value that carries only its class.
"""

import inspect
import types as python_types
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from numba import njit, types
from numba.core.typing.templates import builtin_registry
from numba.extending import NativeValue, models, overload, overload_method, register_model, typeof_impl, unbox

from toptwo import streams
from toptwo.engine.code import Code
from toptwo.engine.options import PART
from toptwo.errors import InputError
from toptwo.optional import OPTIONAL
from toptwo.records import is_record, methods_of


class FieldlessRule(types.Dummy):  # type: ignore[misc]
    """The type of a rule that has no parameters; a dummy to Numba, which knows how to make a constant of it."""

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


REPLACED = {streams.word, streams.integer}
"""Functions with an implementation of their own in compiled code, below."""

_known: set[Callable[..., Any]] = set()


@cache
def _compiled(function: Callable[..., Any]) -> Any:
    return njit(function, **PART)


@typeof_impl.register(python_types.FunctionType)
def _typeof_function(value: Any, c: Any) -> Any:
    if value in REPLACED or value in OPTIONAL or value not in _known:
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


def _teach_optional(ask: Callable[..., Any], default: Callable[..., Any]) -> None:
    """Let the type of the first argument decide between its method and the default, at no cost."""
    first, *others = inspect.signature(default).parameters
    name, listed, handed = default.__name__, ", ".join([first, *others]), ", ".join(others)
    source = (
        f"def choose({listed}):\n"
        f"    if getattr({first}.instance_class, {name!r}, None) is not None:\n"
        f"        return lambda {listed}: {first}.{name}({handed})\n"
        f"    return default\n"
    )
    scope: dict[str, Any] = {"default": _bare(default)}
    exec(source, scope)
    overload(ask, jit_options=PART)(scope["choose"])


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
        _fields_first(builtin_registry.attributes[-1])


def _fields_first(template: Any) -> None:
    """Let a record that has a field of the method's name keep it: Numba would take the method of other records."""
    resolve = template._resolve

    def unless_field(self: Any, kind: Any, name: str) -> Any:
        return None if name in getattr(kind, "fields", ()) else resolve(self, kind, name)

    template._resolve = unless_field


def teach(code: Code) -> None:
    """Make the functions, and the methods of the rules and other records, in some code known to Numba."""
    for ask, default in OPTIONAL.items():
        if ask not in _known:
            _known.add(ask)
            _teach_optional(ask, default)
    _known.update(code.functions)
    for rule_class in sorted(
        code.records, key=lambda kind: (not kind.__module__.startswith("toptwo."), kind.__qualname__)
    ):
        for name, arguments in _methods(rule_class):
            if name not in _taught:
                _taught[name] = arguments
                _teach_method(name, arguments)
            elif (known := _taught[name]) != arguments:
                raise InputError(
                    f"{rule_class.__qualname__}.{name} takes ({', '.join(arguments)}) but rules with a method {name} "
                    f"take ({', '.join(known)}): use those names and that order, or another name for the method."
                )
