"""The optional hook `learn`: a rule that keeps statistics of its own is handed every reward."""

from typing import Any

from toptwo.families.base import Family
from toptwo.state import State


def pass_on(rule: Any, leader: int, arm: int, reward: float, state: State, family: Family) -> None:
    """Hand a reward to a rule that learns; the compiled engine decides by the rule's type, at no cost.

    The leader is −1 in the first pulls, which nobody led.
    """
    if hasattr(rule, "learn"):
        rule.learn(leader, arm, reward, state, family)
