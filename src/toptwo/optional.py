"""Optional methods, declared once: what a part may answer for itself, and what holds if it does not."""

import inspect
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
    first, *others = inspect.signature(default).parameters
    name, listed, handed = default.__name__, ", ".join([first, *others]), ", ".join(others)
    # Written out, with the names of the arguments: rounds of a study call some of these for every arm.
    source = (
        f"def {name}({listed}):\n"
        f"    method = getattr({first}, {name!r}, None)\n"
        f"    return default({listed}) if method is None else method({handed})\n"
    )
    scope: dict[str, Any] = {"default": default}
    exec(source, scope)
    ask: Callable[P, R] = wraps(default)(scope[name])
    OPTIONAL[ask] = default
    return ask


def answers(part: Any, ask: Callable[..., Any]) -> bool:
    """Return whether a part answers an optional question itself; `ask` is the function that asks it.

    Examples
    --------
    >>> from toptwo.algorithms import TTUCB
    >>> from toptwo.memory import memory
    >>> answers(TTUCB(), memory), answers(3, memory)
    (True, False)
    """
    return getattr(part, ask.__name__, None) is not None
