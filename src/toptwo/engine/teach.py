"""Teaches a compiler the rules: how to call their methods, their helper functions and rules without fields.

Rules are plain Python. Three extensions make Numba compile them as they are:

- a method called on a NamedTuple is looked up on the NamedTuple's class, so each combination of rules gets its code;
- a plain function that a rule calls is compiled with it, without a decorator;
- a NamedTuple without fields (a rule without parameters) becomes an opaque value that carries only its class.

Numba has a compiler for processors and one for CUDA devices, each with its own registers of what it knows. A `Teacher`
teaches one of them; what is taught is the same.
"""

import inspect
import types as python_types
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from numba import types

from toptwo import streams
from toptwo.engine.code import Code
from toptwo.engine.watching import ANSWERS, is_foreign
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


class Target(NamedTuple):
    """A compiler, and where it can be extended."""

    extending: Any
    """Its module of extensions."""
    models: Any
    """Its models of data."""
    templates: Any
    """Its register of what attributes mean."""
    compile: Callable[..., Any]
    """Its decorator for a function that is only called from compiled code."""
    options: dict[str, Any]
    """The options of that decorator."""
    plain: frozenset[Callable[..., Any]] = frozenset()
    """Optional methods that are not asked for: the default is as good, and faster there."""
    replaced: frozenset[Callable[..., Any]] = frozenset()
    """Functions with an implementation of their own for this compiler alone."""
    guards: dict[str, Any] | None = None
    """Options besides for what users wrote: how its mistakes end a run; None if this compiler knows no exceptions."""


REPLACED = {streams.word, streams.integer}
"""Functions with an implementation of their own in all compiled code, below."""


def _bare(method: Any) -> Any:
    """Return a function without its annotations, which Numba would compare."""
    return python_types.FunctionType(
        method.__code__, method.__globals__, method.__name__, method.__defaults__, method.__closure__
    )


def _word(x):
    return lambda x: types.uint64(x)


def _integer(x):
    return lambda x: types.int64(x)


def _choosing(default: Callable[..., Any]) -> Callable[..., Any]:
    """Return what lets the type of the first argument decide between its method and the default, at no cost."""
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
    choose: Callable[..., Any] = scope["choose"]
    return choose


def _always(default: Callable[..., Any]) -> Callable[..., Any]:
    """Return what takes the default whatever the types are."""
    listed = ", ".join(inspect.signature(default).parameters)
    scope: dict[str, Any] = {"default": _bare(default)}
    exec(f"def choose({listed}):\n    return default\n", scope)
    choose: Callable[..., Any] = scope["choose"]
    return choose


def _resolving(
    name: str, arguments: tuple[str, ...], ready: Callable[[Callable[..., Any]], Callable[..., Any]]
) -> Callable[..., Any]:
    """Return what finds the method of a name on the class of a rule, and makes it ready to be compiled."""
    listed = "".join(f", {argument}" for argument in arguments)
    source = f"def resolve(self{listed}):\n    return ready(getattr(self.instance_class, {name!r}))\n"
    scope: dict[str, Any] = {"ready": ready}
    exec(source, scope)
    resolve: Callable[..., Any] = scope["resolve"]
    return resolve


def _calling(compiled: Any, method: Any, is_number: bool) -> Callable[..., Any]:
    """Return what calls a user's compiled method; where it must return a number, NaN ends the run."""
    listed = ", ".join(inspect.signature(method).parameters)
    refusal = "    if value != value:\n        raise ValueError('no number')\n" if is_number else ""
    scope: dict[str, Any] = {"compiled": compiled}
    exec(f"def call({listed}):\n    value = compiled({listed})\n{refusal}    return value\n", scope)
    call: Callable[..., Any] = scope["call"]
    return call


def _fields_first(template: Any) -> None:
    """Let a record that has a field of the method's name keep it: Numba would take the method of other records."""
    resolve = template._resolve

    def unless_field(self: Any, kind: Any, name: str) -> Any:
        return None if name in getattr(kind, "fields", ()) else resolve(self, kind, name)

    template._resolve = unless_field


def _methods(rule_class: type) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the names and argument names of a rule's methods."""
    for name, member in methods_of(rule_class).items():
        yield name, tuple(inspect.signature(member).parameters)[1:]


class Teacher:
    """Makes one compiler know the rules that it meets."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._known: set[Callable[..., Any]] = set()
        self._compiled: dict[Callable[..., Any], Any] = {}
        self._guarded: dict[Callable[..., Any], Callable[..., Any]] = {}
        self._taught: dict[str, tuple[str, ...]] = {}
        self._met: set[type] = set()
        self._overload(streams.word, _word)
        self._overload(streams.integer, _integer)
        self._teach_fieldless()
        self._teach_functions()

    def teach(self, code: Code) -> None:
        """Make the functions, and the methods of the rules and other records, in some code known to the compiler."""
        for ask, default in OPTIONAL.items():
            if ask not in self._known:
                self._known.add(ask)
                self._overload(ask, _always(default) if ask in self._target.plain else _choosing(default))
        self._known.update(code.functions)
        for rule_class in sorted(
            code.records - self._met, key=lambda kind: (not kind.__module__.startswith("toptwo."), kind.__qualname__)
        ):
            for name, arguments in _methods(rule_class):
                if name not in self._taught:
                    self._taught[name] = arguments
                    self._teach_method(name, arguments)
                elif (known := self._taught[name]) != arguments:
                    raise InputError(
                        f"{rule_class.__qualname__}.{name} takes ({', '.join(arguments)}) but rules with a method "
                        f"{name} take ({', '.join(known)}): use those names and that order, or another name for the "
                        "method."
                    )
            self._met.add(rule_class)

    def _overload(self, function: Callable[..., Any], choose: Callable[..., Any]) -> None:
        self._target.extending.overload(function, jit_options=self._target.options)(choose)

    def _teach_method(self, name: str, arguments: tuple[str, ...]) -> None:
        target, resolve = self._target, _resolving(name, arguments, self._ready)
        for kind in (types.BaseNamedTuple, FieldlessRule):
            target.extending.overload_method(kind, name, jit_options=target.options)(resolve)
            _fields_first(target.templates.attributes[-1])

    def _ready(self, method: Callable[..., Any]) -> Callable[..., Any]:
        """Return a method as it is to be compiled: a user's by itself, so that its indices are checked."""
        if self._target.guards is None or not is_foreign(method):
            bare: Callable[..., Any] = _bare(method)
            return bare
        if method not in self._guarded:
            numeric = ANSWERS.get(method.__name__) == ANSWERS["at"]
            self._guarded[method] = _calling(self._compile(_bare(method)), method, numeric)
        guarded: Callable[..., Any] = self._guarded[method]
        return guarded

    def _compile(self, function: Callable[..., Any]) -> Any:
        """Return the compiled form of a function that is called from compiled code."""
        guards = self._target.guards if is_foreign(function) else None
        return self._target.compile(function, **self._target.options, **(guards or {}))

    def _teach_fieldless(self) -> None:
        extending = self._target.extending
        extending.register_model(FieldlessRule)(self._target.models.OpaqueModel)
        typeof_tuple = extending.typeof_impl.dispatch(tuple)

        def typeof_record(value: Any, c: Any) -> Any:
            return FieldlessRule(type(value)) if is_record(value) and len(value) == 0 else typeof_tuple(value, c)

        def unbox(kind: Any, value: Any, c: Any) -> Any:
            return extending.NativeValue(c.context.get_dummy_value())

        extending.typeof_impl.register(tuple)(typeof_record)
        extending.unbox(FieldlessRule)(unbox)

    def _teach_functions(self) -> None:
        typeof = self._target.extending.typeof_impl

        def typeof_function(value: Any, c: Any) -> Any:
            if value in REPLACED or value in self._target.replaced or value in OPTIONAL or value not in self._known:
                return None
            if value not in self._compiled:
                self._compiled[value] = self._compile(value)
            return typeof(self._compiled[value], c)

        typeof.register(python_types.FunctionType)(typeof_function)
