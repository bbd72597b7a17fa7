"""What conjugate mixtures cost: the log of the mixture likelihood of an arm's rewards minus its maximum.

Every price is at most 0. With it the mixture evidence of a pair is its separation plus the two prices, exactly
(docs/families.md, theorem 1).
"""

import math

from toptwo.special import stirling_excess

RATES = (50.0, 5.0, 0.5, 0.05, 0.005)
"""Rates b_g of the Gamma(½, b) priors of the mixture: their means 1/(2b) are 0.01, 0.1, 1, 10, 100."""

LOG_WEIGHTS = (math.log(0.1), math.log(0.2), math.log(0.4), math.log(0.2), math.log(0.1))
"""Logarithms of the weights w_g of these rates, which sum to 1."""


def beta_price(successes: float, failures: float) -> float:
    """Return ln B(S+½, F+½)/B(½, ½) − S ln(S/N) − F ln(F/N): Bernoulli rewards, Beta(½, ½) prior.

    Stirling's formula cancels all that is large.

    Examples
    --------
    >>> round(beta_price(1.0, 0.0), 12) == round(math.log(0.5), 12)
    True
    """
    count = successes + failures
    rest = stirling_excess(successes) + stirling_excess(failures) - stirling_excess(count + 0.5)
    grown = count * math.log1p(0.5 / count) - 0.5
    return rest + 0.5 * math.log(2.0 / math.pi) - grown - 0.5 * math.log(count + 0.5)


def gamma_price(events: float, exposure: float, rate: float) -> float:
    """Return ln ∫ λ^k e^{−λt} π(dλ) − (k ln(k/t) − k) under the prior Gamma(½, rate): k events in exposure t.

    Poisson rewards are S events in exposure N, exponential ones N events in exposure S.

    Examples
    --------
    >>> round(gamma_price(0.0, 3.0, 1.0), 12) == round(0.5 * math.log(0.25), 12)
    True
    """
    shrunk = 0.5 * math.log(2.0 * rate / (exposure + rate)) - events * math.log1p(rate / exposure)
    return shrunk + stirling_excess(events)


def gamma_pair_price(events_a: float, exposure_a: float, events_b: float, exposure_b: float, scale: float) -> float:
    """Return ln Σ_g w_g exp(price of a + price of b), under the rates b_g · scale: the pair shares the prior's rate."""
    total, shift = 0.0, -math.inf
    for g in range(len(RATES)):
        rate = RATES[g] * scale
        price = gamma_price(events_a, exposure_a, rate) + gamma_price(events_b, exposure_b, rate) + LOG_WEIGHTS[g]
        if price > shift:
            total = total * math.exp(shift - price) + 1.0
            shift = price
        else:
            total += math.exp(price - shift)
    return shift + math.log(total)
