"""The contract of a storage (toptwo/study/storages/base.py), checked by using it."""

import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from toptwo.errors import InputError, NameTakenError, StudyError
from toptwo.study.operations import Asked, Created, Failed, GivenBack, Leased, Operation, RowGivenUp, Told
from toptwo.study.storages.base import Kept, Storage

CREATED = Created({"arms": ["a", "ß", "日本"], "delta": 0.05}, {"3.11": "digest"}, "0")

OPERATIONS: tuple[Operation, ...] = (
    Asked((2,), 1, None, [0, 1, 0.1 + 0.2, 2**64 - 1], 1e9 + 0.25, "host:1"),
    Asked((0, 1), 3, {"fold": 2, "text": 'quote " and \\ and \n'}, None, None, "wörker"),
    Leased(0, 1e9 + 1.5, "host:2"),
    GivenBack(0),
    Told(0, 5e-324, 0.1, 1),
    Told(1, -1.7976931348623157e308, None, 1000),
    Failed(2, "no space left; 'quoted'"),
    Asked((1,), 1, None, [-1, -1, math.inf, 3], None, ""),
    RowGivenUp(3),
)
"""One of nearly every kind, with numbers and texts that are easily bent."""

PATIENCE = 10.0
"""Seconds after which something that should have happened has not."""


def check_storage(open_storage: Callable[[], Storage]) -> None:
    """Put a storage through its contract; raise AssertionError at the first breach.

    `open_storage` opens the same storage each time it is called (memory: returns the same object); what it holds under
    names that begin with "contract" is deleted in the end.

    Examples
    --------
    >>> from toptwo.study.storages import MemoryStorage
    >>> memory = MemoryStorage()
    >>> check_storage(lambda: memory)
    """
    for check in (
        _check_names,
        _check_journal,
        _check_rollback,
        _check_clock,
        _check_turns_exclude,
        _check_news,
        _check_what_needs_no_turn,
        _check_pulls_are_told_once,
        _check_snapshots,
        _check_what_was_said_last,
        _check_deletion,
    ):
        try:
            check(open_storage)
        finally:
            storage = open_storage()
            for name in storage.names():
                if name.startswith("contract"):
                    storage.delete(storage.find(name))


@contextmanager
def _refused(kind: type[Exception], words: str) -> Iterator[None]:
    """Expect an error of one line that contains some words."""
    try:
        yield
    except kind as problem:
        said = str(problem)
        assert words in said, f"the error must name {words!r}: {said!r}"
        assert "\n" not in said, f"an error is one sentence: {said!r}"
        return
    raise AssertionError(f"{kind.__name__} expected, about {words!r}")


def _check_names(open_storage: Callable[[], Storage]) -> None:
    storage, others = open_storage(), set(open_storage().names())
    first, second = storage.create("contract ä", CREATED), storage.create("contract b", CREATED)
    assert first != second, "keys must differ"
    assert set(storage.names()) == {*others, "contract ä", "contract b"}
    assert storage.names() == sorted(storage.names()), "names must be sorted"
    assert open_storage().find("contract ä") == first, "a study must be found by whoever opens the storage"
    with _refused(NameTakenError, "contract ä"):
        storage.create("contract ä", CREATED)
    with _refused(InputError, "contract c"):
        storage.find("contract c")
    assert len(storage.names()) == len(others) + 2, "what was refused must leave nothing"


def _write(storage: Storage, key: str, *operations: Operation) -> None:
    turn = storage.begin(key)
    for operation in operations:
        turn.append(operation)
    turn.commit()


def _check_journal(open_storage: Callable[[], Storage]) -> None:
    storage = open_storage()
    key, other = storage.create("contract a", CREATED), storage.create("contract b", CREATED)
    _write(storage, key, OPERATIONS[0])
    _write(storage, key, *OPERATIONS[1:4])
    _write(storage, other, OPERATIONS[4])
    _write(storage, key, *OPERATIONS[4:])
    for reader in (storage, open_storage()):
        found = [entry.operation for entry in reader.read(key)]
        assert _plain(found) == _plain([CREATED, *OPERATIONS]), "operations come back as written, in order"
        assert all(type(a) is type(b) for a, b in zip(found, [CREATED, *OPERATIONS], strict=True))
        assert _plain([entry.operation for entry in reader.read(key, 3, 5)]) == _plain(OPERATIONS[2:4])
        assert list(reader.read(key, len(OPERATIONS) + 1)) == [], "beyond the end there is nothing"
        assert len(reader.read(other)) == 2, "journals do not mix"
    times = [entry.at for entry in storage.read(key)]
    assert times == sorted(times), "times must not fall within a test of a second"


def _plain(operations: object) -> str:
    return repr(operations).replace("(", "[").replace(")", "]").replace(",]", "]")


def _check_rollback(open_storage: Callable[[], Storage]) -> None:
    storage = open_storage()
    key = storage.create("contract a", CREATED)
    turn = storage.begin(key)
    assert turn.length == 1, "a turn must know how long the journal is"
    turn.append(OPERATIONS[0])
    turn.append(OPERATIONS[1])
    turn.rollback()
    assert len(storage.read(key)) == 1, "a rollback must leave nothing"
    storage.begin(key).rollback()
    turn = storage.begin(key)
    assert turn.length == 1, "a rollback must not count"
    turn.append(OPERATIONS[4])
    turn.commit()
    writing = storage.begin(key)
    assert writing.length == 2
    writing.append(OPERATIONS[5])
    assert len(open_storage().read(key)) >= 2, "reading must not wait for a turn"
    writing.rollback()


def _check_clock(open_storage: Callable[[], Storage]) -> None:
    storage = open_storage()
    key = storage.create("contract a", CREATED)
    first = storage.begin(key)
    early = first.now
    first.rollback()
    time.sleep(0.05)
    second = storage.begin(key)
    assert 0.0 < second.now - early < PATIENCE, "the clock must run in seconds"
    second.append(OPERATIONS[0])
    second.commit()
    assert abs(storage.read(key)[1].at - second.now) < PATIENCE, "entries carry the clock"


def _check_turns_exclude(open_storage: Callable[[], Storage]) -> None:
    """Let threads write side by side: nothing may be lost, doubled or torn, and a turn must see what was before it."""
    storage = open_storage()
    key = storage.create("contract a", CREATED)
    problems: list[BaseException] = []

    def work(worker: int) -> None:
        try:
            mine = open_storage()
            for turn_number in range(10):
                turn = mine.begin(key)
                assert len(mine.read(key)) == turn.length, "a turn must see everything before it"
                turn.append(Told(worker, float(turn_number), None, 1))
                turn.append(Told(worker, float(turn_number) + 0.5, None, 1))
                turn.commit()
        except BaseException as problem:
            problems.append(problem)

    threads = [threading.Thread(target=work, args=(worker,)) for worker in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(6 * PATIENCE)
    assert not problems, f"a turn failed among others: {problems[0]!r}"
    told = [entry.operation for entry in storage.read(key)[1:]]
    assert len(told) == 80, "every turn must be there once"
    for first, second in zip(told[::2], told[1::2], strict=True):
        assert isinstance(first, Told)
        assert isinstance(second, Told)
        assert (first.pull, first.value + 0.5) == (second.pull, second.value), "turns must not interleave"


def _check_news(open_storage: Callable[[], Storage]) -> None:
    storage = open_storage()
    key = storage.create("contract a", CREATED)
    _write(storage, key, *OPERATIONS)
    for start in (0, 3, len(OPERATIONS) + 1):
        turn = open_storage().begin(key, start)
        assert _plain(list(turn.news)) == _plain(storage.read(key, start)), "a turn must bring the news it is asked for"
        turn.rollback()


def _check_what_needs_no_turn(open_storage: Callable[[], Storage]) -> None:
    storage = open_storage()
    key, other = storage.create("contract a", CREATED), storage.create("contract b", CREATED)
    _write(storage, key, *OPERATIONS)
    _write(storage, other, Told(9, 0.5, None, 1))
    length = len(OPERATIONS) + 1
    told = Told(9, 0.1 + 0.2, None, 1)
    assert storage.append(key, told, length) == length, "what is appended is the next entry"
    assert open_storage().append(key, told, length) is None, "a pull that others spoke of must be left alone"
    assert storage.append(key, GivenBack(8), length) == length + 1, "other pulls do not matter"
    assert storage.append(key, Told(0, 1.0, None, 1), 5) is None, "entries from the number on matter"
    assert storage.append(key, Told(0, 1.0, None, 1), 6) == length + 2, "entries before it do not"
    found = [entry.operation for entry in storage.read(key, length)]
    assert found == [told, GivenBack(8), Told(0, 1.0, None, 1)], "what is left alone must leave nothing"
    turn = storage.begin(key)
    assert turn.length == length + 3, "a turn must count what was appended"
    turn.append(told)
    turn.commit()
    assert len(storage.read(key)) == length + 4
    assert len(storage.read(other)) == 2


def _check_pulls_are_told_once(open_storage: Callable[[], Storage]) -> None:
    """Let threads tell the same pulls side by side, and take turns between."""
    storage = open_storage()
    key = storage.create("contract a", CREATED)
    problems: list[BaseException] = []
    numbers: list[int] = []

    def work(worker: int) -> None:
        try:
            mine = open_storage()
            for pull in range(20):
                number = mine.append(key, Told(pull, float(worker), None, 1), 1)
                if number is not None:
                    numbers.append(number)
                if pull % 5 == worker:
                    _write(mine, key, Asked((worker,), 1, None, None, None, ""))
        except BaseException as problem:
            problems.append(problem)

    threads = [threading.Thread(target=work, args=(worker,)) for worker in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(6 * PATIENCE)
    assert not problems, f"appending failed among others: {problems[0]!r}"
    found = [entry.operation for entry in storage.read(key)]
    told = [operation.pull for operation in found if isinstance(operation, Told)]
    assert sorted(told) == list(range(20)), "each pull must be told once"
    assert sorted(numbers) == [k for k, operation in enumerate(found) if isinstance(operation, Told)]
    assert len(found) == 1 + 20 + 16, "every turn must be there once"


def _check_snapshots(open_storage: Callable[[], Storage]) -> None:
    storage = open_storage()
    key = storage.create("contract a", CREATED)
    assert storage.snapshot(key) is None
    storage.keep_snapshot(key, Kept(5, '{"text": "ü"}'))
    storage.keep_snapshot(key, Kept(3, "older"))
    assert open_storage().snapshot(key) == Kept(5, '{"text": "ü"}'), "an older snapshot must not replace a newer one"
    storage.keep_snapshot(key, Kept(9, "x" * 100_000))
    assert storage.snapshot(key) == Kept(9, "x" * 100_000)


def _check_what_was_said_last(open_storage: Callable[[], Storage]) -> None:
    storage = open_storage()
    key = storage.create("contract a", CREATED)
    _write(storage, key, *OPERATIONS)
    assert storage.last_about(key, 0) == OPERATIONS[4]
    assert storage.last_about(key, 2) == OPERATIONS[6]
    assert storage.last_about(key, 7) is None


def _check_deletion(open_storage: Callable[[], Storage]) -> None:
    storage = open_storage()
    key, other = storage.create("contract a", CREATED), storage.create("contract b", CREATED)
    _write(storage, key, *OPERATIONS)
    storage.keep_snapshot(key, Kept(2, "kept"))
    open_storage().delete(key)
    assert "contract a" not in storage.names()
    assert len(storage.read(other)) == 1, "other studies stay"
    for use in (storage.read, storage.begin, storage.delete):
        with _refused(StudyError, "deleted"):
            use(key)
    with _refused(StudyError, "deleted"):
        storage.append(key, Told(0, 1.0, None, 1), 0)
    assert storage.create("contract a", CREATED) != key, "a key is never used again"
    assert len(storage.read(storage.find("contract a"))) == 1, "nothing is left of the one before"
