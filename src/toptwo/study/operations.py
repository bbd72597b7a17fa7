"""What a study did: the operations of its journal, of which everything that it knows follows.

An operation is a NamedTuple of plain data (numbers, text, lists). Storages that keep text write it with `to_text` and
read it back with `from_text`; numbers come back bit for bit.
"""

import json
from typing import Any, NamedTuple, TypeAlias

from toptwo.errors import StudyError
from toptwo.study.recipes import decode, encode


class Created(NamedTuple):
    """A study began: the question it answers, and the code that decides."""

    question: dict[str, Any]
    code: dict[str, str]
    version: str
    """Of toptwo."""


class Asked(NamedTuple):
    """A row of arms was handed out, so many times: pulls with the next numbers, each a lease."""

    row: tuple[int, ...]
    times: int
    item: Any
    note: Any
    """What the design needs to take the choice in (designs/base.py)."""
    deadline: float | None
    """When the leases expire, by the storage's clock; None: never."""
    by: str
    """Who asked."""


class Leased(NamedTuple):
    """A pull whose lease had expired, or that was given back, was handed out again."""

    pull: int
    deadline: float | None
    by: str


class GivenBack(NamedTuple):
    """A pull was given back without a value: it can be handed out again at once."""

    pull: int


class RowGivenUp(NamedTuple):
    """A pull of a row was given back, or its lease had expired: nothing of the row counts, not even what was told."""

    pull: int


class Told(NamedTuple):
    """A pull got its value: the average of `size` measurements, if it stands for several."""

    pull: int
    value: float
    cost: float | None
    size: int


class Failed(NamedTuple):
    """A pull failed; what follows depends on the study's policy."""

    pull: int
    reason: str


class ResultsAdded(NamedTuple):
    """Results that existed already were brought along: pulls asked and told at once."""

    arm: int
    values: tuple[float, ...]
    size: int = 1
    """Of how many results each value is the average."""
    together: bool = False
    """Whether they are one step, in which their order says nothing; journals of before that have them one by one."""


class ArmAdded(NamedTuple):
    """One more option."""

    name: Any
    """As `recipes.encode` writes it."""
    in_turn: bool = False
    """Whether pulls asked before are read without it; in journals of before they may not be."""


class Concluded(NamedTuple):
    """The verdict, written once: what was found, on which data, by which rule."""

    status: str
    arm: int
    confidence: float
    proven: bool
    pulls: int
    """Measurements that it rests on."""
    cutoff: int
    """Operations of the journal that were known."""
    delta: float
    epsilon: float
    threshold: str
    assumption: str
    means: tuple[float, ...]
    counts: tuple[int, ...]
    version: str


Operation: TypeAlias = (
    Created | Asked | Leased | GivenBack | RowGivenUp | Told | Failed | ResultsAdded | ArmAdded | Concluded
)

KINDS: dict[str, type[Any]] = {
    "created": Created,
    "asked": Asked,
    "leased": Leased,
    "given back": GivenBack,
    "row given up": RowGivenUp,
    "told": Told,
    "failed": Failed,
    "results added": ResultsAdded,
    "arm added": ArmAdded,
    "verdict": Concluded,
}
"""The names of operations in storages."""

NAMES = {kind: name for name, kind in KINDS.items()}

TUPLES = {Asked: (0,), ResultsAdded: (1,), Concluded: (10, 11)}
"""Fields that JSON turns into lists."""


ABOUT_A_PULL = (Told, Failed, Leased, GivenBack, RowGivenUp)
"""Operations that speak of one pull."""

WRITE = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode

READ = json.JSONDecoder().raw_decode
"""What `json.loads` comes down to: a journal of a million operations feels the difference."""


def to_text(operation: Operation) -> str:
    """Return the fields of an operation as JSON of Python's kind, in which NaN and infinity may occur.

    Examples
    --------
    >>> to_text(Told(3, 0.1, None, 1))
    '[3,0.1,null,1]'
    """
    if isinstance(operation, Asked) and isinstance(operation.item, dict | tuple | list):
        operation = operation._replace(item=encode(operation.item, "items"))
    return WRITE(operation)


def from_text(name: str, text: str) -> Operation:
    """Return the operation of this name that a text stands for, or raise StudyError if it stands for none.

    Examples
    --------
    >>> from_text("told", "[3,0.1,null,1]")
    Told(pull=3, value=0.1, cost=None, size=1)
    """
    try:
        kind = KINDS[name]
        fields, end = READ(text)
        if end != len(text):
            raise ValueError(text)
        for place in TUPLES.get(kind, ()):
            fields[place] = tuple(fields[place])
        if kind is Asked:
            fields[2] = decode(fields[2])
        operation: Operation = kind(*fields)
    except (KeyError, ValueError, TypeError, IndexError):
        raise StudyError(
            f"the journal holds an operation {name!r} that this version cannot read ({text[:60]!r}): the database is "
            "damaged, or was written by a newer toptwo; restore a copy, or upgrade toptwo."
        ) from None
    return operation


def pull_of(operation: Operation) -> int | None:
    """Return the pull that an operation speaks of, if it is one."""
    return operation.pull if isinstance(operation, ABOUT_A_PULL) else None
