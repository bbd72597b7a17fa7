"""Algorithms as trees of rules: walking them, replacing parts, and a digest of the code they are made of."""

import hashlib
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np


def is_record(value: Any) -> bool:
    """Return whether a value is a NamedTuple."""
    return isinstance(value, tuple) and hasattr(value, "_fields")


def components(*records: Any) -> Iterator[Any]:
    """Yield every NamedTuple in these trees, parents first."""
    for record in records:
        if is_record(record):
            yield record
            yield from components(*record)


def rebuild(record: Any, change: Callable[[Any], Any]) -> Any:
    """Return the tree with `change` applied to every leaf and NamedTuple, children first."""
    if is_record(record):
        return change(type(record)(*(rebuild(field, change) for field in record)))
    return change(record)


def prepared(record: Any) -> Any:
    """Return the tree with whole numbers in float fields cast, after asking each part to validate itself.

    A part may have a method `validate` that raises InputError. Without the cast, `Fixed(1)` and `Fixed(1.0)` would be
    two types to a compiler.
    """

    def clean(part: Any) -> Any:
        if not is_record(part):
            return part
        hints = getattr(type(part), "__annotations__", {})
        part = type(part)(
            *(
                float(value) if hints.get(name) is float and isinstance(value, int) else value
                for name, value in zip(part._fields, part, strict=True)
            )
        )
        if hasattr(part, "validate"):
            part.validate()
        return part

    return rebuild(record, clean)


def digest(*records: Any) -> str:
    """Return a hash of the code of all rules in these trees and of everything that code refers to.

    It covers what a compile cache cannot see: methods and helper functions in other files, and the constants they use.
    """
    seen: set[int] = set()
    total = hashlib.sha256()
    for rule in components(*records):
        _hash_class(type(rule), total, seen)
    return total.hexdigest()


def digest_function(function: Callable[..., Any]) -> str:
    """Return a hash of the code of a function and of everything that code refers to."""
    total = hashlib.sha256()
    _hash_function(function, total, set())
    return total.hexdigest()


def _hash_class(kind: type, total: Any, seen: set[int]) -> None:
    if id(kind) in seen:
        return
    seen.add(id(kind))
    total.update(f"class {kind.__module__}.{kind.__qualname__}".encode())
    for name, member in sorted(vars(kind).items()):
        if isinstance(member, types.FunctionType):
            total.update(name.encode())
            _hash_function(member, total, seen)


def _hash_function(function: Any, total: Any, seen: set[int]) -> None:
    if id(function) in seen:
        return
    seen.add(id(function))
    _hash_code(function.__code__, function.__globals__, total, seen)
    for cell in function.__closure__ or ():
        _hash_value(cell.cell_contents, total, seen)


def _hash_code(code: types.CodeType, scope: dict[str, Any], total: Any, seen: set[int]) -> None:
    total.update(code.co_code)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            _hash_code(constant, scope, total, seen)
        else:
            total.update(repr(constant).encode())
    for name in code.co_names:
        total.update(name.encode())
        if name in scope:
            _hash_value(scope[name], total, seen)


def _hash_value(value: Any, total: Any, seen: set[int]) -> None:
    if isinstance(value, types.FunctionType):
        _hash_function(value, total, seen)
    elif isinstance(value, type):
        _hash_class(value, total, seen)
    elif isinstance(value, np.ndarray):
        total.update(value.tobytes())
    elif isinstance(value, types.ModuleType):
        total.update(value.__name__.encode())
    elif callable(getattr(value, "py_func", None)):  # a function that the user compiled
        _hash_function(value.py_func, total, seen)
    else:
        total.update(repr(value).encode())
