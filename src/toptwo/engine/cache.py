"""Compiled code kept on disk where that is possible; where it is not, it is compiled again in each process."""

import pickle
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

CUT_SHORT = (EOFError, pickle.PickleError)
"""What Numba passes on from a file of which a crash let only the beginning reach the disk."""

_said: list[str] = []


def _say_once(reason: str) -> None:
    """Warn, the first time in this process, that nothing can be kept on disk."""
    if not _said:
        _said.append(reason)
        warnings.warn(
            f"Compiled code cannot be kept on disk ({reason}), so every process compiles anew, which takes seconds: "
            "set the environment variable NUMBA_CACHE_DIR to a folder that can be written to.",
            RuntimeWarning,
            stacklevel=3,
        )


class Compiled:
    """A function that Numba compiles when first called, kept on disk if wanted and possible.

    `jit` is the decorator of a compiler, with its options; `configured` makes what it returns ready to be called.
    """

    def __init__(
        self,
        jit: Callable[..., Any],
        function: Callable[..., Any],
        on_disk: bool,
        configured: Callable[[Any], Callable[..., Any]] = lambda compiled: compiled,
    ) -> None:
        self._afresh = partial(jit, function)
        self._configured = configured
        try:
            self._compiled = jit(function, cache=on_disk)
        except (RuntimeError, OSError):  # Numba found no place, or lost it while looking
            _say_once("no folder can be written to")
            self._compiled = self._afresh()

    def __call__(self, *arguments: Any) -> Any:
        """Call the function."""
        before = len(self._compiled.overloads)
        try:
            try:
                return self._configured(self._compiled)(*arguments)
            except CUT_SHORT:
                self._compiled.recompile()  # forgets what is on disk
                return self._configured(self._compiled)(*arguments)
        except OSError as problem:  # from reading or saving: no compiled code raises it
            _say_once(str(problem))
            if len(self._compiled.overloads) == before:  # else it was compiled, and only saving it failed
                self._compiled = self._afresh()
            return self._configured(self._compiled)(*arguments)
