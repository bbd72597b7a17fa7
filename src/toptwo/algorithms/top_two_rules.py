"""The Top Two algorithms of the literature, assembled from their rules."""

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

from toptwo import checks
from toptwo.algorithms.aimed_at_bets import AimedAtBets
from toptwo.algorithms.exploring import ExploringFirst
from toptwo.algorithms.top_two import TopTwo
from toptwo.rules import (
    Anchored,
    EmpiricalBest,
    ExpectedImprovement,
    Fixed,
    ImprovementOverLeader,
    InformationDirected,
    LeastEvidence,
    MinimaxOptimal,
    MinimumEmpiricalDivergence,
    MixtureBonus,
    ProbabilityBest,
    ProbabilitySecond,
    RegretMinimiser,
    Resampling,
    Sampling,
    SharedTracking,
    ThompsonSampling,
    Tracking,
    TransportationCost,
    TransportationCostImproved,
    TransportationCostWithSlack,
    UnionBonus,
    UpperConfidenceBound,
)

__all__ = ["AT2", "EBTC", "EBTCI", "T3C", "TTEI", "TTIMED", "TTLE", "TTMOSS", "TTPS", "TTTS", "TTUCB", "EBTCe"]

Beta: TypeAlias = float | Literal["ids"]

CHOICES: dict[str, Any] = {
    "tracking": Tracking(),
    "sampling": Sampling(),
    "shared": SharedTracking(),
    "anchored": Anchored(),
}
BONUSES: dict[str, Callable[[float, float], Any]] = {"mixture": MixtureBonus, "union": UnionBonus}
TIES = {"random": True, "closest": False}


def _proportion(beta: Beta) -> Fixed | InformationDirected:
    if beta == "ids":
        return InformationDirected()
    return Fixed(checks.probability("beta (a number, or 'ids' for adaptive proportions)", beta))


def _assemble(leader: Any, challenger: Any, beta: Beta, choice: str) -> TopTwo:
    return TopTwo(leader, challenger, _proportion(beta), checks.one_of("choice", choice, CHOICES))


def TTUCB(  # noqa: N802 (named as in the paper)
    beta: Beta = 0.5,
    *,
    ties: str = "random",
    choice: str = "tracking",
    bonus: str = "mixture",
    alpha: float = 1.2,
    s: float = 1.2,
) -> TopTwo:
    """Return TTUCB: UCB leader, TC challenger, tracking (Jourdan and Degenne, 2023, algorithm 1).

    Parameters
    ----------
    beta
        The leader's share, or "ids" for adaptive proportions.
    ties
        "random" as in the paper, or "closest": deterministic, and as good.
    choice
        "tracking", "sampling", "shared" (one tracker for all leaders, an ablation), or "anchored" (AT2's, which aims
        at the optimal allocation and does not look at `beta`).
    bonus, alpha, s
        "mixture" is g_m, "union" is g_u, with concentration parameters α, s > 1.

    Examples
    --------
    >>> TTUCB(ties="closest").challenger
    TransportationCost(random_ties=False)
    """
    at_random = checks.one_of("ties", ties, TIES)
    width = checks.one_of("bonus", bonus, BONUSES)(
        checks.at_least("alpha", alpha, 1.0, strict=True), checks.at_least("s", s, 1.0, strict=True)
    )
    return _assemble(UpperConfidenceBound(width, at_random), TransportationCost(at_random), beta, choice)


def T3C(beta: Beta = 0.5, *, ties: str = "random", choice: str = "sampling") -> TopTwo:  # noqa: N802
    """Return T3C: Thompson leader, TC challenger, sampling (Shang et al., 2020).

    Examples
    --------
    >>> T3C().choice
    Sampling()
    """
    at_random = checks.one_of("ties", ties, TIES)
    return _assemble(ThompsonSampling(), TransportationCost(at_random), beta, choice)


def TTTS(beta: Beta = 0.5, *, choice: str = "sampling") -> TopTwo:  # noqa: N802
    """Return TTTS: Thompson leader, resampling challenger, sampling (Russo, 2016).

    Examples
    --------
    >>> TTTS().challenger
    Resampling(redraws=2)
    """
    return _assemble(ThompsonSampling(), Resampling(), beta, choice)


def EBTC(beta: Beta = 0.5, *, ties: str = "random", choice: str = "sampling") -> TopTwo:  # noqa: N802
    """Return EB-TC: empirical best leader, TC challenger, sampling (Jourdan et al., 2022).

    Examples
    --------
    >>> EBTC(beta="ids").proportion
    InformationDirected()
    """
    at_random = checks.one_of("ties", ties, TIES)
    return _assemble(EmpiricalBest(), TransportationCost(at_random), beta, choice)


def EBTCI(beta: Beta = 0.5, *, ties: str = "random", choice: str = "sampling") -> TopTwo:  # noqa: N802
    """Return EB-TCI: empirical best leader, TCI challenger, sampling (Jourdan et al., 2022).

    Examples
    --------
    >>> EBTCI().leader
    EmpiricalBest()
    """
    at_random = checks.one_of("ties", ties, TIES)
    return _assemble(EmpiricalBest(), TransportationCostImproved(random_ties=at_random), beta, choice)


def EBTCe(  # noqa: N802
    beta: Beta = 0.5, *, slack: float = 0.1, ties: str = "random", choice: str = "tracking"
) -> TopTwo:
    """Return EB-TC_ε₀: empirical best leader, TC challenger with slack, tracking (Jourdan, Degenne and Kaufmann, 2023).

    Give the slack ε₀ in the units of the rewards: about the smallest difference that matters.

    Examples
    --------
    >>> EBTCe(slack=0.2).challenger
    TransportationCostWithSlack(slack=0.2, random_ties=True)
    """
    at_random = checks.one_of("ties", ties, TIES)
    width = checks.at_least("slack", slack, 0.0, strict=True)
    return _assemble(EmpiricalBest(), TransportationCostWithSlack(width, at_random), beta, choice)


def AT2(alpha: float = 0.5, *, ties: str = "random") -> ExploringFirst:  # noqa: N802
    """Return AT2: EB leader, TC challenger, anchored choice, forced exploration (Bandyopadhyay et al., 2024).

    Examples
    --------
    >>> AT2().rule.choice
    Anchored()
    """
    at_random = checks.one_of("ties", ties, TIES)
    rule = TopTwo(EmpiricalBest(), TransportationCost(at_random), Fixed(0.5), Anchored())
    return ExploringFirst(rule, checks.probability("alpha", alpha))


def TTLE(beta: Beta = "ids", *, choice: str = "tracking") -> AimedAtBets:  # noqa: N802
    """Return TTUCB whose challenger is the arm against which the betting rule has least evidence; adaptive by default.

    Examples
    --------
    >>> TTLE().rule.challenger.reach
    0.5
    """
    return AimedAtBets(_assemble(UpperConfidenceBound(MixtureBonus(), False), LeastEvidence(), beta, choice))


def TTEI(beta: Beta = 0.5, *, choice: str = "sampling") -> TopTwo:  # noqa: N802
    """Return TTEI: expected improvement for leader and challenger, sampling (Qin, Klabjan and Russo, 2017).

    Examples
    --------
    >>> TTEI().leader
    ExpectedImprovement(random_ties=True)
    """
    return _assemble(ExpectedImprovement(), ImprovementOverLeader(), beta, choice)


def TTPS(beta: Beta = 0.5, *, choice: str = "sampling") -> TopTwo:  # noqa: N802
    """Return TTPS: the two arms most probably best, sampling (Russo, 2016).

    Examples
    --------
    >>> TTPS().leader
    ProbabilityBest(random_ties=True)
    """
    return _assemble(ProbabilityBest(), ProbabilitySecond(), beta, choice)


def TTIMED(beta: Beta = 0.5, *, choice: str = "tracking") -> TopTwo:  # noqa: N802
    """Return Top Two with IMED as a regret-minimising leader (paper, section 3.3; Honda and Takemura, 2015).

    Examples
    --------
    >>> TTIMED().leader.minimiser
    MinimumEmpiricalDivergence(random_ties=True)
    """
    return _assemble(RegretMinimiser(MinimumEmpiricalDivergence()), TransportationCost(), beta, choice)


def TTMOSS(beta: Beta = 0.5, *, choice: str = "tracking") -> TopTwo:  # noqa: N802
    """Return Top Two with anytime MOSS as a regret-minimising leader (paper, section 3.3).

    Examples
    --------
    >>> TTMOSS().leader.minimiser
    MinimaxOptimal(alpha=1.35, random_ties=True)
    """
    return _assemble(RegretMinimiser(MinimaxOptimal()), TransportationCost(), beta, choice)
