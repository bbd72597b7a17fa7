"""Proportions: how often the leader is pulled rather than the challenger (paper, section 3.4)."""

from typing import NamedTuple, Protocol

from toptwo import checks
from toptwo.rules.round import Round


class Proportion(Protocol):
    """Chooses the leader's share β_n of a round."""

    def adaptive(self) -> bool:
        """Return whether the share depends on the challenger."""
        ...

    def share(self, leader: int, challenger: int, now: Round) -> float:
        """Return β_n; a share that is not adaptive must not look at the challenger."""
        ...


class Fixed(NamedTuple):
    """The same β in every round; T*_½ is at most r_K T*, r_K < 2 (docs/theory.md proves it)."""

    beta: float = 0.5

    def validate(self) -> None:
        """Refuse a share outside (0, 1)."""
        checks.probability("beta", self.beta)

    def adaptive(self) -> bool:
        """Return False."""
        return False

    def share(self, leader: int, challenger: int, now: Round) -> float:
        """Return β."""
        return self.beta


class InformationDirected(NamedTuple):
    """IDS: the share that balances what the two arms contribute to their cost (You et al., 2023; paper, 3.4)."""

    def requires(self) -> tuple[str, ...]:
        """Return what it asks of the family."""
        return ("leader_share",)

    def adaptive(self) -> bool:
        """Return True."""
        return True

    def share(self, leader: int, challenger: int, now: Round) -> float:
        """Return N_B d(μ̂_B, u) / (N_B d(μ̂_B, u) + N_C d(μ̂_C, u)), u the pooled mean."""
        return now.family.leader_share(leader, challenger, now.state)
