"""How a table came about: version, seed, machine and time, kept beside it."""

from collections.abc import Sequence
from typing import Any

from toptwo import __version__
from toptwo.json_text import json_text
from toptwo.sweeps.cells import Cell
from toptwo.sweeps.store import Store, machine


def provenance(store: Store, cells: Sequence[Cell], *, size: str, seed: int) -> bytes:
    """Return what is known about the making of these cells, as JSON."""
    different = list({cell.question: cell for cell in cells}.values())
    origins = [store.origin(cell) for cell in different]
    by_algorithm: dict[str, float] = {}
    for cell, origin in zip(different, origins, strict=True):
        seconds = by_algorithm.get(cell.entrant.label, 0.0) + origin["seconds"]["processor"]
        by_algorithm[cell.entrant.label] = round(seconds, 3)
    finished = sorted(origin["finished"] for origin in origins)
    content: dict[str, Any] = {
        "version": __version__,
        "size": size,
        "seed": seed,
        "cells": len(origins),
        "processor_seconds": round(sum(origin["seconds"]["processor"] for origin in origins), 3),
        "processor_seconds_by_algorithm": by_algorithm,
        "wall_seconds_of_cells": round(sum(origin["seconds"]["wall"] for origin in origins), 3),
        "first_cell": finished[0] if finished else None,
        "last_cell": finished[-1] if finished else None,
        "code": sorted({origin["code"] for origin in origins}),
        "machine": machine(),
    }
    return json_text(content).encode()
