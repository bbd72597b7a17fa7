"""Orders to SQLite: calls, the answer to each of which is there at once; the disk is waited for afterwards."""

import contextlib
import math
import os
import sqlite3
import time
from collections.abc import Sequence

from toptwo.study.storages.orders import Order, Statement

FLUSH = Statement("flush", "")
"""Commits return before they are on disk, so that nobody holds the file's lock while a disk turns. This, given
afterwards, waits until all that was committed before is there, together with whoever else waits."""

HURRY = 0.05
"""Seconds after which the disk is waited for once more: a measurement that took longer is on disk when `tell` returns.
Of quicker ones thousands may come a second, of which a power cut may cost the last ones."""

synced = getattr(os, "fdatasync", os.fsync)


class Sqlite:
    """Orders are given one after the other."""

    begin: Order = (Statement("begin", "BEGIN IMMEDIATE"), {})  # a lock that is asked for later may fail without a wait

    def __init__(self) -> None:
        self._flushed = -math.inf  # when it was done here the last time

    def flush(self, *, single: bool) -> tuple[Order, ...]:
        """Return the order that waits for the disk, if it is time for that."""
        now = time.monotonic()
        if single and now < self._flushed + HURRY:
            return ()
        self._flushed = now
        return ((FLUSH, {}),)

    def run(self, driver: sqlite3.Connection, orders: Sequence[Order]) -> list[list[object]]:
        """Give orders and return the rows that each brings back."""
        found = []
        for statement, given in orders:
            if statement is FLUSH:
                flush_log(driver)
            else:
                found.append(driver.execute(statement.text, given).fetchall())
        return found

    def lost(self, driver: sqlite3.Connection) -> bool:
        """Return False: a file does not go away."""
        return False


def flush_log(driver: sqlite3.Connection) -> None:
    """Wait until the write-ahead log is on disk, in which commits are until they are in the file itself.

    What is no more in the log was on disk before it left it (`PRAGMA synchronous=NORMAL`), and a file without a log was
    written when it was committed.
    """
    file = driver.execute("PRAGMA database_list").fetchone()[2]
    with contextlib.suppress(FileNotFoundError):
        log = os.open(f"{file}-wal", os.O_RDWR | getattr(os, "O_BINARY", 0))
        try:
            synced(log)
        finally:
            os.close(log)
