"""Records: trees of NamedTuples, such as an algorithm made of rules; walking them and replacing parts."""

import types
from collections.abc import Callable, Iterator
from typing import Any


def is_record(value: Any) -> bool:
    """Return whether a value is a NamedTuple."""
    return isinstance(value, tuple) and hasattr(value, "_fields")


def components(*records: Any) -> Iterator[Any]:
    """Yield every NamedTuple in these trees, parents first."""
    for record in records:
        if is_record(record):
            yield record
            yield from components(*record)


def methods_of(kind: type) -> dict[str, types.FunctionType]:
    """Return the methods of a rule's class by name, inherited ones included."""
    found: dict[str, types.FunctionType] = {}
    for ancestor in kind.__mro__[: kind.__mro__.index(tuple)] if tuple in kind.__mro__ else kind.__mro__[:-1]:
        for name, member in vars(ancestor).items():
            if isinstance(member, types.FunctionType) and not name.startswith("__") and name != "_replace":
                found.setdefault(name, member)
    return found


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
