"""Arms that come later: what part of δ is for them, and how what was learnt is carried over (docs/studies.md)."""

from typing import Any

from toptwo.algorithms import resolve
from toptwo.algorithms.base import bind
from toptwo.algorithms.top_two import TopTwo
from toptwo.engine.rounds import Knowledge, knowledge
from toptwo.errors import InputError
from toptwo.memory import NOTHING, memory_of
from toptwo.optional import answers
from toptwo.study.designs.keeping import fill, plain

NO_ROOM = (
    "this study spends all of delta on the arms it began with: create it with more_arms=True, or begin another one and "
    "bring results along with study.add(arm, values)."
)


def share_of_delta(added: int) -> float:
    """Return the part of δ for stopping while so many arms have been added.

    One of the first arms may be the best, or any of the m added ones: 1/((m+1)(m+2)), which adds up to 1 over m, is
    divided by these m + 1.

    Examples
    --------
    >>> [round(1.0 / share_of_delta(added)) for added in range(4)]
    [2, 12, 36, 80]
    """
    return 1.0 / ((added + 1.0) ** 2 * (added + 2.0))


def first_share(algorithm: Any, more_arms: bool) -> float:
    """Return the part of δ for the arms of the start; refuse algorithms that one more would upset."""
    if not more_arms:
        return 1.0
    recipe = resolve(algorithm)
    if answers(recipe, bind) or not (isinstance(recipe, TopTwo) or memory_of(recipe) is NOTHING):
        raise InputError("more_arms is for Top Two algorithms, such as TTUCB, and for uniform.")
    return share_of_delta(0)


def carried_over(known: Knowledge, setup: Any, arms: int) -> Knowledge:
    """Return what is known, with room for more arms of which nothing is."""
    wider = knowledge(setup, arms)
    fill(wider, plain(known))
    return wider
