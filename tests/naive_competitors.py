"""Slow, obviously right twins of the other competitors, those with a stopping rule of their own, and a run of any.

What a twin is: see `naive_tracking`.
"""

import itertools
import math

from naive import Data, others, recommend, scan, stopping_rule
from naive_tracking import (
    ExplorationBiased,
    FrankWolfe,
    PureExplorationGame,
    Question,
    TrackAndStop,
    TrackAndStopCumulative,
    Twin,
)
from scipy.integrate import quad
from scipy.special import ndtr

from toptwo.engine.question import stream_label
from toptwo.streams import Random, fork, next_word, normal

# ---------------------------------------------------------------------------------------------------------- LUCB kind


class Bounds(Twin):
    """Confidence bounds μ̂_i ± σ√(2c(t)/N_i)."""

    def start(self):
        self.with_evidence = False

    def radius(self, i, data):
        return data.sigma * math.sqrt(2 * self.level(sum(data.count)) / data.count[i])

    def upper(self, i, data):
        return data.mean[i] + self.radius(i, data)

    def lower(self, i, data):
        return data.mean[i] - self.radius(i, data)

    def separated(self, data):
        best = data.recommended
        highest = max(self.upper(i, data) for i in others(best, data))
        return self.lower(best, data) + data.epsilon >= highest

    def rival(self, data, random):
        return scan(others(data.recommended, data), lambda i: self.upper(i, data), random)


class Pairs(Bounds):
    """LUCB (Kalyanakrishnan et al. 2012): pull the best and its rival, both chosen before; then look again."""

    def start(self):
        super().start()
        self.second = None

    def answer(self, data):
        if self.with_evidence:
            return super().answer(data)
        in_the_middle = self.second is not None
        return data.recommended if not in_the_middle and self.separated(data) else None

    def choose(self, data, random):
        if self.second is not None:
            arm, self.second = self.second, None
            return arm
        self.second = self.rival(data, random)
        return data.recommended


class OfThreshold(Bounds):
    """The level is the threshold's; with the mixture evidence, which has none, it is ln(t/δ)."""

    def start(self):
        super().start()
        self.with_evidence = self.question.threshold == "mixture"
        question = self.question
        if self.with_evidence:
            self.level = lambda t: math.log(t / question.delta)
        else:
            self.level = stopping_rule(question.threshold, question.delta, question.arms).threshold


class LUCB(OfThreshold, Pairs):
    pass


class LUCB1(Pairs):
    def level(self, t):
        return math.log(5 * self.question.arms * t**4 / (4 * self.question.delta))


class KLLUCB(Pairs):
    """KL-LUCB (Kaufmann and Kalyanakrishnan 2013), α = 1.1, k₁ = 405.5."""

    def level(self, t):
        x = math.log(405.5 * self.question.arms * t**1.1 / self.question.delta)
        return x + math.log(x)


class HalfLUCB(OfThreshold):
    """1/2-LUCB: one pull per round, of the best with probability ½, else of its rival; looks at every t."""

    beta = 0.5

    def answer(self, data):
        if self.with_evidence:
            return super().answer(data)
        return data.recommended if self.separated(data) else None

    def choose(self, data, random):
        return data.recommended if random.uniform() < self.beta else self.rival(data, random)


class UGapE(Bounds):
    """UGapE (Gabillon et al. 2012): the arm whose gap to the others is surely least, and its rival."""

    def level(self, t):
        return math.log(4 * self.question.arms * t**3 / self.question.delta)

    def gap(self, k, data):
        return max(self.upper(i, data) for i in others(k, data)) - self.lower(k, data)

    def answer(self, data):
        least = min(range(data.arms), key=lambda k: self.gap(k, data))
        return least if self.gap(least, data) <= data.epsilon else None

    def choose(self, data, random):
        best = scan(range(data.arms), lambda k: -self.gap(k, data), random)
        rival = scan(others(best, data), lambda i: self.upper(i, data), random)
        return rival if data.count[rival] < data.count[best] else best


# ------------------------------------------------------------------------------------------------------------ lil'UCB


class LilUCB(Twin):
    """lil'UCB (Jamieson et al. 2014): stop when one arm has 1 + λ times the pulls of all others together."""

    slack, beta = 0.01, 1.0

    @property
    def ratio(self):
        return 9.0

    @property
    def confidence(self):
        """ν with 4√(cν) + 4cν = δ, c = (2 + ε)/ε · (1/ln(1 + ε))^(1 + ε)."""
        c = (2 + self.slack) / self.slack * (1 / math.log(1 + self.slack)) ** (1 + self.slack)
        return (math.sqrt(1 + self.question.delta) - 1) ** 2 / (4 * c)

    def index(self, i, data):
        n, stretch = data.count[i], 1 + self.slack
        if stretch * n <= 1:
            return math.inf
        bonus = math.sqrt(2 * stretch * math.log(math.log(stretch * n) / self.confidence) / n)
        return data.mean[i] + (1 + self.beta) * (1 + math.sqrt(self.slack)) * data.sigma * bonus

    def answer(self, data):
        most = max(range(data.arms), key=lambda i: data.count[i])
        return most if data.count[most] >= 1 + self.ratio * (sum(data.count) - data.count[most]) else None

    def choose(self, data, random):
        return scan(range(data.arms), lambda i: self.index(i, data), random)


class LilUCBHeuristic(LilUCB):
    slack, beta = 0.0, 0.5

    @property
    def ratio(self):
        return 1 + 10 / self.question.arms

    @property
    def confidence(self):
        return self.question.delta / 5


# ------------------------------------------------------------------------------------------- eliminations and phases


class Phased(Twin):
    """An algorithm told as a story: `story` yields (arm, size), is sent the average, and returns its answer.

    The first pull of each arm, made by the engine, is the first of the batch that the story asks for first.
    """

    def start(self):
        self.first = {}
        self.story_so_far = None
        self.wanted = None
        self.result = None

    def learn(self, arm, average):
        if self.story_so_far is None:
            self.first[arm] = average
            if len(self.first) == self.question.arms:
                self.story_so_far = self.story()
                self.go_on(None)
        else:
            self.go_on(average)

    def go_on(self, average):
        try:
            self.wanted = self.story_so_far.send(average)
        except StopIteration as end:
            self.result = end.value

    def answer(self, data):
        return self.result

    def pull(self, data, random):
        return self.wanted

    def sample(self, survivors, quota):
        """Averages of `quota` pulls of each survivor."""
        average = {}
        for arm in survivors:
            first = self.first.pop(arm, None)
            if first is None:
                average[arm] = yield arm, quota
            elif quota == 1:
                average[arm] = first
            else:
                rest = yield arm, quota - 1
                average[arm] = (first + (quota - 1) * rest) / quota
        return average


class SuccessiveElimination(Phased):
    """SE (Even-Dar, Mannor and Mansour 2006), rewards of deviation σ: α_m = 2σ√(ln(5Km²/δ)/m)."""

    def story(self):
        q = self.question
        survivors, total = list(range(q.arms)), [0.0] * q.arms
        for m in itertools.count(1):
            for arm, reward in (yield from self.sample(survivors, 1)).items():
                total[arm] += reward
            alpha = 2 * q.sigma * math.sqrt(math.log(5 * q.arms * m**2 / q.delta) / m)
            best = max(survivors, key=lambda i: total[i])
            survivors = [i for i in survivors if i == best or total[best] / m - total[i] / m < 2 * alpha]
            if len(survivors) == 1 or 2 * alpha <= q.epsilon:
                return best


class ExponentialGap(Phased):
    """Exp-Gap (Karnin, Koren and Somekh 2013); its counts are for rewards in [0, 1], of deviation at most ½."""

    def quota(self, times, accuracy, log):
        return math.ceil(4 * self.question.sigma**2 * times / accuracy**2 * log)

    def story(self):
        survivors = list(range(self.question.arms))
        for r in itertools.count(1):
            accuracy, risk = 2.0**-r / 4, self.question.delta / (50 * r**3)
            average = yield from self.sample(survivors, self.quota(2, accuracy, math.log(2 / risk)))
            reference = yield from self.median_elimination(survivors, accuracy / 2, risk)
            survivors = [i for i in survivors if average[i] >= average[reference] - accuracy]
            if len(survivors) == 1:
                return survivors[0]

    def median_elimination(self, survivors, accuracy, risk):
        accuracy, risk = accuracy / 4, risk / 2
        while len(survivors) > 1:
            average = yield from self.sample(survivors, self.quota(4, accuracy, math.log(3 / risk)))
            ranked = sorted(survivors, key=lambda i: (-average[i], i))
            survivors = sorted(ranked[: math.ceil(len(ranked) / 2)])
            accuracy, risk = accuracy * 3 / 4, risk / 2
        return survivors[0]


def gaussian_width(n):
    """E max of n standard normals: ∫₀^∞ (1 − Φⁿ(x)) − Φⁿ(−x) dx."""
    return quad(lambda x: 1 - ndtr(x) ** n - ndtr(-x) ** n, 0, 40, epsabs=1e-13, epsrel=1e-13, limit=200)[0]


class Peace(Phased):
    """Peace (Katz-Samuels et al. 2020) for unstructured arms: phases whose length is set by the Gaussian width."""

    def story(self):
        q = self.question
        survivors = list(range(q.arms))
        for k in itertools.count(1):
            accuracy, risk = 2.0**-k, q.delta / (k * (k + 1))
            width = 2 * gaussian_width(len(survivors)) + 2 * math.sqrt(math.log(1 / risk))
            average = yield from self.sample(survivors, math.ceil(q.sigma**2 * width**2 / accuracy**2))
            best = max(survivors, key=average.get)
            survivors = [i for i in survivors if average[i] >= average[best] - accuracy]
            if len(survivors) == 1 or 2 * accuracy <= q.epsilon:
                return best


# -------------------------------------------------------------------------------------------------------------- a run

COMPETITORS = {
    "TaS": TrackAndStop,
    "TaS-C": TrackAndStopCumulative,
    "FWS": FrankWolfe,
    "DKM": PureExplorationGame,
    "EBS": ExplorationBiased,
    "LUCB": LUCB,
    "1/2-LUCB": HalfLUCB,
    "LUCB1": LUCB1,
    "KL-LUCB": KLLUCB,
    "UGapE": UGapE,
    "SE": SuccessiveElimination,
    "lilUCB": LilUCB,
    "lilUCB-heuristic": LilUCBHeuristic,
    "Exp-Gap": ExponentialGap,
    "Peace": Peace,
}


def run(name, means, delta, threshold, seed=0, run=0, sigma=1.0, epsilon=0.0, max_samples=10**9, twin=None, label=None):
    """Play run number `run` of a seed; return samples, recommended arm, whether it was decided, and counts.

    `twin` is the class to play instead of the one of that name, `label` the stream instead of the package's for it.
    """
    arms = len(means)
    algorithm = (twin or COMPETITORS[name])(Question(arms, delta, threshold, sigma, epsilon))
    root = fork(seed, run)
    positions = [fork(root, arm) for arm in range(arms)]
    random = Random([fork(root, stream_label(name) if label is None else label)])
    data = Data(arms, sigma, epsilon)

    def pull(arm, size):
        """One word of the arm's stream makes the average of a whole batch."""
        average = means[arm] + sigma / math.sqrt(size) * normal(next_word(positions, arm))
        data.total[arm] += size * average
        data.count[arm] += size
        return average

    for arm in range(arms):
        algorithm.learn(arm, pull(arm, 1))
    while True:
        data.recommended = recommend(data, random)
        answer, samples = algorithm.answer(data), sum(data.count)
        if answer is not None:
            return samples, answer, True, data.count
        if samples >= max_samples:
            return samples, data.recommended, False, data.count
        arm, size = algorithm.pull(data, random)
        average = pull(arm, min(size, max_samples - samples))
        if size <= max_samples - samples:
            algorithm.learn(arm, average)
