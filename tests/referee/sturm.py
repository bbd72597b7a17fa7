"""All roots of a polynomial in (0, 1), by Sturm's theorem in whole numbers: none can be lost to rounding."""

from fractions import Fraction
from itertools import pairwise
from math import gcd, lcm

BITS = 260
"""Roots are found to so many bits below the first that differs from zero or one."""

DEEPEST = 6000


def roots_within(coefficients):
    """Points of (0, 1), each within one relative unit of 2^−BITS of a root; lowest coefficient first."""
    unit = lcm(*(Fraction(c).denominator for c in coefficients))
    polynomial = primitive([int(c * unit) for c in coefficients])
    polynomial = without(sturm_chain(polynomial)[-1], polynomial)
    chain = sturm_chain(polynomial)
    found, pending = [], [(0, 1, 0)]
    while pending:
        left, right, power = pending.pop()
        roots = changes(chain, left, power) - changes(chain, right, power)
        if roots == 1:
            found.append(refined(polynomial, chain, left, right, power))
        elif roots > 1:
            assert power < DEEPEST, "two roots that no number of bits tells apart"
            pending += [(2 * left, left + right, power + 1), (left + right, 2 * right, power + 1)]
    return found


def refined(polynomial, chain, left, right, power):
    """The one root in (left, right]/2^power; by signs where there is one at either end, else by counting."""
    if not value(polynomial, right, power):
        return Fraction(right, 1 << power)
    start = value(polynomial, left, power)
    while min(left, (1 << power) - right).bit_length() <= BITS:
        assert power < DEEPEST, "a root that no number of bits tells from an end"
        middle, right, power = left + right, 2 * right, power + 1
        left *= 2
        sign = value(polynomial, middle, power)
        if not sign:
            return Fraction(middle, 1 << power)
        beyond = (sign > 0) == (start > 0) if start else changes(chain, middle, power) > changes(chain, right, power)
        left, right = (middle, right) if beyond else (left, middle)
        start = sign if beyond else start
    return Fraction(left + right, 2 << power)


def value(polynomial, numerator, power):
    """The polynomial at numerator/2^power, times a positive number."""
    found = 0
    for place, coefficient in enumerate(reversed(polynomial)):
        found = found * numerator + (coefficient << (power * place))
    return found


def changes(chain, numerator, power):
    """Sign changes along the chain."""
    signs = [s for s in (value(p, numerator, power) for p in chain) if s]
    return sum((s > 0) != (t > 0) for s, t in pairwise(signs))


def sturm_chain(polynomial):
    """The polynomial, its derivative, and minus the remainders of Euclid's algorithm, each times a positive number."""
    chain = [polynomial, primitive([i * c for i, c in enumerate(polynomial)][1:])]
    while len(chain[-1]) > 1:
        rest = remainder(chain[-2], chain[-1])
        if not rest:
            break
        chain.append(primitive([-c for c in rest]))
    return chain


def remainder(p, q):
    """p modulo q, times a positive number, without zeros at the end."""
    p, lead = list(p), q[-1]
    while len(p) >= len(q):
        top, shift = p[-1], len(p) - len(q)
        p = [abs(lead) * c for c in p]
        factor = top if lead > 0 else -top
        for i, c in enumerate(q):
            p[i + shift] -= factor * c
        while p and p[-1] == 0:
            p.pop()
    return p


def without(divisor, polynomial):
    """The polynomial divided by what it shares with its derivative, so that all roots are simple."""
    rest, found = [Fraction(c) for c in polynomial], []
    while len(rest) >= len(divisor):
        factor = rest[-1] / divisor[-1]
        found.append(factor)
        shift = len(rest) - len(divisor)
        rest = [c - factor * divisor[i - shift] if i >= shift else c for i, c in enumerate(rest)][:-1]
    unit = lcm(*(c.denominator for c in found))
    return primitive([int(c * unit) for c in reversed(found)])


def primitive(p):
    """The polynomial without the common factor of its coefficients, and without zeros at the end."""
    p = list(p)
    while len(p) > 1 and p[-1] == 0:
        p.pop()
    common = gcd(*p) or 1
    return [c // common for c in p]
