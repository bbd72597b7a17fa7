"""How ties among challengers are broken decides the result (docs/reproduction.md)."""

from typing import NamedTuple

from toptwo.algorithms import TTUCB, TopTwo
from toptwo.experiments.experiment import Claim, Entrant, Experiment, Figure, Finding, Point
from toptwo.experiments.judging import ratios
from toptwo.experiments.paper.line_ups import random_instances
from toptwo.rules import TransportationCost
from toptwo.rules.round import Round
from toptwo.streams import Random
from toptwo.sweeps.tables import Table


class LowestIndex(NamedTuple):
    """TC in which the first arm above the leader challenges it."""

    otherwise: TransportationCost = TransportationCost()

    def challenge(self, leader: int, now: Round, random: Random) -> int:
        """Return the first arm that costs nothing."""
        means = now.state.means
        for i in range(len(means)):
            if i != leader and means[i] >= means[leader] + now.epsilon:
                return i
        return self.otherwise.challenge(leader, now, random)


class HighestMean(NamedTuple):
    """TC in which the empirical best challenges any other leader."""

    otherwise: TransportationCost = TransportationCost()

    def challenge(self, leader: int, now: Round, random: Random) -> int:
        """Return the empirical best if it costs nothing."""
        if leader != now.best and now.state.means[now.best] >= now.state.means[leader] + now.epsilon:
            return now.best
        return self.otherwise.challenge(leader, now, random)


class FewestPulls(NamedTuple):
    """TC in which the least pulled arm above the leader challenges it."""

    otherwise: TransportationCost = TransportationCost()

    def challenge(self, leader: int, now: Round, random: Random) -> int:
        """Return the least pulled arm that costs nothing."""
        state, arm = now.state, -1
        for i in range(len(state.means)):
            above = i != leader and state.means[i] >= state.means[leader] + now.epsilon
            if above and (arm < 0 or state.counts[i] < state.counts[arm]):
                arm = i
        if arm >= 0:
            return arm
        return self.otherwise.challenge(leader, now, random)


def _with(challenger: LowestIndex | HighestMean | FewestPulls) -> TopTwo:
    return TTUCB()._replace(challenger=challenger)


VARIANTS = (
    Entrant("TTUCB"),
    Entrant("TTUCB, closest", TTUCB(ties="closest")),
    Entrant("TTUCB, fewest pulls", _with(FewestPulls())),
    Entrant("TTUCB, empirical best", _with(HighestMean())),
    Entrant("TTUCB, lowest index", _with(LowestIndex())),
)


def points(size: str) -> tuple[Point, ...]:
    """Return the random instances with five ways to break ties."""
    return (random_instances(size, VARIANTS),)


def _no_cost(table: Table) -> Finding:
    return ratios(table.point(), [("TTUCB, closest", "TTUCB")], 0.95, 1.05)


def _matters(table: Table) -> Finding:
    pairs = [(f"TTUCB, {name}", "TTUCB") for name in ("lowest index", "empirical best")]
    return ratios(table.point(), pairs, 1.1, float("inf"))


EXPERIMENT = Experiment(
    name="ties",
    source="beyond the paper",
    title="Ways to break ties among challengers, random instances, K = 10, δ = 0.1",
    points=points,
    figures=(
        Figure(
            "ties",
            "boxes",
            "TTUCB with five ways to break ties: random instances, K = 10, δ = 0.1",
            "When the leader is not the empirical best, all arms above it cost nothing; the paper draws one (TTUCB).",
        ),
    ),
    claims=(
        Claim("Ties decide: lowest index or empirical best cost over 10 % more than a random draw.", "ours", _matters),
        Claim("Taking the closest instead makes TTUCB deterministic at no price [within 5 %].", "ours", _no_cost),
    ),
)
