"""Rules: one decision per class. Fields are parameters, one plain method is the decision.

Leaders, challengers, proportions, choices, bonuses, stopping rules and thresholds; `docs/write-your-own-rule.md` shows
how to add one.
"""

from toptwo.rules.betting import Betting
from toptwo.rules.bonuses import MixtureBonus, UnionBonus
from toptwo.rules.challengers import (
    ImprovementOverLeader,
    ProbabilitySecond,
    Resampling,
    TransportationCost,
    TransportationCostImproved,
    TransportationCostWithSlack,
)
from toptwo.rules.choices import Anchored, Sampling, SharedTracking, Tracking
from toptwo.rules.leaders import (
    EmpiricalBest,
    ExpectedImprovement,
    ProbabilityBest,
    ThompsonSampling,
    UpperConfidenceBound,
)
from toptwo.rules.least_evidence import LeastEvidence
from toptwo.rules.proportions import Fixed, InformationDirected
from toptwo.rules.regret import MinimaxOptimal, MinimumEmpiricalDivergence, RegretMinimiser
from toptwo.rules.round import Round, highest, transportation_cost
from toptwo.rules.stopping import LikelihoodRatio, MixtureEvidence

__all__ = [
    "Anchored",
    "Betting",
    "EmpiricalBest",
    "ExpectedImprovement",
    "Fixed",
    "ImprovementOverLeader",
    "InformationDirected",
    "LeastEvidence",
    "LikelihoodRatio",
    "MinimaxOptimal",
    "MinimumEmpiricalDivergence",
    "MixtureBonus",
    "MixtureEvidence",
    "ProbabilityBest",
    "ProbabilitySecond",
    "RegretMinimiser",
    "Resampling",
    "Round",
    "Sampling",
    "SharedTracking",
    "ThompsonSampling",
    "Tracking",
    "TransportationCost",
    "TransportationCostImproved",
    "TransportationCostWithSlack",
    "UnionBonus",
    "UpperConfidenceBound",
    "highest",
    "transportation_cost",
]
