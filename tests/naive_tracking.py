"""Slow, obviously right twins of the competitors that track an allocation: TaS, TaS-C, EBS, FWS and DKM.

As in `naive`, nothing is shared with the package but the random streams; everything is worked out anew in every round,
and the order of draws is part of the specification. `t` is the number of pulls made when the decision is taken; the
recommended arm is data.recommended. Every class is made for one question and has

- `answer(data)`: the arm to answer with, or None to go on; draws nothing;
- `pull(data, random)`: the arm to pull, and how many times;
- `learn(arm, average)`: told of every pull or batch, the first pull of each arm included.
"""

import itertools
import math
from dataclasses import dataclass
from fractions import Fraction

from naive import others, scan, stopping_rule
from scipy.optimize import brentq
from scipy.special import logsumexp


@dataclass(frozen=True)
class Question:
    """What the runs of one algorithm have in common."""

    arms: int
    delta: float
    threshold: str
    sigma: float
    epsilon: float


class Twin:
    """Stops by the threshold of the question; pulls one arm at a time."""

    def __init__(self, question):
        self.question = question
        self.rule = stopping_rule(question.threshold, question.delta, question.arms)
        self.start()

    def start(self):
        """Set up what the algorithm remembers."""

    def answer(self, data):
        return data.recommended if self.rule.stops(data) else None

    def pull(self, data, random):
        return self.choose(data, random), 1

    def learn(self, arm, average):
        pass


def furthest_behind(wanted, data, random):
    """C-tracking: the arm of largest S_i − N_i."""
    return scan(range(data.arms), lambda i: wanted[i] - data.count[i], random)


def tied_best(data):
    mean = data.mean
    return [i for i in range(data.arms) if mean[i] == max(mean)]


# ----------------------------------------------------------------------------------------- Track-and-Stop and its kin


def optimal_weights(means):
    """w*(μ) of with x = rΔ_min², ρ_i = Δ_i/Δ_min, the root of Σ 1/(xρ_i² − 1)² = 1 is in [2, 1 + √(K−1)]."""
    best = max(range(len(means)), key=lambda i: means[i])
    gaps = {i: means[best] - means[i] for i in range(len(means)) if i != best}
    ratio = {i: gap / min(gaps.values()) for i, gap in gaps.items()}

    def excess(x):
        return sum(1 / (x * r * r - 1) ** 2 for r in ratio.values()) - 1

    low, high = 2.0, 1 + math.sqrt(len(gaps))
    if excess(low) <= 0:
        x = low
    elif excess(high) >= 0:
        x = high
    else:
        x = brentq(excess, low, high, xtol=1e-300, rtol=1e-15)
    share = {i: 1 / (x * r * r - 1) for i, r in ratio.items()}
    share[best] = 1.0
    return [share[i] / sum(share.values()) for i in range(len(means))]


def projected(weights, floor):
    """max(floor, w − c) with the c ≥ 0 that makes the sum 1: try every number of arms above the floor."""
    order = sorted(weights, reverse=True)
    if order[-1] >= floor:
        return list(weights)
    for above in range(len(order) - 1, 0, -1):
        c = (sum(order[:above]) + (len(order) - above) * floor - 1) / above
        if order[above - 1] - c >= floor >= order[above] - c:
            return [max(floor, w - c) for w in weights]
    raise AssertionError("no projection")


class TrackAndStopCumulative(Twin):
    """TaS-C (Garivier and Kaufmann 2016): C-tracking of w* projected on {w ≥ ½ (K² + t)^(−½)}."""

    def start(self):
        self.wanted = [0.0] * self.question.arms

    def weights(self, data):
        tied = tied_best(data)
        if len(tied) > 1:
            return [1 / len(tied) if i in tied else 0.0 for i in range(data.arms)]
        return optimal_weights(data.mean)

    def floor(self, data):
        return (data.arms**2 + sum(data.count)) ** -0.5 / 2

    def choose(self, data, random):
        weights = projected(self.weights(data), self.floor(data))
        self.wanted = [s + w for s, w in zip(self.wanted, weights, strict=True)]
        return furthest_behind(self.wanted, data, random)


class TrackAndStop(Twin):
    """TaS, D-tracking: the least pulled arm while one has fewer than √t − K/2 pulls, else the largest w*_i − N_i/t."""

    def choose(self, data, random):
        t, tied = sum(data.count), tied_best(data)
        if min(data.count) < math.sqrt(t) - data.arms / 2:
            return scan(range(data.arms), lambda i: -data.count[i], random)
        if len(tied) > 1:
            return scan(tied, lambda i: -data.count[i], random)
        weights = optimal_weights(data.mean)
        return scan(range(data.arms), lambda i: weights[i] - data.count[i] / t, random)


def most_balanced(best, lower, upper):
    """The point of a box, its best arm given, whose smallest optimal weight is largest (docstring of EBS)."""
    rest = [i for i in range(len(lower)) if i != best]
    common = min(upper[i] for i in rest)
    return [upper[best] if i == best else max(lower[i], common) for i in range(len(lower))]


class ExplorationBiased(Twin):
    """EBS (Barrier, Garivier and Kocák 2022): track w* at the point of a confidence box that is kindest to all arms.

    Let best arm b be given, a_i = w*_i/w*_b: Σ a_i² = 1 and 1 + 1/a_i = rΔ_i². Growing one gap Δ_k that is not
    the largest lowers r; with ε = −dr/r > 0, da_i = ε a_i(1 + a_i) for i ≠ k and da_k < 0. The smallest weight
    a_m/(1 + Σ a) then grows: d ln = ε(1 + a_m) − Σ da/(1 + Σ a), and Σ da < ε Σ (a_i + a_i²) ≤ ε(1 + Σ a). Only ratios
    of gaps matter, so the smallest weight grows with each Δ_i/Δ_max: b belongs at its top, the lowest other mean as
    high as it may be, which is the least upper end, and every other as low as it may be above that.
    """

    def start(self):
        self.wanted = [0.0] * self.question.arms

    def box(self, data):
        width = [data.sigma * math.sqrt(2 * math.log(4 * data.arms * n**2 / 0.1) / n) for n in data.count]
        lower = [mean - w for mean, w in zip(data.mean, width, strict=True)]
        upper = [mean + w for mean, w in zip(data.mean, width, strict=True)]
        return lower, upper

    def choose(self, data, random):
        weights = biased_weights(data.mean, *self.box(data))
        self.wanted = [s + w for s, w in zip(self.wanted, weights, strict=True)]
        return furthest_behind(self.wanted, data, random)


def biased_weights(mean, lower, upper):
    """w* at the point of the box, over all candidates for the best arm."""
    arms = range(len(mean))
    candidates = [b for b in arms if upper[b] > max(lower[a] for a in arms if a != b)]

    def can_be_equal(b):
        return max(lower[a] for a in arms if a != b) <= min(upper[a] for a in arms if a != b)

    equal = [b for b in candidates if can_be_equal(b)]
    if equal:
        # The others meet below the best arm; how far below does not matter.
        best = max(equal, key=lambda b: mean[b])
        return optimal_weights([1.0 if i == best else 0.0 for i in arms])
    return max((optimal_weights(most_balanced(b, lower, upper)) for b in candidates), key=min)


# ------------------------------------------------------------------------------------------------------ Frank-Wolfe


def game(best, rows):
    """Solve max over z in the simplex of min over j of z_b p_j + z_j q_j − f_j, where rows[j] = (p_j, q_j, f_j).

    A linear program has a best vertex, and here every vertex has its arms j with z_j > 0 all at the minimum, as well
    as one more arm of J if z_b > 0. All are tried, in rational arithmetic; of several best, up to rounding,
    the one of smallest z_b.
    """
    rows = {j: [Fraction(number) for number in row] for j, row in rows.items()}
    points = []
    for size in range(len(rows) + 1):
        for chosen in itertools.combinations(rows, size):
            if chosen:
                level = (1 - sum(f / q for _, q, f in map(rows.get, chosen))) / sum(1 / rows[j][1] for j in chosen)
                points.append({best: Fraction(0)} | {j: (level + rows[j][2]) / rows[j][1] for j in chosen})
            for k in set(rows) - set(chosen):
                pk, _, fk = rows[k]
                slope = 1 + sum((pk - p) / q for p, q, _ in map(rows.get, chosen))
                if slope != 0:
                    z = (1 - sum((f - fk) / q for _, q, f in map(rows.get, chosen))) / slope
                    points.append(
                        {best: z} | {j: (z * (pk - rows[j][0]) + rows[j][2] - fk) / rows[j][1] for j in chosen}
                    )

    def value(z):
        return min(z[best] * p + z.get(j, 0) * q - f for j, (p, q, f) in rows.items())

    feasible = [z for z in points if min(z.values()) >= 0 and sum(z.values()) == 1]
    best_value, unit = max(map(value, feasible)), max(p + q for p, q, _ in rows.values())
    return min((z for z in feasible if value(z) >= best_value - unit / 10**12), key=lambda z: z[best])


class FrankWolfe(Twin):
    """FWS (Wang, Tzeng and Proutiere 2021): Frank-Wolfe steps on the allocation, gradients of an r-subdifferential.

    After the step at t pulls, t x = (K−1)/K + Σ z. Kept is K t x, a whole number as long as every z is uniform or a
    corner: many x_i/N_i and x_i are equal then, and must be so in floating point too.
    """

    exponent = 0.9

    def start(self):
        self.x = [self.question.arms - 1.0] * self.question.arms

    def direction(self, data):
        t, arms, best, mean = sum(data.count), data.arms, data.recommended, data.mean
        if math.isqrt(t // arms) ** 2 == t // arms or len(tied_best(data)) > 1:
            return [1 / arms] * arms
        x, rows = [share / (arms * (t - 1)) for share in self.x], {}
        for j in others(best, data):
            c = (mean[best] - mean[j]) ** 2 / (2 * data.sigma**2)
            pair = x[best] + x[j]
            rows[j] = (c * (x[j] / pair) ** 2, c * (x[best] / pair) ** 2, c * x[best] * x[j] / pair)
        limit = min(f for _, _, f in rows.values()) + t**-self.exponent / arms
        z = game(best, {j: row for j, row in rows.items() if row[2] < limit})
        return [float(z.get(i, 0)) for i in range(arms)]

    def choose(self, data, random):
        self.x = [x + data.arms * z for x, z in zip(self.x, self.direction(data), strict=True)]
        return scan(range(data.arms), lambda i: self.x[i] / data.count[i], random)


# -------------------------------------------------------------------------------------------------------------- DKM


class Hedge:
    """AdaHedge: losses so far and the gap between its loss and the mix loss."""

    def __init__(self, arms, gap=0.01):
        self.loss = [0.0] * arms
        self.gap = gap

    @property
    def rate(self):
        return math.log(len(self.loss)) / self.gap

    def weights(self):
        parts = [math.exp(-self.rate * (loss - min(self.loss))) for loss in self.loss]
        return [part / sum(parts) for part in parts]

    def mix(self, losses):
        """M(L) = −ln(Σ exp(−ηL)/K)/η."""
        return -(logsumexp([-self.rate * loss for loss in losses]) - math.log(len(losses))) / self.rate

    def suffer(self, losses):
        after = [total + loss for total, loss in zip(self.loss, losses, strict=True)]
        own = sum(w * loss for w, loss in zip(self.weights(), losses, strict=True))
        self.gap += max(0.0, own - (self.mix(after) - self.mix(self.loss)))
        self.loss = after


class PureExplorationGame(Twin):
    """DKM (Degenne, Koolen and Ménard 2019): a learner per answer against nature's best response, optimistic gains.

    In the first rounds the two arms that nature moves are often equal in weight, pulls and gain. How floating-point
    numbers round then decides between them: `nudges` says for each round whether the best arm's gain comes out equal
    (0), a little higher (1) or lower (−1).
    """

    nudges = ()

    def start(self):
        arms = self.question.arms
        self.learners = [Hedge(arms) for _ in range(arms)]
        self.wanted = [0.0] * arms
        self.rounds = 0

    def nature(self, best, weights, data, random):
        """The arm that she moves, with the best one, to their weighted mean: the cheapest way to a wrong answer."""

        def cost(j):
            pair = weights[best] + weights[j]
            return weights[best] * weights[j] / pair * (data.mean[best] - data.mean[j]) ** 2 if pair > 0 else 0.0

        return scan(others(best, data), lambda j: -cost(j), random)

    def gains(self, best, rival, weights, data):
        """The larger of d(x, λ_i) at the ends x of the interval of arm i: at distance |μ̂_i − λ_i| + σ√(2 ln t/N_i)."""
        log_t, pair = math.log(sum(data.count)), weights[best] + weights[rival]
        gains = [log_t / n for n in data.count]
        for i, other in ((best, rival), (rival, best)):
            moved = (data.mean[best] - data.mean[rival]) * (weights[other] / pair if pair > 0 else 0.5)
            far = moved + data.sigma * math.sqrt(2 * log_t / data.count[i])
            gains[i] = far**2 / (2 * data.sigma**2)
        if self.rounds < len(self.nudges):
            gains[best] *= 1 + self.nudges[self.rounds] * 1e-13 * 5**self.rounds
        return gains

    def choose(self, data, random):
        best, learner = data.recommended, self.learners[data.recommended]
        weights = learner.weights()
        gains = self.gains(best, self.nature(best, weights, data, random), weights, data)
        learner.suffer([-gain for gain in gains])
        self.rounds += 1
        self.wanted = [s + w for s, w in zip(self.wanted, weights, strict=True)]
        return furthest_behind(self.wanted, data, random)
