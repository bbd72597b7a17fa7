"""A slow, obviously right twin of the package's core: a second specification, written from the formulas.

Nothing here is shared with the package but the random streams and the constants of the mixture threshold. Every sum and
division is written as in the formula, and everything is worked out anew in every round. The order in which rules draw
from their stream is part of the specification:

- an argmax or argmin is one scan in index order; the m-th of equal values (m ≥ 2) costs one uniform u and replaces the
  arm kept if u·m < 1;
- among several arms that cost nothing against the leader, the TC challenger is drawn with one uniform;
- the recommendation stays on its arm as long as that arm is among the best;
- the leader draws first; a challenger that the proportion does not depend on draws only if it is pulled.

`run` plays one run of one algorithm, given by name or assembled from the classes below.
"""

from naive.algorithms import ALGORITHMS, ExploringFirst, TopTwo, Uniform, by_name, run
from naive.challengers import (
    ClosestTransportationCost,
    ImprovementOverLeader,
    LeastEvidence,
    ProbabilitySecond,
    Resampling,
    TransportationCost,
    TransportationCostImproved,
    TransportationCostWithSlack,
    normal_above,
    transportation_cost,
)
from naive.leaders import (
    EmpiricalBest,
    ExpectedImprovement,
    ProbabilityBest,
    RegretMinimiser,
    ThompsonSampling,
    UpperConfidenceBound,
    imed,
    log_expected_excess,
    log_probabilities_best,
    mixture_bonus,
    moss,
    union_bonus,
)
from naive.proportions import Anchored, Fixed, InformationDirected, Sampling, SharedTracking, Tracking
from naive.statistics import Data, others, recommend, scan
from naive.stopping import GLR, MixtureEvidence, calibration, stopping_rule

__all__ = [
    "ALGORITHMS",
    "GLR",
    "Anchored",
    "ClosestTransportationCost",
    "Data",
    "EmpiricalBest",
    "ExpectedImprovement",
    "ExploringFirst",
    "Fixed",
    "ImprovementOverLeader",
    "InformationDirected",
    "LeastEvidence",
    "MixtureEvidence",
    "ProbabilityBest",
    "ProbabilitySecond",
    "RegretMinimiser",
    "Resampling",
    "Sampling",
    "SharedTracking",
    "ThompsonSampling",
    "TopTwo",
    "Tracking",
    "TransportationCost",
    "TransportationCostImproved",
    "TransportationCostWithSlack",
    "Uniform",
    "UpperConfidenceBound",
    "by_name",
    "calibration",
    "imed",
    "log_expected_excess",
    "log_probabilities_best",
    "mixture_bonus",
    "moss",
    "normal_above",
    "others",
    "recommend",
    "run",
    "scan",
    "stopping_rule",
    "transportation_cost",
    "union_bonus",
]
