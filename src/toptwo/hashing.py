"""Unsigned 64-bit words made from other words by hashing: what random streams are made of.

`word` and `integer` are the only functions that the compiled engine replaces (by casts); everything else runs as
written here, with the same bits. Without NumPy, so that what must start quickly can draw too.
"""

from collections.abc import MutableSequence

MASK = 0xFFFFFFFFFFFFFFFF
GOLDEN = 0x9E3779B97F4A7C15
ULP = 2.0**-53


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
