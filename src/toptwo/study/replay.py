"""Decide everything once more from the journal, and compare: same journal, same decisions, bit for bit."""

from collections.abc import Iterable

from toptwo.study.damage import damaged
from toptwo.study.fold import Fold
from toptwo.study.journal import conclusion
from toptwo.study.operations import Asked, Concluded
from toptwo.study.question import StudyQuestion
from toptwo.study.storages.base import Entry


def first_difference(entries: Iterable[Entry], question: StudyQuestion) -> str:
    """Return in words the first decision of a journal that comes out differently, or nothing if all are the same.

    What was asked and the verdict are decided again; what was told is taken from the journal.
    """
    fold = Fold(question)
    for number, entry in enumerate(entries):
        operation = entry.operation
        if isinstance(operation, Asked):
            again = fold.design.choose(operation.times * len(operation.row))
            made = None if again is None else Asked(*again[:4], operation.deadline, operation.by)
            if made is None or made._replace(note=plain(made.note)) != operation._replace(note=plain(operation.note)):
                return f"operation {number} asked for {operation!r}; decided again it is {made!r}."
        elif isinstance(operation, Concluded):
            verdict = conclusion(fold)._replace(version=operation.version)
            if repr(verdict) != repr(operation):
                return f"operation {number} is the verdict {operation!r}; reached again it is {verdict!r}."
        try:
            fold.apply(operation, chosen=True)
        except (ValueError, KeyError, TypeError, IndexError, AttributeError) as problem:
            raise damaged(number, operation, problem) from problem
    return ""


def plain(note: object) -> object:
    """Return plain data with lists in place of tuples, as JSON brings them back."""
    return [plain(part) for part in note] if isinstance(note, list | tuple) else note
