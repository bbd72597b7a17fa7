"""Optional methods of rules: what happens if they are there, and what if not.

The compiled engine decides by the rule's type, at no cost.
"""

from typing import Any

from toptwo.families.base import Family
from toptwo.rules.round import Round
from toptwo.state import State


def pass_on(rule: Any, leader: int, arm: int, reward: float, size: int, state: State, family: Family) -> None:
    """Hand a reward to a rule with a method `learn`; `size` > 1 makes it the average of so many.

    The leader is −1 in the first pulls, which nobody led.
    """
    if hasattr(rule, "learn"):
        rule.learn(leader, arm, reward, size, state, family)


def batch_size(algorithm: Any, arm: int, now: Round) -> int:
    """Return how many rewards of an arm an algorithm wants before it looks again: 1 unless it has `batch_size`."""
    return int(algorithm.batch_size(arm, now)) if hasattr(algorithm, "batch_size") else 1


def answer(stopping: Any, now: Round) -> int:
    """Return the arm that a stopping rule which fires stands for: î unless it has a method `answer`."""
    return int(stopping.answer(now)) if hasattr(stopping, "answer") else now.best
