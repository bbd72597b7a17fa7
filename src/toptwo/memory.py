"""Memory: what a rule or a family keeps during a run, declared as a NamedTuple of shapes.

A field of the declaration says how much room it takes; during a run it holds the numbers, all zero at the start:

    class Counted(NamedTuple):
        pulls: Row = per_arm()
        rounds: Row = numbers(1)

A declaration may hold others, as an algorithm's memory holds those of its rules.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from toptwo.errors import InputError
from toptwo.optional import optional
from toptwo.records import is_record

ARMS = -1
"""A size that is the number of arms."""


class Room(NamedTuple):
    """The size of a field, one number per axis."""

    sizes: tuple[int, ...]


class Shared(NamedTuple):
    """Stands for memory laid out by somebody else: an arm's statistics as the family keeps them, or the sampler's."""

    owner: str


def per_arm(rows: int | None = None) -> Any:
    """Declare a row with one number per arm, or so many of them.

    Examples
    --------
    >>> per_arm(), per_arm(3)
    (Room(sizes=(-1,)), Room(sizes=(3, -1)))
    """
    return Room((ARMS,) if rows is None else (rows, ARMS))


def per_pair() -> Any:
    """Declare one number for each pair of arms: K rows of K."""
    return Room((ARMS, ARMS))


def numbers(count: int = 1) -> Any:
    """Declare a row of so many numbers, whatever the number of arms."""
    return Room((count,))


def statistics() -> Any:
    """Declare statistics of the arms (`State`), as the family keeps them, for a rule with its own view of rewards."""
    return Shared("family")


def of_sampler() -> Any:
    """Declare nothing new: the memory of the algorithm itself, for a stopping rule that belongs to it."""
    return Shared("sampler")


class Nothing(NamedTuple):
    """The memory of a part that keeps nothing."""


NOTHING = Nothing()


@optional
def memory(part: Any) -> Any:
    """Return what a part keeps during a run: a NamedTuple of `per_arm()`, `per_pair()`, `numbers(n)` and the like."""
    return NOTHING


def memory_of(part: Any) -> Any:
    """Return what a part declares to keep, or raise InputError if that is no such declaration.

    Examples
    --------
    >>> memory_of("a rule without memory")
    Nothing()
    """
    declared = memory(part)
    if not _is_declaration(declared) or isinstance(declared, Room):
        raise InputError(
            f"{type(part).__qualname__}.memory() must return a NamedTuple whose fields are per_arm(), per_pair(), "
            f"numbers(n) or other such tuples (docs/write-your-own-rule.md), not {declared!r}."
        )
    return declared


def _is_declaration(declared: Any) -> bool:
    if isinstance(declared, Room | Shared):
        return True
    return is_record(declared) and all(_is_declaration(field) for field in declared)


def laid_out(declared: Any, arms: int, new: Callable[..., Any], **owners: Any) -> Any:
    """Return memory with storage in place of shapes; `new(*sizes)` makes the storage of one field.

    `owners` are what the shared fields stand for.

    Examples
    --------
    >>> class Counted(NamedTuple):
    ...     pulls: list = per_arm()
    ...     rounds: list = numbers(1)
    >>> laid_out(Counted(), 3, zeros)
    Counted(pulls=[0.0, 0.0, 0.0], rounds=[0.0])
    """
    if isinstance(declared, Room):
        return new(*(arms if size == ARMS else size for size in declared.sizes))
    if isinstance(declared, Shared):
        if declared.owner not in owners:
            raise InputError("of_sampler() is for the memory of a stopping rule, not of other rules.")
        return owners[declared.owner]()
    return type(declared)(*(laid_out(field, arms, new, **owners) for field in declared))


def zeros(*sizes: int) -> list[Any]:
    """Return lists of zeros of these sizes.

    Examples
    --------
    >>> zeros(2, 3)
    [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """
    return [zeros(*sizes[1:]) if len(sizes) > 1 else 0.0 for _ in range(sizes[0])]
