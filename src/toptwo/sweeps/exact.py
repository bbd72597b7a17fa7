"""Text that two values share only if they are equal to the last bit: what cells are named after.

NumPy's own text has eight digits and leaves out the middle of a long array; that of a function has an address in it.
"""

import hashlib
from types import FunctionType
from typing import Any

import numpy as np

from toptwo.engine.code import Code, lasting
from toptwo.records import is_record, methods_of


def exact(value: Any) -> str:
    """Return a text that says everything of a value, the same in every process.

    Examples
    --------
    >>> exact((1.0, np.float64(1.0))), exact({"a": None})
    ('(1.0, 1.0)', "{'a': None}")
    >>> exact(np.array([0.1, 0.2])) == exact(np.array([0.1, 0.2 + 1e-16]))
    False
    """
    if is_record(value):
        fields = (f"{name}={exact(field)}" for name, field in zip(value._fields, value, strict=True))
        return f"{type(value).__name__}({', '.join(fields)})"
    if isinstance(value, np.ndarray) and value.dtype != object:
        return f"array({value.dtype.str}, {value.shape}, {hashlib.sha256(value.tobytes()).hexdigest()})"
    if isinstance(value, np.generic):
        return exact(value.item())
    if isinstance(value, FunctionType):
        return f"{value.__module__}.{value.__qualname__} {Code(value).digest}"
    if isinstance(value, type):
        methods = (f"{name} {Code(method).digest}" for name, method in sorted(methods_of(value).items()))
        return f"class {value.__module__}.{value.__qualname__} {' '.join(methods)}".rstrip()
    return _contents(value)


def _contents(value: Any) -> str:
    """Return the text of something that holds others, or of a plain value."""
    if isinstance(value, list | tuple):
        return f"{'[' if isinstance(value, list) else '('}{', '.join(map(exact, value))})"
    if isinstance(value, set | frozenset):
        return f"{{{', '.join(sorted(map(exact, value)))}}}"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{exact(key)}: {exact(entry)}' for key, entry in value.items())}}}"
    if isinstance(value, np.ndarray):
        return f"array({value.shape}, {_contents(value.ravel().tolist())})"
    if getattr(type(value), "__repr__", None) is object.__repr__:
        return f"{type(value).__module__}.{type(value).__qualname__} {exact(getattr(value, '__dict__', {}))}"
    return lasting(repr(value))
