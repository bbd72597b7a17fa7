"""Algorithms: complete samplers assembled from rules, and the registry by name."""

import sys
from types import ModuleType

from toptwo.algorithms.base import Algorithm
from toptwo.algorithms.registry import (
    EBTC,
    EBTCI,
    T3C,
    TTEI,
    TTIMED,
    TTMOSS,
    TTPS,
    TTTS,
    TTUCB,
    Entry,
    Uniform,
    algorithms,
    resolve,
    variants,
)
from toptwo.algorithms.top_two import TopTwo


class _Callable(ModuleType):
    """`tt.algorithms()` lists the registry although `toptwo.algorithms` is also this package."""

    def __call__(self) -> "dict[str, Entry]":
        return algorithms()


sys.modules[__name__].__class__ = _Callable

__all__ = [
    "EBTC",
    "EBTCI",
    "T3C",
    "TTEI",
    "TTIMED",
    "TTMOSS",
    "TTPS",
    "TTTS",
    "TTUCB",
    "Algorithm",
    "Entry",
    "TopTwo",
    "Uniform",
    "algorithms",
    "resolve",
    "variants",
]
