"""Setups made ready for the compiler, whose disk cache sees every edit: a digest of all code is in its key."""

import hashlib
import mmap
import re
from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numba import extending, njit
from numba.core.errors import NumbaError
from numba.core.typing.templates import builtin_registry
from numpy.typing import NDArray

from toptwo.engine.cache import Compiled
from toptwo.engine.code import Code
from toptwo.engine.options import GUARDS, OPTIONS, PART, Options
from toptwo.engine.rounds import Setup
from toptwo.engine.teach import Target, Teacher
from toptwo.engine.watching import as_written, is_foreign
from toptwo.errors import InputError
from toptwo.records import components, methods_of, rebuild
from toptwo.rules.schedules import Tabulated
from toptwo.streams import Random

TEACHER = Teacher(Target(extending, extending.models, builtin_registry, njit, PART, guards=GUARDS))

TABLE = 1 << 20
"""Entries of a schedule's table; pages that no run reaches cost no memory."""

TABLES = 16
"""Tables that a process keeps for setups to come: a sweep over δ needs another one in each of its cells."""

_tables: OrderedDict[Any, NDArray[np.float64]] = OrderedDict()


def _table(key: Any) -> Any:
    """Return the table that belongs to a key, one of those used last or a new one."""
    if key not in _tables:
        # Straight from the system: the allocator would clear all pages of a table whose memory was used before.
        _tables[key] = np.frombuffer(mmap.mmap(-1, 8 * TABLE))
    _tables.move_to_end(key)
    if len(_tables) > TABLES:
        _tables.popitem(last=False)
    return _tables[key]


def _tabulated(value: Any) -> Any:
    """Return a schedule behind its table, a row of numbers as an array, anything else as it is."""
    if type(value) is tuple:  # one type for any number of arms
        return np.array(value, dtype=np.float64)
    if hasattr(value, "at") and not isinstance(value, Tabulated):
        # NamedTuples of different classes are equal if their fields are: the classes belong to the key.
        key = (value, *(type(part) for part in components(value)))
        try:
            return Tabulated(_table(key), value)
        except TypeError:  # an array among the fields: nothing to look a table up by
            return value
    return value


_code_of: dict[type, str] = {}


def _refuse_changed_code(setup: Setup) -> None:
    """Refuse a user's rule whose code or constants changed since it was compiled in this process."""
    for rule in components(setup):
        kind = type(rule)
        if is_foreign(kind):
            digest = Code(rule).digest
            if _code_of.setdefault(kind, digest) != digest:
                raise InputError(
                    f"algorithm uses {kind.__qualname__}, whose code or constants changed since it was compiled: "
                    "define the class again or start a new process."
                )


def _importable(setup: Setup) -> bool:
    """Return whether another process can find the classes of these rules, as a disk cache needs."""
    return all(type(rule).__module__ != "__main__" and "<" not in type(rule).__qualname__ for rule in components(setup))


CAUSES = ("Unknown attribute", "Cannot unify", "Untyped global", "No conversion", "unsupported", "No implementation")
"""Words by which the compiler's long report names what it stumbled over."""


def why_not_compiled(report: str, setup: Setup) -> str:
    """Return the user's rule and line at fault, and the cause, from the compiler's report."""
    kinds = {type(rule) for rule in components(setup) if is_foreign(type(rule))}
    begins = _first_lines(kinds)
    places = [(Path(name).name, line) for name, line in re.findall(r'File "([^"]+)", line (\d+)', report)]
    somewhere = next((f", {name}, from line {line} on" for name, line in begins.items()), "")
    place = next((f", {name}, line {line}" for name, line in places if name in begins), somewhere)
    lines = [line.strip() for line in report.splitlines() if line.strip()]
    telling = [line for line in lines if "function resolve" not in line and "function choose" not in line]
    cause = next((line for word in CAUSES for line in telling if word in line), lines[-1])
    names = ", ".join(sorted(kind.__qualname__ for kind in kinds)) or "built-in rules"
    return (
        f"algorithm cannot be compiled ({names}{place}): {cause[:200]}. Rules may use numbers, loops and the functions "
        "of math, but no lists, dictionaries or text (docs/write-your-own-rule.md); engine='python' runs them as they "
        "are."
    )


def _first_lines(kinds: set[type]) -> dict[str, int]:
    """Return the files that rules are written in, with the line of the first method there."""
    methods = (item for kind in kinds for item in methods_of(kind).items())
    codes = [member.__code__ for name, member in methods if not name.startswith("_")]
    codes.sort(key=lambda code: -code.co_firstlineno)
    return {Path(code.co_filename).name: code.co_firstlineno for code in codes}


def _code_of_setup(setup: Setup, *functions: Any) -> Code:
    """Return the code of a setup: that of this package's own rules does not change while a process lives."""
    kinds = tuple(type(rule) for rule in components(setup))
    if any(map(is_foreign, kinds)):
        return Code(setup, Random([0]), *functions)
    if (kinds, functions) not in _own_code:
        _own_code[kinds, functions] = Code(setup, Random([0]), *functions)
    return _own_code[kinds, functions]


_own_code: dict[tuple[tuple[type, ...], tuple[Any, ...]], Code] = {}


class Compiling:
    """A setup whose rules are ready to be compiled."""

    teacher = TEACHER
    options: Options = PART
    edition = repr(GUARDS)
    """What compiled code depends on besides options and the rules: the compiler's own additions."""

    def __init__(self, setup: Setup) -> None:
        self._plain = setup = as_written(setup)
        self.setup = self.prepared(setup)
        _refuse_changed_code(setup)

    def prepared(self, setup: Setup) -> Setup:
        """Return the setup with tables in front of its schedules."""
        ready: Setup = rebuild(setup, _tabulated)
        return ready

    def compiled(self, key: str, run: Callable[..., Any], on_disk: bool) -> Callable[..., Any]:
        """Return the compiled form of a function."""
        return Compiled(partial(njit, nogil=True, **OPTIONS), run, on_disk)

    def why_not(self, problem: NumbaError) -> str:
        """Return what a user is told if some code does not compile."""
        return why_not_compiled(str(problem), self._plain)

    def entry(self, make: Callable[[str], Callable[..., Any]], *functions: Any) -> Callable[..., Any]:
        """Return a compiled function; `make(digest)` returns a plain one that calls `functions`, all in its closure.

        Numba hashes closure cells into the key of its cache, so that rules edited in any file are compiled anew.
        """
        code = _code_of_setup(self.setup, *functions)
        self.teacher.teach(code)
        key = code.digest + repr(self.options) + self.edition
        run = make(key)
        # Numba names the index of its cache after the function, and to read an index it imports the modules of all
        # rules in it: a name per code keeps one user's rules out of another program's index.
        run.__qualname__ = f"run_{hashlib.sha256(key.encode()).hexdigest()[:16]}"
        compiled = self._compiled_once(key, run)

        def call(*arguments: Any) -> Any:
            try:
                return compiled(*arguments)
            except NumbaError as problem:
                raise InputError(self.why_not(problem)) from None

        return call

    def _compiled_once(self, key: str, run: Callable[..., Any]) -> Callable[..., Any]:
        """Return the one compiled form that a process has of some code."""
        on_disk = _importable(self._plain)
        if (key, on_disk) not in _compiled:
            _compiled[key, on_disk] = self.compiled(key, run, on_disk)
        return _compiled[key, on_disk]


_compiled: dict[tuple[str, bool], Callable[..., Any]] = {}
