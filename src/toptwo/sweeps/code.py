"""Which code answers: digests by which cells of other code are told, on disk and on workers."""

import hashlib
from functools import cache
from pathlib import Path
from typing import Any

from toptwo import __version__, engine
from toptwo.engine.code import Code
from toptwo.engine.runs import play_runs
from toptwo.families.origin import origins_of
from toptwo.records import components, methods_of
from toptwo.streams import Random
from toptwo.sweeps.arrays import arrays_of

MAIN = ("__main__", "__mp_main__")
"""Modules whose classes travel to workers with the cells, or are read there from the same script."""

_digests: dict[tuple[tuple[type, ...], str, bool], str] = {}
"""Digests by the classes of the rules that are run, the engine, and whether all of them count."""


def code_of(setup: Any, player: str) -> str:
    """Return a digest of the code that answers: rules, loop, engine and version."""
    return _digest(setup, player, True)


def installed_code(setup: Any, player: str) -> str:
    """Return a digest of what must be the same where a cell is computed: all code but that which travels with it."""
    return _digest(setup, player, False)


def _digest(setup: Any, player: str, everything: bool) -> str:
    kinds = tuple(type(rule) for rule in components(setup))
    key = (kinds, player, everything)
    if key not in _digests:
        rules = (
            (setup,)
            if everything or not any(kind.__module__ in MAIN for kind in kinds)
            else tuple(method for kind in kinds if kind.__module__ not in MAIN for method in methods_of(kind).values())
        )
        code = Code(*rules, Random([0]), play_runs, origins_of, arrays_of).digest
        own = device_sources() if player == "cuda" else ""
        _digests[key] = hashlib.sha256(f"{__version__} {code} {own}".rstrip().encode()).hexdigest()[:12]
    return _digests[key]


@cache
def device_sources() -> str:
    """Return a digest of what makes a GPU play runs, which no rule refers to: kernel, lanes, strips, options."""
    folder = Path(engine.__file__).parent
    sources = (*sorted((folder / "cuda").glob("*.py")), folder / "options.py")
    found = hashlib.sha256()
    for source in sources:
        found.update(f"/{source.name}/".encode() + source.read_bytes())
    return found.hexdigest()
