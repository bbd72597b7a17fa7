"""Random streams that are pure functions of their coordinates.

The s-th reward of arm a in run r depends on (seed, r, a, s) and nothing else: every algorithm sees the same rewards,
and no result depends on the engine, the number of threads or the order of work. Each (seed, run, arm) starts a
SplitMix64 sequence (Steele, Lea and Flood, 2014) at a hashed position; a rule that draws does so from its own stream.

The arithmetic is that of unsigned 64-bit words. `word` and `integer` are the only functions that the compiled engine
replaces (by casts); everything else runs as written here, with the same bits.
"""

import math
from collections.abc import MutableSequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

MASK = 0xFFFFFFFFFFFFFFFF
GOLDEN = 0x9E3779B97F4A7C15
ULP = 2.0**-53

LAYERS = 256
EDGE = 3.6541528853610088
"""Start of the normal tail in the 256-layer ziggurat of Marsaglia and Tsang (2000)."""


def word(x: int) -> int:
    """Return x as an unsigned 64-bit word."""
    return int(x) & MASK


def integer(x: int) -> int:
    """Return a word below 2⁶³ as a signed integer."""
    return int(x)


def mix(z: int) -> int:
    """Return the SplitMix64 hash of a word."""
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def fork(position: int, label: int) -> int:
    """Return where the stream `label` of a parent stream starts.

    Examples
    --------
    >>> fork(0, 1) == fork(0, 1), fork(0, 1) == fork(1, 0)
    (True, False)
    """
    return mix((mix((word(position) + GOLDEN) & MASK) + mix(word(label))) & MASK)


def next_word(positions: MutableSequence[int], stream: int) -> int:
    """Advance one of several streams and return its next 64 random bits."""
    position = (word(positions[stream]) + GOLDEN) & MASK
    positions[stream] = position
    return mix(position)


def unit(bits: int) -> float:
    """Return a uniform variable in (0, 1) made of the upper 52 bits of a word: with 53, the last one would round to 1.

    Examples
    --------
    >>> unit(0) > 0.0, unit(MASK) < 1.0
    (True, True)
    """
    return (integer(bits >> 12) + 0.5) * (2.0 * ULP)


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
