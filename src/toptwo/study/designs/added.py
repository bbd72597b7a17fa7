"""Arms that come later: what part of δ is for them, and how what was learnt is carried over (docs/studies.md).

An arm can be asked for as soon as it is added. The verdict knows of it from the first pull on that was asked since:
what was asked before is read as if nobody had thought of it. Else values that are in, but not yet read, could lead to a
new arm, and the new arm to how these values are read (docs/betting.md, section 2).
"""

from collections import deque
from typing import TYPE_CHECKING, Any

from toptwo.algorithms import resolve
from toptwo.algorithms.base import bind
from toptwo.algorithms.top_two import TopTwo
from toptwo.engine.question import make_setup
from toptwo.engine.rounds import Knowledge, knowledge
from toptwo.engine.steps import Steps
from toptwo.engine.watching import watched
from toptwo.errors import InputError
from toptwo.families.base import mirrored
from toptwo.memory import NOTHING, memory_of
from toptwo.optional import answers
from toptwo.streams import Random
from toptwo.study.designs.keeping import fill, plain

if TYPE_CHECKING:
    from toptwo.study.designs.independent import Independent

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


def watched_setup(*arguments: Any, **options: Any) -> Any:
    """Return a setup whose rules are watched: a mistake of one is told with rule, line and cause."""
    return watched(make_setup(*arguments, **options))


def fit(design: "Independent", added: int) -> None:
    """Fit the rules of the verdict to the first arms and so many more."""
    design._share = share_of_delta(added)
    design.setup = design._fitted(design.arms - design.added + added, delta=design._delta * design._share)
    design.steps = Steps(design.setup)


def announce(design: "Independent", in_turn: bool) -> None:
    """Let one more arm be asked for. Not `in_turn`, as in journals of former versions, the verdict may know it now."""
    share, arms = share_of_delta(design.added + 1), design.arms + 1
    design._ahead = Steps(design._fitted(arms, delta=design._delta * share))
    design.known = carried_over(design.known, design._ahead.setup, arms)
    design.settled = carried_over(design.settled, design.setup, len(design.settled.state.means))
    design.steps = Steps(design.setup)  # no compiled ones: what is known is in lists again
    design._random = Random([int(design._random.position[0])])
    design._queues.append(deque())
    design._coming.append(design.pulls if in_turn else design.read)
    design.arms, design.added = arms, design.added + 1
    family = design._ahead.setup.family
    design._measured = family if design._sign > 0.0 else mirrored(family)
    design.diagnostics.grow(design._measured, arms)


def take_in(design: "Independent") -> None:
    """Let the verdict know the arms that were added before the next pull that it reads."""
    while design._coming and design._coming[0] <= design.read:
        design._coming.popleft()
        fit(design, design.added - len(design._coming))
        design.settled = carried_over(design.settled, design.setup, len(design.settled.state.means) + 1)
        design._unseen += 1
