"""Families made wrong on purpose: each must be found out by the judge."""

import math


class Wrong:
    """A family with some of its answers replaced; a replacement is called with the family and the arguments."""

    def __init__(self, family, **replaced):
        self._family, self._replaced = family, replaced

    def __getattr__(self, name):
        if name in self._replaced:
            return lambda *arguments: self._replaced[name](self._family, *arguments)
        return getattr(self._family, name)


def replacing(**replaced):
    """What makes a family wrong in this way."""
    return lambda family: Wrong(family, **replaced)


def potentials(family, a, b, epsilon, state):
    """The Poisson separation as a difference of potentials N x ln x: right on paper, without digits at large means."""
    if epsilon > 0.0:
        return family.separation(a, b, epsilon, state)
    sums = [state.counts[arm] * state.means[arm] for arm in (a, b)]
    pooled = sum(sums) / (state.counts[a] + state.counts[b])
    parts = [total * math.log(state.means[arm] or 1.0) for arm, total in zip((a, b), sums, strict=True)]
    return max(0.0, sum(parts) - sum(sums) * math.log(pooled or 1.0))


def one_dip(family, a, b, epsilon, state):
    """The least likelihood ratio of two arms of unknown variance by one descent from the middle: one dip of two."""
    gap = state.means[a] - state.means[b] + epsilon
    pulls, squares = [state.counts[arm] for arm in (a, b)], [state.kept.squares[arm] for arm in (a, b)]
    if gap == 0.0 or min(squares) <= 0.0:
        return 0.0
    spreads = [math.sqrt(q / k) / abs(gap) for q, k in zip(squares, pulls, strict=True)]
    low, high = 0.0, 1.0
    for _ in range(200):
        x = 0.5 * (low + high)
        rises = (
            pulls[0] * x / math.hypot(spreads[0], x) ** 2 > pulls[1] * (1.0 - x) / math.hypot(spreads[1], 1.0 - x) ** 2
        )
        low, high = (low, x) if rises else (x, high)
    return sum(k * math.log(math.hypot(1.0, x / s)) for k, s, x in zip(pulls, spreads, (low, 1.0 - low), strict=True))


def raised_evidence(family, a, b, epsilon, state):
    """A millionth too much."""
    return family.evidence(a, b, epsilon, state) * (1.0 + 1e-6)


def lost_evidence(family, a, b, epsilon, state):
    """No number where there is evidence."""
    found = family.evidence(a, b, epsilon, state)
    return math.nan if found > 0.0 else found


def no_evidence(family, a, b, epsilon, state):
    """Never wrong, and of no use."""
    return 0.0


def forgets_margins(family, a, b, epsilon, state):
    """Falls with the margin."""
    return family.separation(a, b, epsilon, state) / (1.0 + epsilon)


def unit_of_its_own(family, a, b, epsilon, state):
    """A millionth less where means are large: not the same in other units."""
    size = abs(state.means[a]) + abs(state.means[b])
    return family.separation(a, b, epsilon, state) * (1.0 - 1e-6 * math.sin(size))


def eager(family, a, b, epsilon, level, state):
    """Says that arms are separated a millionth too early."""
    return family.separation(a, b, epsilon, state) * (1.0 + 1e-6) > level


def narrow(family, arm, width, state):
    """A bound at nine tenths of its width."""
    return family.upper_bound(arm, 0.9 * width, state)


def eager_below(family, arm, width, value, state):
    """Takes the bound for lower than it is."""
    return value >= family.upper_bound(arm, 0.9 * width, state)


def overstated(family, arm, value, state):
    """Too large a cost."""
    return family.deviation(arm, value, state) * (1.0 + 1e-6)


def understated(family, arm, value, state):
    """Too small a cost."""
    return family.deviation(arm, value, state) * (1.0 - 1e-6)


def first(family, width, state):
    """The first arm always leads."""
    return 0
