"""Storages: what keeps the journals of studies. Found by URL, and loaded when used."""

from importlib import import_module
from typing import Any

from toptwo.errors import InputError
from toptwo.study.storages.base import Entry, Kept, Storage, Turn
from toptwo.study.storages.memory import MemoryStorage

__all__ = ["Entry", "Kept", "MemoryStorage", "Storage", "Turn", "get_storage", "upgrade_storage"]


def get_storage(storage: Any, *, existing: bool = False) -> Storage:
    """Return the storage for a URL, an object, or nothing (memory); `existing`: a file must be there already.

    Examples
    --------
    >>> get_storage(None).address()
    'memory'
    """
    if storage is None:
        return MemoryStorage()
    if isinstance(storage, str):
        opened: Storage = _sql(storage).SqlStorage(storage, existing=existing)
        return opened
    if not hasattr(storage, "begin"):
        raise InputError(f"storage must be a URL such as 'sqlite:///studies.db' or a storage object, not {storage!r}.")
    kept: Storage = storage
    return kept


def upgrade_storage(url: str) -> tuple[str, str]:
    """Bring a database to this version's tables; return the revision before and after."""
    revisions: tuple[str, str] = _sql(url).upgrade_database(url)
    return revisions


def _sql(url: str) -> Any:
    """Return the module that knows databases."""
    try:
        return import_module("toptwo.study.storages.sql")
    except ModuleNotFoundError as problem:
        raise InputError(
            f"storage {url!r} needs the package {problem.name}: install it with pip install 'toptwo[sql]' (SQLite) or "
            "'toptwo[postgres]'."
        ) from None
