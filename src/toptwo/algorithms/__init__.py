"""Algorithms: complete samplers assembled from rules, and the registry by name."""

import sys
from types import ModuleType

from toptwo.algorithms import competitors, top_two_rules
from toptwo.algorithms.base import Algorithm
from toptwo.algorithms.competitors import *  # noqa: F403
from toptwo.algorithms.registry import Listing, algorithms, resolve, variants
from toptwo.algorithms.top_two import TopTwo
from toptwo.algorithms.top_two_rules import *  # noqa: F403


class _Callable(ModuleType):
    """`tt.algorithms()` lists the registry although `toptwo.algorithms` is also this package."""

    def __call__(self) -> "dict[str, Listing]":
        return algorithms()


sys.modules[__name__].__class__ = _Callable

__all__ = ["Algorithm", "Listing", "TopTwo", "algorithms", "resolve", "variants"]
__all__ += competitors.__all__
__all__ += top_two_rules.__all__
