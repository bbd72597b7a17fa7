"""Optional methods, declared once: what a part may answer for itself, and what holds if it does not."""

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

OPTIONAL: dict[Callable[..., Any], Callable[..., Any]] = {}
"""The functions that `optional` made, each with its default; the compiled engine decides between the two by type."""


def optional(default: Callable[P, R]) -> Callable[P, R]:
    """Return a function that asks its first argument for a method of the same name, and is the default without one.

    Examples
    --------
    >>> @optional
    ... def greeting(part, name):
    ...     return f"hello {name}"
    >>> class Polite:
    ...     def greeting(self, name):
    ...         return f"good day {name}"
    >>> greeting(Polite(), "a"), greeting(3, "a")
    ('good day a', 'hello a')
    """
    name = default.__name__

    @wraps(default)
    def ask(*arguments: P.args, **named: P.kwargs) -> R:
        method = getattr(arguments[0], name, None)
        if method is None:
            return default(*arguments, **named)
        return method(*arguments[1:], **named)  # type: ignore[no-any-return]

    OPTIONAL[ask] = default
    return ask
