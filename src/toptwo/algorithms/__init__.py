"""Algorithms: complete samplers assembled from rules, and the registry by name."""

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
    Uniform,
    algorithms,
    resolve,
    variants,
)
from toptwo.algorithms.top_two import TopTwo

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
    "TopTwo",
    "Uniform",
    "algorithms",
    "resolve",
    "variants",
]
