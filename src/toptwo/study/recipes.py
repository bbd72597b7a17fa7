"""Questions as plain data and back: algorithms, families and thresholds by name, or as importable class with fields."""

import math
import sys
from importlib import import_module
from types import FunctionType
from typing import Any

from toptwo.engine.code import Code
from toptwo.errors import InputError, StudyError
from toptwo.records import is_record


def encode(value: Any, what: str) -> Any:
    """Return plain data for JSON that `decode` turns back into the value; `what` names it in errors.

    Examples
    --------
    >>> from toptwo.families import Gaussian
    >>> encode(Gaussian(2.0), "family")
    {'record': 'toptwo.families.gaussian:Gaussian', 'fields': [2.0]}
    >>> decode(encode(Gaussian(2.0), "family"))
    Gaussian(sigma=2.0)
    """
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": repr(value)}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if is_record(value):
        fields = [encode(field, f"{what}.{name}") for name, field in zip(value._fields, value, strict=True)]
        return {"record": _place(type(value), what), "fields": fields}
    if isinstance(value, tuple):
        return {"tuple": [encode(part, what) for part in value]}
    if isinstance(value, list):
        return [encode(part, what) for part in value]
    if isinstance(value, dict):
        return {"dict": [[encode(key, what), encode(part, what)] for key, part in value.items()]}
    if isinstance(value, type | FunctionType):
        return {"import": _place(value, what)}
    if hasattr(value, "tolist"):
        return encode(value.tolist(), what)
    raise InputError(f"{what} cannot be stored: use text, numbers, or lists, tuples and dicts of them, not {value!r}.")


def decode(data: Any) -> Any:
    """Return what `encode` wrote down."""
    if isinstance(data, list):
        return [decode(part) for part in data]
    if not isinstance(data, dict):
        return data
    if "float" in data:
        return float(data["float"])
    if "dict" in data:
        return {decode(key): decode(part) for key, part in data["dict"]}
    if "tuple" in data:
        return tuple(decode(part) for part in data["tuple"])
    if "import" in data:
        return _imported(data["import"])
    return _imported(data["record"])(*(decode(field) for field in data["fields"]))


def _place(thing: Any, what: str) -> str:
    """Return where a class or function can be imported from, in any process."""
    module, name = thing.__module__, thing.__qualname__
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    if found is not thing or module == "__main__":
        raise InputError(
            f"{what} cannot be stored: {name} must be importable by other processes; put it at the top level of a "
            f"module of its own, not into {'the script that runs' if module == '__main__' else 'a function'}."
        )
    return f"{module}:{name}"


def _imported(place: str) -> Any:
    module, _, name = place.partition(":")
    try:
        found: Any = import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError) as problem:
        raise StudyError(
            f"the study needs {name} of the module {module}, which cannot be imported here ({problem}): put that "
            "module on the path, as it was where the study was created."
        ) from None
    return found


def digest_of(*parts: Any) -> dict[str, str]:
    """Return a digest of the code of some rules, under the version of Python whose bytecode was looked at."""
    return {f"{sys.version_info.major}.{sys.version_info.minor}": Code(*parts).digest}


def has_changed(kept: dict[str, str], *parts: Any) -> bool:
    """Return whether code is surely not what it was; under another version of Python nobody can tell."""
    return any(kept.get(python, digest) != digest for python, digest in digest_of(*parts).items())
