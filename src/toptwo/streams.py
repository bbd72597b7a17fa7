"""Random streams that are pure functions of their coordinates.

The s-th reward of arm a in run r depends on (seed, r, a, s) and nothing else: every algorithm sees the same rewards,
and no result depends on the engine, the number of threads or the order of work. Each (seed, run, arm) starts a
SplitMix64 sequence (Steele, Lea and Flood, 2014) at a hashed position; a rule that draws does so from its own stream.

The arithmetic is that of unsigned 64-bit words (toptwo/hashing.py).
"""

import math
from collections.abc import MutableSequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from toptwo.hashing import GOLDEN as GOLDEN
from toptwo.hashing import MASK as MASK
from toptwo.hashing import ULP as ULP
from toptwo.hashing import fork as fork
from toptwo.hashing import integer as integer
from toptwo.hashing import mix as mix
from toptwo.hashing import next_word as next_word
from toptwo.hashing import unit as unit
from toptwo.hashing import word as word

LAYERS = 256
EDGE = 3.6541528853610088
"""Start of the normal tail in the 256-layer ziggurat of Marsaglia and Tsang (2000)."""


def _ziggurat() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the right edges of the layers and the normal density (without constant) at them."""
    density = math.exp(-0.5 * EDGE * EDGE)
    area = EDGE * density + math.sqrt(0.5 * math.pi) * math.erfc(EDGE * math.sqrt(0.5))
    edges = [area / density, EDGE]
    while len(edges) < LAYERS:
        edges.append(math.sqrt(-2.0 * math.log(area / edges[-1] + math.exp(-0.5 * edges[-1] ** 2))))
    edges.append(0.0)
    return np.array(edges), np.array([math.exp(-0.5 * edge * edge) for edge in edges])


EDGES, HEIGHTS = _ziggurat()


def normal(bits: int) -> float:
    """Return a standard normal variable made of 64 random bits (and of their hashes, in one case of a hundred).

    Examples
    --------
    >>> round(float(normal(mix(1))), 6)
    0.203274
    """
    low = integer(bits >> 1)
    layer = low & 255
    size: float = (low >> 10) * ULP * EDGES[layer]
    if size < EDGES[layer + 1]:
        return -size if low & 256 else size
    return _outside(bits, size)


def _outside(bits: int, size: float) -> float:
    """Return the normal variable when the point fell outside the core of its layer."""
    low = integer(bits >> 1)
    while True:
        sign = -1.0 if low & 256 else 1.0
        layer = low & 255
        bits = mix((bits + GOLDEN) & MASK)
        if layer == 0:
            return sign * _tail(bits)
        height = HEIGHTS[layer] + unit(bits) * (HEIGHTS[layer + 1] - HEIGHTS[layer])
        if height < math.exp(-0.5 * size * size):
            return sign * size
        bits = mix((bits + GOLDEN) & MASK)
        low = integer(bits >> 1)
        size = (low >> 10) * ULP * EDGES[low & 255]
        if size < EDGES[(low & 255) + 1]:
            return -size if low & 256 else size


def _tail(bits: int) -> float:
    """Return a normal variable given that it exceeds EDGE (Marsaglia, 1964): this draw may not go elsewhere."""
    while True:
        beyond = -math.log(unit(bits)) / EDGE
        bits = mix((bits + GOLDEN) & MASK)
        if -2.0 * math.log(unit(bits)) > beyond * beyond:
            return EDGE + beyond
        bits = mix((bits + GOLDEN) & MASK)


class Random(NamedTuple):
    """The stream from which rules draw."""

    position: MutableSequence[int]

    def uniform(self) -> float:
        """Return a uniform variable in (0, 1)."""
        return unit(next_word(self.position, 0))

    def normal(self) -> float:
        """Return a standard normal variable."""
        return normal(next_word(self.position, 0))
