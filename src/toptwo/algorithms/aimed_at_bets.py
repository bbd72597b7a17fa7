"""Top Two algorithms whose challenger asks the betting rule, which is another one for every kind of family."""

from typing import Any, NamedTuple

from toptwo.algorithms.base import Question
from toptwo.algorithms.top_two import TopTwo
from toptwo.rules.stopping import Stopping
from toptwo.rules.thresholds import betting


class AimedAtBets(NamedTuple):
    """A Top Two algorithm with the challenger of rules/least_evidence.py."""

    rule: TopTwo

    def bind(self, question: Question) -> tuple[TopTwo, Stopping]:
        """Return the sampling rule that bets as the family allows; stopping is left to the threshold."""
        bets = betting(question.delta, question.arms, question.family)
        challenger: Any = self.rule.challenger
        return self.rule._replace(challenger=challenger._replace(bets=bets)), question.stopping
