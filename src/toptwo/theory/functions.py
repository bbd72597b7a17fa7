"""The paper's special functions and confidence bonuses, for numbers and arrays."""

import numpy as np
from numpy.typing import ArrayLike

from toptwo import checks, special
from toptwo.theory.arguments import FloatOrArray, Floats, numbers, unwrap


def lambert_bar(x: ArrayLike) -> FloatOrArray:
    """Return W̄(x) = −W₋₁(−e^{−x}), the root u ≥ 1 of u − ln u = x, for x ≥ 1 (Lemma "properties of W̄").

    x + ln x ≤ W̄(x) ≤ x + ln x + min{½, 1/√x}.

    Examples
    --------
    >>> lambert_bar([1.0, 5.0, 1e6]).round(4)
    array([1.00000000e+00, 6.93680000e+00, 1.00001382e+06])
    """
    return unwrap(_lambert_bar(numbers("x", x, 1.0)))


def _lambert_bar(x: Floats) -> Floats:
    return np.asarray(np.vectorize(special.lambert_bar, otypes=[float])(x))


def calibration_gaussian(x: ArrayLike) -> FloatOrArray:
    """Return C_G(x) = min over λ in (½, 1] of (g_G(λ) + x)/λ (Kaufmann and Koolen, in appendix "Concentration").

    The paper's C_G(x) ≈ x + ln x is an asymptotic remark: up to x = 6.1 it is *below* C_G and no substitute.

    Examples
    --------
    >>> calibration_gaussian([1.0, 2.0, 5.0, 12.0]).round(3)
    array([ 2.507,  3.583,  6.757, 14.016])
    """
    return unwrap(np.vectorize(special.calibration_gaussian, otypes=[float])(numbers("x", x, 0.0)))


def calibration_exponential(x: ArrayLike) -> FloatOrArray:
    """Return T(x) = 2h̃((h⁻¹(1+x) + ln 2ζ(2))/2), the calibration of one-parameter exponential families.

    Kaufmann and Koolen (2021, Theorem 7): h(u) = u − ln u, h⁻¹ = W̄, h̃(x) = e^{1/h⁻¹(x)} h⁻¹(x) for x ≥ h(1/ln 1.5),
    else 1.5(x − ln ln 1.5). The popular x + 4 ln(1 + x + √(2x)) is smaller up to x = 15 and proves nothing there.

    Examples
    --------
    >>> calibration_exponential([1.0, 5.0, 50.0]).round(3)
    array([ 9.105, 15.191, 65.134])
    """
    return unwrap(np.vectorize(special.calibration_exponential, otypes=[float])(numbers("x", x, 0.0)))


def bonus_union(samples: ArrayLike, *, alpha: float = 1.2, s: float = 1.2) -> FloatOrArray:
    """Return g_u(n) = 2α(1+s) ln n, the UCB leader's bonus by a union bound (Lemma "concentration per arm").

    Examples
    --------
    >>> round(bonus_union(1000), 3)
    36.473
    """
    rate, power = concentration_parameters(alpha, s)
    return unwrap(2.0 * rate * (1.0 + power) * np.log(numbers("samples", samples, 1.0)))


def bonus_mixture(samples: ArrayLike, *, alpha: float = 1.2, s: float = 1.2) -> FloatOrArray:
    """Return g_m(n) = W̄(2sα ln n + 2 ln(2 + α ln n) + 2), by mixtures of martingales (Lemma "improved concentration").

    At α = s = 1.2 it is below g_u from n = 37 on.

    Examples
    --------
    >>> round(bonus_mixture(1000), 3)
    29.956
    """
    rate, power = concentration_parameters(alpha, s)
    logarithm = np.log(numbers("samples", samples, 1.0))
    return unwrap(_lambert_bar(2.0 * power * rate * logarithm + 2.0 * np.log(2.0 + rate * logarithm) + 2.0))


def concentration_parameters(alpha: float, s: float) -> tuple[float, float]:
    """Return α and s, both checked to be above 1 as the paper's concentration events need them.

    Examples
    --------
    >>> concentration_parameters(1.0, 1.2)
    Traceback (most recent call last):
    toptwo.errors.InputError: alpha must be a finite number above 1, not 1.0.
    """
    return checks.at_least("alpha", alpha, 1.0, strict=True), checks.at_least("s", s, 1.0, strict=True)
