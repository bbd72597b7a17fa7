"""The contract of storages, on all three of them, and on some that break it."""

import pytest

from toptwo.study.storages import MemoryStorage
from toptwo.study.storages.memory import MemoryJournal
from toptwo.testing import check_storage


def test_the_contract_holds(opened):
    check_storage(opened)


class Forgetful(MemoryStorage):
    """Keeps what was rolled back."""

    def begin(self, key, start=None):
        turn = super().begin(key, start)
        turn.length = len(turn.operations)
        turn.rollback = turn.commit
        return turn


class Unguarded(MemoryStorage):
    """Lets turns run into each other."""

    def begin(self, key, start=None):
        class Loose(MemoryJournal):
            def __init__(self, journal):
                self.journal, self.mine, self.news = journal, [], []
                self.now, self.length = 1.0, len(journal.operations)

            def append(self, operation):
                self.mine.append(operation)

            def commit(self):
                for operation in self.mine:
                    self.journal.times.append(1.0)
                    self.journal.operations.append(operation)

            def rollback(self):
                pass

        return Loose(self._journal(key))


class Rewinding(MemoryStorage):
    """Lets an older snapshot replace a newer one."""

    def keep_snapshot(self, key, kept):
        self._journal(key).snapshot = kept


class Bending(MemoryStorage):
    """Rounds what it is told."""

    def read(self, key, start=0, stop=None):
        return [
            entry._replace(operation=entry.operation._replace(value=round(entry.operation.value, 6)))
            if hasattr(entry.operation, "value")
            else entry
            for entry in super().read(key, start, stop)
        ]


class Deaf(MemoryStorage):
    """Begins a turn without the news."""

    def begin(self, key, start=None):
        return super().begin(key)


class Hasty(MemoryStorage):
    """Appends without a look at what others have written."""

    def append(self, key, operation, start):
        return super().append(key, operation, len(self.read(key)))


@pytest.mark.parametrize("kind", [Forgetful, Unguarded, Rewinding, Bending, Deaf, Hasty])
def test_storages_that_break_the_contract_are_found(kind):
    storage = kind()
    with pytest.raises((AssertionError, RuntimeError)):
        check_storage(lambda: storage)
