"""The code that an algorithm is made of: every function its rules can reach, and a digest of all of it.

The digest covers what a compile cache cannot see: methods and helper functions in other files, default arguments, and
the constants they use, wherever they are defined.
"""

import hashlib
import re
import sys
import types
from typing import Any

import numpy as np

from toptwo.records import components, methods_of

FOREIGN = {*sys.stdlib_module_names, "numpy", "scipy", "numba", "llvmlite"}
"""Packages whose functions a compiler knows by itself."""


def lasting(text: str) -> str:
    """Return the text of something without what differs from process to process: addresses, the name of a main module.

    Examples
    --------
    >>> lasting("<function draw at 0x7f00d0>, <class '__mp_main__.Rule'>")
    "<function draw>, <class '__main__.Rule'>"
    """
    return re.sub(r" at 0x[0-9a-fA-F]+", "", text).replace("__mp_main__", "__main__")


class Code:
    """What can be reached from some rules and functions."""

    def __init__(self, *parts: Any) -> None:
        self.functions: set[types.FunctionType] = set()
        self.records: set[type] = set()
        self._seen: set[int] = set()
        self._total = hashlib.sha256()
        for part in parts:
            if isinstance(part, types.FunctionType):
                self._function(part)
            else:
                for rule in components(part):
                    self._class(type(rule))
        self.digest = self._total.hexdigest()

    def _add(self, text: str) -> None:
        self._total.update(lasting(text).encode())

    def _new(self, thing: Any) -> bool:
        """Return whether something is met for the first time."""
        fresh = id(thing) not in self._seen
        self._seen.add(id(thing))
        return fresh

    def _class(self, kind: type) -> None:
        self._add(f"class {kind.__module__}.{kind.__qualname__}")
        if self._new(kind):
            if issubclass(kind, tuple):
                self.records.add(kind)
            for name, member in sorted(methods_of(kind).items()):
                self._add(name)
                self._function(member)

    def _function(self, function: types.FunctionType) -> None:
        self._add(f"function {function.__module__}.{function.__qualname__}")
        if (function.__module__ or "").partition(".")[0] in FOREIGN or not self._new(function):
            return
        self.functions.add(function)
        self._code(function.__code__, function.__globals__)
        self._add(repr((function.__defaults__, function.__kwdefaults__)))
        for cell in function.__closure__ or ():
            self._value(cell.cell_contents)

    def _code(self, code: types.CodeType, scope: dict[str, Any]) -> None:
        self._total.update(code.co_code)
        for constant in code.co_consts:
            if isinstance(constant, types.CodeType):
                self._code(constant, scope)
            else:
                self._add(_ordered(constant))
        holders = [scope]
        for name in code.co_names:
            self._add(name)
            for holder in tuple(holders):
                if name in holder:
                    self._value(holder[name])
                    if isinstance(holder[name], types.ModuleType):  # names to come may be module.name
                        holders.append(vars(holder[name]))

    def _value(self, value: Any) -> None:
        if isinstance(value, types.FunctionType):
            self._function(value)
        elif isinstance(value, type):
            self._class(value)
        elif isinstance(value, np.ndarray):
            self._total.update(value.tobytes())
        elif isinstance(value, types.ModuleType):
            self._add(value.__name__)
        elif isinstance(inner := getattr(value, "py_func", getattr(value, "__wrapped__", None)), types.FunctionType):
            self._function(inner)  # a function that the user compiled, or one that remembers its results
        else:
            self._add(_ordered(value))


def _ordered(value: Any) -> str:
    """Return the text of a value, of a set in an order that is the same in every process: that of numbers is anyway."""
    if isinstance(value, set | frozenset) and not all(isinstance(entry, int | float) for entry in value):
        return repr(sorted(map(repr, value)))
    return repr(value)
