"""Algorithms: complete samplers assembled from rules, and the registry by name."""

import sys
from types import ModuleType

from toptwo.algorithms.base import Algorithm
from toptwo.algorithms.competitors import (
    DKM,
    EBS,
    FWS,
    KLLUCB,
    LUCB,
    LUCB1,
    BetaLUCB,
    ExpGap,
    LilUCB,
    Peace,
    SuccessiveElimination,
    TaS,
    UGapE,
    Uniform,
)
from toptwo.algorithms.registry import Entry, algorithms, resolve, variants
from toptwo.algorithms.top_two import TopTwo
from toptwo.algorithms.top_two_rules import EBTC, EBTCI, T3C, TTEI, TTIMED, TTMOSS, TTPS, TTTS, TTUCB


class _Callable(ModuleType):
    """`tt.algorithms()` lists the registry although `toptwo.algorithms` is also this package."""

    def __call__(self) -> "dict[str, Entry]":
        return algorithms()


sys.modules[__name__].__class__ = _Callable

__all__ = [
    "DKM",
    "EBS",
    "EBTC",
    "EBTCI",
    "FWS",
    "KLLUCB",
    "LUCB",
    "LUCB1",
    "T3C",
    "TTEI",
    "TTIMED",
    "TTMOSS",
    "TTPS",
    "TTTS",
    "TTUCB",
    "Algorithm",
    "BetaLUCB",
    "Entry",
    "ExpGap",
    "LilUCB",
    "Peace",
    "SuccessiveElimination",
    "TaS",
    "TopTwo",
    "UGapE",
    "Uniform",
    "algorithms",
    "resolve",
    "variants",
]
