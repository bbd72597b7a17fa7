"""The competitors of the literature under their names (paper, section 4 and table 1)."""

from toptwo import checks
from toptwo.algorithms.confidence_bounds import BetaLowerUpper, LowerUpperConfidenceBound
from toptwo.algorithms.elimination import Peace, SuccessiveElimination
from toptwo.algorithms.exploration_biased import ExplorationBiased
from toptwo.algorithms.exponential_gap import ExponentialGap
from toptwo.algorithms.frank_wolfe import FrankWolfe
from toptwo.algorithms.game_solving import GameSolving
from toptwo.algorithms.gap_exploration import UnifiedGapExploration
from toptwo.algorithms.iterated_logarithm import LilUCB
from toptwo.algorithms.track_and_stop import TrackAndStop
from toptwo.algorithms.uniform import RoundRobin
from toptwo.rules.levels import DivergenceLevel, LowerUpperLevel
from toptwo.rules.tracking import CumulativeTracking, DirectTracking, Tracker

TRACKERS: dict[str, Tracker] = {"cumulative": CumulativeTracking(), "direct": DirectTracking()}


def TaS(tracking: str = "direct") -> TrackAndStop:  # noqa: N802 (named as in the literature)
    """Return Track-and-Stop with "direct" (D-) or "cumulative" (C-) tracking (Garivier and Kaufmann, 2016).

    D-tracking is what they use in experiments: C-tracking remembers the allocations of the first, poor estimates.

    Examples
    --------
    >>> TaS().tracking.least
    LeastPulled(random_ties=True)
    """
    return TrackAndStop(checks.one_of("tracking", tracking, TRACKERS))


def FWS() -> FrankWolfe:  # noqa: N802
    """Return Frank–Wolfe sampling (Wang, Tzeng and Proutiere, 2021).

    Examples
    --------
    >>> FWS().radius
    Radius()
    """
    return FrankWolfe()


def DKM() -> GameSolving:  # noqa: N802
    """Return the saddle-point algorithm of Degenne, Koolen and Ménard (2019), with AdaHedge.

    Examples
    --------
    >>> DKM().start
    0.01
    """
    return GameSolving()


def EBS(risk: float = 0.1) -> ExplorationBiased:  # noqa: N802
    """Return exploration-biased sampling with a confidence box of this risk (Barrier, Garivier and Kocák, 2022).

    Examples
    --------
    >>> EBS()
    ExplorationBiased(risk=0.1)
    """
    return ExplorationBiased(risk)


def LUCB() -> LowerUpperConfidenceBound:  # noqa: N802
    """Return LUCB with the bounds √(2c(n−1, δ)/N) of the threshold, as in the paper's experiments.

    With the threshold `mixture`, which is no such c, it samples by bounds with c = ln(t/δ) and stops by the mixture.

    Examples
    --------
    >>> LUCB()
    LowerUpperConfidenceBound(bounds=None)
    """
    return LowerUpperConfidenceBound()


def BetaLUCB(beta: float = 0.5) -> BetaLowerUpper:  # noqa: N802
    """Return β-LUCB: LUCB that pulls î with probability β and its challenger otherwise (paper, section 4).

    Examples
    --------
    >>> BetaLUCB()
    BetaLowerUpper(beta=0.5)
    """
    return BetaLowerUpper(beta)


def LUCB1() -> LowerUpperConfidenceBound:  # noqa: N802
    """Return LUCB with the bounds of its own paper (Kalyanakrishnan et al., 2012).

    Examples
    --------
    >>> LUCB1().bounds.__name__
    'LowerUpperLevel'
    """
    return LowerUpperConfidenceBound(LowerUpperLevel)


def KLLUCB() -> LowerUpperConfidenceBound:  # noqa: N802
    """Return KL-LUCB (Kaufmann and Kalyanakrishnan, 2013).

    Examples
    --------
    >>> KLLUCB().bounds.__name__
    'DivergenceLevel'
    """
    return LowerUpperConfidenceBound(DivergenceLevel)


def UGapE() -> UnifiedGapExploration:  # noqa: N802
    """Return UGapE with fixed confidence (Gabillon, Ghavamzadeh and Lazaric, 2012).

    Examples
    --------
    >>> UGapE()
    UnifiedGapExploration()
    """
    return UnifiedGapExploration()


def ExpGap() -> ExponentialGap:  # noqa: N802
    """Return exponential-gap elimination (Karnin, Koren and Somekh, 2013).

    Examples
    --------
    >>> ExpGap()
    ExponentialGap()
    """
    return ExponentialGap()


def Uniform() -> RoundRobin:  # noqa: N802
    """Return round robin over the arms (paper, theorem 5).

    Examples
    --------
    >>> Uniform()
    RoundRobin()
    """
    return RoundRobin()


__all__ = [
    "DKM",
    "EBS",
    "FWS",
    "KLLUCB",
    "LUCB",
    "LUCB1",
    "BetaLUCB",
    "ExpGap",
    "LilUCB",
    "Peace",
    "SuccessiveElimination",
    "TaS",
    "UGapE",
    "Uniform",
]
