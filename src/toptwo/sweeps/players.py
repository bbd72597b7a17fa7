"""Which engine plays the cells of a point."""

from dataclasses import replace
from typing import Any

from toptwo import checks
from toptwo.engine import engines
from toptwo.engine.cuda.device import why_none
from toptwo.errors import InputError
from toptwo.sweeps.cells import cells_of
from toptwo.sweeps.points import Point, instances_of

PLAYERS = {name: name for name in ("cpu", "cuda", "python", "auto")}


def player_of(engine: Any, elsewhere: bool) -> str:
    """Return the name of an engine that is meant, or refuse it, before anything is planned, if it cannot be had.

    Elsewhere, on a cluster, there may be a GPU where here is none; `auto` then means the processors there.

    Examples
    --------
    >>> player_of("CPU", elsewhere=False), player_of("auto", elsewhere=True)
    ('cpu', 'cpu')
    """
    name = checks.one_of("engine", engine, PLAYERS)
    if name == "cuda" and not elsewhere and (reason := why_none()):
        raise InputError(reason)
    return "cpu" if name == "auto" and (elsewhere or why_none()) else name


def played_by(engine: str, point: Point, seed: int) -> Point:
    """Return a point whose runs an engine plays: a GPU, which is idle with few, plays them all at once.

    Processor time is measured on a processor whatever plays the rest. With `auto` a GPU plays what it would in
    `simulate`: many runs, of algorithms that it can run, all of them at that point.
    """
    if point.timed:
        return point
    if engine == "auto":
        engine = "cuda" if point.runs >= engines.PAYS_FROM and _on_gpu(point, seed) else "cpu"
    return replace(point, engine=engine, chunk=point.runs if engine == "cuda" else point.chunk)


def _on_gpu(point: Point, seed: int) -> bool:
    """Return whether a GPU can run all algorithms of a point."""
    arms = instances_of(point, seed).shape[1]
    firsts = [cell for cell in cells_of(point, seed) if cell.first == 0]
    return all(engines.make_engine("auto", cell.setup, arms, point.runs).name == "cuda" for cell in firsts)
