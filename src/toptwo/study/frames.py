"""The history of a study as a table of pandas or polars, whichever is installed."""

from collections.abc import Sequence
from dataclasses import fields
from importlib import import_module
from typing import Any

from toptwo import checks
from toptwo.errors import InputError
from toptwo.study.history import PullRecord

LIBRARIES = {"pandas": "pandas", "polars": "polars"}


def columns_of(records: Sequence[PullRecord]) -> dict[str, list[Any]]:
    """Return a list per column; arms and items that are no plain values as text, which any table can hold."""
    names = [field.name for field in fields(PullRecord)]
    columns = {name: [getattr(record, name) for record in records] for name in names}
    for name in ("arm", "item"):
        kinds = {type(value) for value in columns[name]} - {type(None)}
        if len(kinds) > 1 or not kinds <= {str, int, float, bool}:
            columns[name] = [None if value is None else str(value) for value in columns[name]]
    return columns


def dataframe(records: Sequence[PullRecord], library: str | None = None) -> Any:
    """Return a data frame with a row per pull."""
    wanted = list(LIBRARIES) if library is None else [checks.one_of("library", library, LIBRARIES)]
    for name in wanted:
        try:
            return import_module(name).DataFrame(columns_of(records))
        except ModuleNotFoundError:
            continue
    raise InputError(f"a data frame needs {' or '.join(wanted)}: install it with pip install {wanted[0]}.")
