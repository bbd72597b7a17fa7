"""Families whose posteriors are Gamma laws: k events in exposure t, at an unknown rate.

Poisson rewards are S events in exposure N, and their mean is the rate; exponential rewards are N events in exposure S,
and their mean is one over the rate; rewards with a Gamma law of shape k are kN events in exposure kS.
"""

import math

from toptwo.families.numerics.draws import gamma_draw
from toptwo.families.numerics.mixture_prices import gamma_pair_price
from toptwo.families.one_parameter import LESS, OneParameter
from toptwo.special import log_gamma
from toptwo.state import State
from toptwo.streams import Random
from toptwo.tails import beta_tails, gamma_tails

LARGEST = 1.7e308
"""Means beyond this, which draws from a shape near 0 may bring about, are infinite."""

NOTHING = 1e-300
"""The exposure of an arm of which nothing was seen."""


class GammaConjugate(OneParameter):
    """What Poisson, exponential and Gamma rewards share."""

    def events(self, arm: int, state: State) -> float:
        """Return k."""
        raise NotImplementedError

    def exposure(self, arm: int, state: State) -> float:
        """Return t."""
        raise NotImplementedError

    def posterior_shape(self, arm: int, state: State) -> float:
        """Return the shape of the posterior of the rate under Jeffreys' prior; its rate is t."""
        raise NotImplementedError

    def rises(self) -> float:
        """Return 1 if the mean rises with the rate, −1 if it falls."""
        raise NotImplementedError

    def prior_scale(self) -> float:
        """Return the unit of the rates of the mixture's priors."""
        raise NotImplementedError

    def lowest_mean(self) -> float:
        """Return 0."""
        return 0.0

    def highest_mean(self) -> float:
        """Return infinity."""
        return math.inf

    def pair_price(self, a: int, b: int, state: State) -> float:
        """Return the price of the Gamma mixtures for both arms."""
        return gamma_pair_price(
            self.events(a, state),
            self.exposure(a, state),
            self.events(b, state),
            self.exposure(b, state),
            self.prior_scale(),
        )

    def evidence_against_mean(self, arm: int, value: float, state: State) -> float:
        """Return N d(μ̂, value) plus the price of the Gamma mixture of one arm (docs/intervals.md)."""
        events, exposure = self.events(arm, state), self.exposure(arm, state)
        price = gamma_pair_price(events, exposure, 0.0, NOTHING, self.prior_scale())  # which has the price 0
        return self.deviation(arm, value, state) * LESS + price / LESS

    def posterior_draw(self, arm: int, state: State, random: Random) -> float:
        """Return a draw of the mean: the rate is Gamma(shape, t) under Jeffreys' prior."""
        return self.tilted_draw(arm, 0.0, state, random)

    def tilt(self, arm: int, leader: int, state: State) -> float:
        """Return t that brings the two rates (shape ± t)/exposure together."""
        mine, other = self.exposure(arm, state), self.exposure(leader, state)
        lag = (self.posterior_shape(leader, state) * mine - self.posterior_shape(arm, state) * other) / (mine + other)
        return max(0.0, self.rises() * lag)

    def tilted_draw(self, arm: int, tilt: float, state: State, random: Random) -> float:
        """Return a draw of the mean when the shape of the rate is moved by the tilt."""
        draw = gamma_draw(self.posterior_shape(arm, state) + self.rises() * tilt, random)
        if self.rises() > 0.0:
            return draw / self.exposure(arm, state)
        exposure = self.exposure(arm, state)
        return exposure / draw if exposure < min(draw, 1.0) * LARGEST else math.inf

    def log_tilt(self, arm: int, tilt: float, state: State) -> float:
        """Return ln Γ(shape ± t)/Γ(shape) ∓ t ln exposure."""
        shape, shift = self.posterior_shape(arm, state), self.rises() * tilt
        return log_gamma(shape + shift) - log_gamma(shape) - shift * math.log(self.exposure(arm, state))

    def natural(self, x: float) -> float:
        """Return ln x."""
        return math.log(x)

    def from_natural(self, y: float) -> float:
        """Return e^y."""
        return math.exp(y)

    def log_slope(self, y: float) -> float:
        """Return y."""
        return y

    def natural_centre(self, arm: int, state: State) -> float:
        """Return ± ln shape/exposure."""
        return self.rises() * math.log(self.posterior_shape(arm, state) / self.exposure(arm, state))

    def log_density(self, arm: int, y: float, state: State) -> float:
        """Return the logarithm of the density of the posterior on the natural scale."""
        shape = self.posterior_shape(arm, state)
        log_x = self.rises() * y + math.log(self.exposure(arm, state))
        return shape * log_x - math.exp(log_x) - log_gamma(shape)

    def log_below(self, arm: int, y: float, state: State) -> float:
        """Return the logarithm of the probability to be below."""
        below, above = gamma_tails(
            self.posterior_shape(arm, state), self.exposure(arm, state) * math.exp(self.rises() * y)
        )
        return below if self.rises() > 0.0 else above

    def log_above(self, arm: int, y: float, state: State) -> float:
        """Return the logarithm of the probability to be above."""
        below, above = gamma_tails(
            self.posterior_shape(arm, state), self.exposure(arm, state) * math.exp(self.rises() * y)
        )
        return above if self.rises() > 0.0 else below

    def log_probability_above(self, arm: int, other: int, state: State) -> float:
        """Return ln P(θ_arm > θ_other): the share of one gamma variable in two has a Beta law."""
        mine, theirs = self.exposure(arm, state), self.exposure(other, state)
        below, above = beta_tails(
            self.posterior_shape(arm, state), self.posterior_shape(other, state), mine / (mine + theirs)
        )
        return above if self.rises() > 0.0 else below
