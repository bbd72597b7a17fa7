"""Proportions, and who of the two is pulled."""

from naive.statistics import others


class Fixed:
    adaptive = False

    def __init__(self, beta):
        self.beta = beta

    def share(self, leader, challenger, data):
        return self.beta


class InformationDirected:
    adaptive = True

    def share(self, leader, challenger, data):
        return data.count[challenger] / (data.count[leader] + data.count[challenger])


class Tracking:
    """One procedure per leader: pull B iff its pulls while it led are at most b_B, this round's β_n included."""

    def __init__(self):
        self.owed = {}
        self.own = {}

    def takes_leader(self, leader, share, data, random):
        self.owed[leader] = self.owed.get(leader, 0.0) + share
        takes = self.own.get(leader, 0) <= self.owed[leader]
        self.own[leader] = self.own.get(leader, 0) + takes
        return takes


class SharedTracking:
    """The ablation: one tracker for all leaders, pull B iff N_B ≤ β n."""

    def takes_leader(self, leader, share, data, random):
        return data.count[leader] <= share * data.round


class Anchored:
    """AT2's choice, in whole numbers: the leader iff Σ N_i² > N_B², the sum over the other arms."""

    def takes_leader(self, leader, share, data, random):
        return sum(data.count[i] ** 2 for i in others(leader, data)) > data.count[leader] ** 2


class Sampling:
    def takes_leader(self, leader, share, data, random):
        return random.uniform() < share
