"""What an upper bound hands back: its value, the term that decides it, and all terms."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np

from toptwo.theory.arguments import FloatOrArray, unwrap


@dataclass(frozen=True, eq=False, repr=False)
class Bound:
    """An upper bound on the mean stopping time, max{terms} + additive.

    Parameters
    ----------
    value
        The bound: a float, or an array with one entry per instance.
    dominating
        Name of the largest term, or an array of names. Terms within one round of the largest count as equal, and of
        equal terms the first is named: the confidence term, the only one that depends on δ.
    terms
        The terms of the maximum by name, in the order of the theorem.
    additive
        What the theorem adds to the maximum.
    parameters
        The free parameters of the theorem at which the infimum is reached.
    statement
        The theorem.

    Examples
    --------
    >>> bound = collect("an example", [({"confidence": 90.0, "hardness": 200.0}, 10.0, {})], single=True)
    >>> bound.value, bound.dominating
    (210.0, 'hardness')
    >>> print(bound)
    210 samples at most on average (an example)
      confidence      90
      hardness       200  decides
      additive        10
    """

    value: FloatOrArray
    dominating: Any
    terms: Mapping[str, FloatOrArray]
    additive: FloatOrArray
    parameters: Mapping[str, FloatOrArray] = field(default_factory=dict)
    statement: str = ""

    def __float__(self) -> float:
        return float(self.value)

    def __str__(self) -> str:
        if np.ndim(self.value):
            named, counts = np.unique(self.dominating, return_counts=True)
            decided = ", ".join(f"{name} {count}" for name, count in zip(named, counts, strict=True))
            low, high = np.min(self.value), np.max(self.value)
            return (
                f"{np.size(self.value)} bounds from {low:.4g} to {high:.4g} ({self.statement}); decided by: {decided}"
            )
        rows = [*self.terms.items(), ("additive", self.additive)]
        width = max(len(f"{float(term):.6g}") for _, term in rows)
        lines = [f"{float(self.value):.6g} samples at most on average ({self.statement})"]
        for name, term in rows:
            mark = "  decides" if name == self.dominating else ""
            lines.append(f"  {name:<10}  {float(term):>{width + 3}.6g}{mark}")
        lines.extend(f"  at {name} = {float(number):.6g}" for name, number in self.parameters.items())
        return "\n".join(lines)

    def __repr__(self) -> str:
        return str(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the bound as plain lists and numbers, for JSON.

        Examples
        --------
        >>> collect("an example", [({"confidence": 9.0}, 1.0, {})], single=True).to_dict()["value"]
        10.0
        """
        return {
            "statement": self.statement,
            "value": _plain(self.value),
            "dominating": _plain(self.dominating),
            "terms": {name: _plain(term) for name, term in self.terms.items()},
            "additive": _plain(self.additive),
            "parameters": {name: _plain(number) for name, number in self.parameters.items()},
        }


BoundRow = tuple[dict[str, float], float, dict[str, float]]


def collect(statement: str, rows: Iterable[BoundRow], *, single: bool) -> Bound:
    """Return one bound from the (terms, additive, parameters) of each instance.

    Examples
    --------
    >>> collect("an example", [({"confidence": 9.0}, 1.0, {}), ({"confidence": 3.0}, 1.0, {})], single=False).value
    array([10.,  4.])
    """
    found = list(rows)
    names = [_decisive(terms) for terms, _, _ in found]
    dominating: Any = names[0] if single else _frozen(np.array(names))

    def stack(values: list[float]) -> FloatOrArray:
        return values[0] if single else unwrap(_frozen(np.array(values)))

    return Bound(
        value=stack([max(terms.values()) + additive for terms, additive, _ in found]),
        dominating=dominating,
        terms=MappingProxyType({name: stack([terms[name] for terms, _, _ in found]) for name in found[0][0]}),
        additive=stack([additive for _, additive, _ in found]),
        parameters=MappingProxyType({name: stack([row[2][name] for row in found]) for name in found[0][2]}),
        statement=statement,
    )


def _decisive(terms: Mapping[str, float]) -> str:
    largest = max(terms.values())
    return next(name for name, term in terms.items() if term >= largest - 1.0 - 1e-9 * largest or term == largest)


def _frozen(array: Any) -> Any:
    array.setflags(write=False)
    return array


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray) else value
