"""The compiled engine: the rounds and runs of this folder for one combination of rules, by Numba.

Code that releases the interpreter, for a pool of threads over chunks of runs; and a disk cache that sees edits of any
rule, because a digest of the code is part of its key.
"""

import hashlib
import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numba.core.errors import NumbaError
from numpy.typing import NDArray

from toptwo.engine import runs
from toptwo.engine.cache import Compiled
from toptwo.engine.code import Code
from toptwo.engine.options import OPTIONS, PART
from toptwo.engine.rounds import Setup
from toptwo.engine.runs import Output, Share, Workspace
from toptwo.engine.teach import teach
from toptwo.errors import InputError
from toptwo.records import components, rebuild
from toptwo.rules.schedules import Tabulated
from toptwo.streams import Random

TABLE = 1 << 20
"""Entries of a schedule's table; pages that no run reaches cost no memory."""

play_runs = runs.play_runs

_tables: dict[Any, Any] = {}


def _tabulated(value: Any) -> Any:
    """Return a schedule behind its table, a row of numbers as an array, anything else as it is."""
    if type(value) is tuple:  # one type for any number of arms
        return np.array(value, dtype=np.float64)
    if hasattr(value, "at") and not isinstance(value, Tabulated):
        # NamedTuples of different classes are equal if their fields are: the classes belong to the key.
        key = (value, *(type(part) for part in components(value)))
        try:
            return Tabulated(_tables.setdefault(key, np.zeros(TABLE)), value)
        except TypeError:  # an array among the fields: nothing to look a table up by
            return value
    return value


_code_of: dict[type, str] = {}


def _refuse_changed_code(setup: Setup) -> None:
    """Refuse a user's rule whose code or constants changed since it was compiled in this process."""
    for rule in components(setup):
        kind = type(rule)
        if not kind.__module__.startswith("toptwo."):
            digest = Code(rule).digest
            if _code_of.setdefault(kind, digest) != digest:
                raise InputError(
                    f"algorithm uses {kind.__qualname__}, whose code or constants changed since it was compiled: "
                    "define the class again or start a new process."
                )


@cache
def _entry(code: str, cached: bool) -> Callable[..., None]:
    """Return the compiled entry point for rules whose code has this digest."""

    def run(setup: Any, means: Any, share: Any, work: Any, output: Any) -> None:
        code  # noqa: B018 (Numba hashes closure cells into the key of its cache: edited rules recompile)
        play_runs(setup, means, share, work, output)

    # Numba names the index of its cache after the function, and to read an index it imports the modules of all rules
    # in it: a name per code keeps one user's rules out of another program's index.
    run.__qualname__ = f"run_{hashlib.sha256(code.encode()).hexdigest()[:16]}"
    return Compiled(run, cached, nogil=True, **OPTIONS)


def _importable(setup: Setup) -> bool:
    """Return whether another process can find the classes of these rules, as a disk cache needs."""
    return all(type(rule).__module__ != "__main__" and "<" not in type(rule).__qualname__ for rule in components(setup))


class CompiledEngine:
    """Runs a setup with compiled code."""

    def __init__(self, setup: Setup) -> None:
        self.setup = rebuild(setup, _tabulated)
        _refuse_changed_code(setup)
        code = Code(self.setup, Random([0]), runs.play_runs)
        teach(code)
        self._run = _entry(code.digest + repr(PART), _importable(setup))

    def workspace(self, arms: int) -> Workspace:
        """Return arrays for one worker, all of them views of one buffer."""
        used = 0

        def count(*sizes: int) -> Any:
            nonlocal used
            used += math.prod(sizes)
            return np.empty(sizes)

        runs.workspace(self.setup, arms, count, lambda size: count(size))
        buffer, taken = np.zeros(used), 0

        def take(*sizes: int) -> Any:
            nonlocal taken
            taken += math.prod(sizes)
            return buffer[taken - math.prod(sizes) : taken].reshape(sizes)

        def take_whole(size: int) -> Any:
            return take(size).view(np.int64)

        work = runs.workspace(self.setup, arms, take, take_whole)
        rows = buffer[: sum(line.size for line in work.lines)]
        return work._replace(lines=rows.reshape(1, -1), rewards=work.rewards.view(np.uint64))

    def play_runs(self, means: NDArray[np.float64], share: Share, work: Workspace, output: Output) -> None:
        """Play a share of the runs."""
        try:
            self._run(self.setup, means, share, work, output)
        except NumbaError as problem:
            kinds = {type(rule) for rule in components(self.setup)}
            mine = sorted(kind.__qualname__ for kind in kinds if not kind.__module__.startswith("toptwo."))
            raise InputError(
                f"algorithm could not be compiled ({', '.join(mine) or 'built-in rules'}): rules may use numbers, "
                "loops and the functions of math, but no lists, dictionaries or text (docs/write-your-own-rule.md); "
                "engine='python' runs them as they are, and the compiler's own words are above."
            ) from problem
