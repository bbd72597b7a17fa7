"""Top Two algorithms by name, and one run of one of them."""

import math
from dataclasses import dataclass

from naive.challengers import (
    ImprovementOverLeader,
    LeastEvidence,
    ProbabilitySecond,
    Resampling,
    TransportationCost,
    TransportationCostImproved,
    TransportationCostWithSlack,
)
from naive.leaders import (
    EmpiricalBest,
    ExpectedImprovement,
    ProbabilityBest,
    RegretMinimiser,
    ThompsonSampling,
    UpperConfidenceBound,
    imed,
    moss,
)
from naive.proportions import Anchored, Fixed, InformationDirected, Sampling, Tracking
from naive.statistics import Data, recommend, scan
from naive.stopping import stopping_rule
from toptwo.engine.question import stream_label
from toptwo.streams import Random, fork, next_word, normal


@dataclass
class TopTwo:
    leader: object
    challenger: object
    proportion: object
    choice: object

    def pull(self, data, random):
        leader = self.leader.lead(data, random)
        if self.proportion.adaptive:
            challenger = self.challenger.challenge(leader, data, random)
            share = self.proportion.share(leader, challenger, data)
            return leader, leader if self.choice.takes_leader(leader, share, data, random) else challenger
        if self.choice.takes_leader(leader, self.proportion.share(leader, None, data), data, random):
            return leader, leader
        return leader, self.challenger.challenge(leader, data, random)

    def learn(self, leader, arm, reward, data):
        if hasattr(self.leader, "learn"):
            self.leader.learn(leader, arm, reward, data)
        if hasattr(self.challenger, "learn"):
            self.challenger.learn(arm, reward, data)


class ExploringFirst(TopTwo):
    """AT2's exploration: the least pulled arm first, while it has fewer than √n pulls; nobody leads then."""

    def pull(self, data, random):
        if min(data.count) < math.sqrt(sum(data.count)):
            return None, scan(range(data.arms), lambda i: -data.count[i], random)
        return super().pull(data, random)


class Uniform:
    def pull(self, data, random):
        return None, (data.round - 1) % data.arms

    def learn(self, leader, arm, reward, data):
        pass


ALGORITHMS = {
    "TTUCB": (UpperConfidenceBound, TransportationCost, Tracking),
    "T3C": (ThompsonSampling, TransportationCost, Sampling),
    "TTTS": (ThompsonSampling, Resampling, Sampling),
    "EB-TC": (EmpiricalBest, TransportationCost, Sampling),
    "EB-TCI": (EmpiricalBest, TransportationCostImproved, Sampling),
    "EB-TCe": (EmpiricalBest, TransportationCostWithSlack, Tracking),
    "TTEI": (ExpectedImprovement, ImprovementOverLeader, Sampling),
    "TTPS": (ProbabilityBest, ProbabilitySecond, Sampling),
    "TT-IMED": (lambda: RegretMinimiser(imed), TransportationCost, Tracking),
    "TT-MOSS": (lambda: RegretMinimiser(moss), TransportationCost, Tracking),
}


def by_name(name):
    """T- and S- force tracking and sampling, A- makes the proportion adaptive."""
    if name == "uniform":
        return Uniform()
    if name == "AT2":
        return ExploringFirst(EmpiricalBest(), TransportationCost(), Fixed(0.5), Anchored())
    if name == "TT-LE":
        return TopTwo(UpperConfidenceBound(), LeastEvidence(), InformationDirected(), Tracking())
    proportion, forced = Fixed(0.5), None
    while name not in ALGORITHMS:
        prefix, name = name[:2], name[2:]
        if prefix == "A-":
            proportion = InformationDirected()
        else:
            forced = {"T-": Tracking, "S-": Sampling}[prefix]
    leader, challenger, choice = ALGORITHMS[name]
    return TopTwo(leader(), challenger(), proportion, (forced or choice)())


def run(name, means, delta, threshold, seed=0, run=0, sigma=1.0, epsilon=0.0, max_samples=10**9, algorithm=None):
    """Play run number `run` of a seed; return samples, recommended arm, whether it was decided, and counts.

    `name` is what the package calls the algorithm, or the package's object; an object needs its twin as `algorithm`.
    """
    algorithm = algorithm or by_name(name)
    arms = len(means)
    root = fork(seed, run)
    positions = [fork(root, arm) for arm in range(arms)]
    random = Random([fork(root, stream_label(name))])
    rule = stopping_rule(threshold, delta, arms)
    data = Data(arms, sigma, epsilon)

    def pull(leader, arm):
        reward = means[arm] + sigma * normal(next_word(positions, arm))
        data.add(arm, reward)
        algorithm.learn(leader, arm, reward, data)

    for arm in range(arms):
        pull(None, arm)
    while True:
        data.recommended = recommend(data, random)
        decided = rule.stops(data)
        samples = sum(data.count)
        if decided or samples >= max_samples:
            return samples, data.recommended, decided, data.count
        pull(*algorithm.pull(data, random))
