"""Corners of the space of states, and states around them."""

import math
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

LARGEST = 1e9


class Corner(NamedTuple):
    """Orders of magnitude, from which every law makes pairs of arms of its own kind."""

    counts: tuple[float, float]
    scale: float
    ratio: float
    gap: float
    sign: float
    kind: str
    margin: str
    tiny: float
    mirrored: bool
    seed: int


class Pair(NamedTuple):
    """Two arms, asked how far apart they are: μ_a + ε against μ_b. In the mirror, arms change places and signs."""

    family: Any
    arms: tuple[Any, Any]
    epsilon: float
    mirrored: bool = False


corners = st.builds(
    Corner,
    counts=st.tuples(st.floats(0.0, 9.0), st.floats(0.0, 9.0)),
    scale=st.floats(-15.0, 15.0),
    ratio=st.sampled_from([0.0, 0.0, 1.0]).flatmap(
        lambda wide: st.floats(-15.0, 15.0) if wide else st.floats(-1.0, 1.0)
    ),
    gap=st.floats(-17.0, 3.0) | st.floats(-2.0, 2.0),
    sign=st.sampled_from([1.0, 1.0, 1.0, -1.0]),
    kind=st.sampled_from(["apart", "apart", "apart", "ulp", "level", "end", "wide"]),
    margin=st.sampled_from(["none", "none", "like", "tiny", "huge", "cancels"]),
    tiny=st.floats(-12.0, 0.0),
    mirrored=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
)


def around(corner, random):
    """A corner near this one: all orders of magnitude moved by up to a half."""
    counts = tuple(float(np.clip(count + random.uniform(-0.5, 0.5), 0.0, 9.0)) for count in corner.counts)
    shifts = random.uniform(-0.5, 0.5, 4).tolist()
    return corner._replace(
        counts=counts,
        scale=corner.scale + shifts[0],
        ratio=corner.ratio + shifts[1],
        gap=corner.gap + shifts[2],
        tiny=min(0.0, corner.tiny + shifts[3]),
    )


def counts_of(corner):
    """Two whole numbers of pulls, from 1 to a thousand million."""
    return tuple(float(round(10.0**count)) for count in corner.counts)


def margin_of(corner, gap, scale):
    """A margin ε ≥ 0: none, like the gap, tiny or huge on the scale of means, or what a gap below 0 lacks."""
    if corner.margin == "none":
        return 0.0
    if corner.margin == "cancels":
        return max(0.0, -gap)
    if corner.margin == "like":
        return abs(gap) * 10.0**corner.tiny * 3.0
    return scale * 10.0 ** (corner.tiny if corner.margin == "tiny" else -corner.tiny / 2.0)


def beside(corner, mean, step):
    """A mean at this step from another, or one unit in the last place from it, or equal to it."""
    if corner.kind == "level":
        return mean
    if corner.kind == "ulp":
        return math.nextafter(mean, corner.sign * math.inf)
    return mean + corner.sign * step
