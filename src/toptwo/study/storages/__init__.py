"""Storages: what keeps the journals of studies. Found by URL, and loaded when used."""

from typing import Any

from toptwo.errors import InputError
from toptwo.study.storages.base import Entry, Kept, Storage, Turn
from toptwo.study.storages.memory import MemoryStorage

__all__ = ["Entry", "Kept", "MemoryStorage", "Storage", "Turn", "get_storage"]


def get_storage(storage: Any) -> Storage:
    """Return the storage for a URL, an object, or nothing (memory).

    Examples
    --------
    >>> get_storage(None).address()
    'memory'
    """
    if storage is None:
        return MemoryStorage()
    if isinstance(storage, str):
        try:
            from toptwo.study.storages.sql import SqlStorage
        except ModuleNotFoundError as problem:
            raise InputError(
                f"storage {storage!r} needs the package {problem.name}: install it with pip install 'toptwo[sql]' "
                "(SQLite) or 'toptwo[postgres]'."
            ) from None
        return SqlStorage(storage)
    if not hasattr(storage, "begin"):
        raise InputError(f"storage must be a URL such as 'sqlite:///studies.db' or a storage object, not {storage!r}.")
    kept: Storage = storage
    return kept
