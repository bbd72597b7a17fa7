"""What a study says: its answer, how sure it is, and what that rests on."""

import math
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Literal

Status = Literal["winner", "undecided", "running"]


@dataclass(frozen=True)
class ArmReport:
    """One option after some measurements."""

    arm: Hashable
    mean: float
    pulls: int


@dataclass(frozen=True)
class Verdict:
    """The state of a study's answer.

    Attributes
    ----------
    status
        "winner": settled, and never changed by later data; "undecided": the budget ended first; "running".
    arm
        The winner, or the arm that leads by now.
    confidence
        Certified by the data so far if `proven`; the largest 1 − δ at which the study would stop now.
    pulls
        Measurements that the answer rests on.
    remaining
        Estimated measurements still to go; an estimate, infinite while two arms look equal.
    assumption
        What must hold for the guarantee.
    waiting
        Answers not yet read, because a pull asked before them is still unanswered.
    """

    status: Status
    arm: Hashable
    confidence: float
    pulls: int
    remaining: float
    delta: float
    epsilon: float
    direction: str
    threshold: str
    proven: bool
    assumption: str
    waiting: int
    arms: tuple[ArmReport, ...]

    @property
    def decided(self) -> bool:
        """Return whether there is a winner."""
        return self.status == "winner"

    def __str__(self) -> str:
        margin = f" or within {self.epsilon:g} of the best" if self.epsilon else ""
        sure = percent(self.confidence)
        kind = "confidence" if self.proven else "confidence by a heuristic without proof"
        if self.status == "winner":
            head = f"{self.arm} is best{margin}: {sure} {kind} after {self.pulls:,} measurements."
        elif self.status == "undecided":
            head = f"Undecided after {self.pulls:,} measurements: {self.arm} leads with {sure} {kind}."
        else:
            head = f"{self.arm} leads after {self.pulls:,} measurements: {sure} {kind}{forecast(self.remaining)}."
            if self.waiting:
                head += f" {self.waiting:,} more answers wait for a pull that was asked before them."
        width = max(len(str(report.arm)) for report in self.arms)
        rows = [f"  {report.arm!s:<{width}}  {report.mean:10.4g}  {report.pulls:8,d} pulls" for report in self.arms]
        return "\n".join([head, *rows, f"Assumes {self.assumption}."])


def percent(confidence: float) -> str:
    """Return a confidence as a percentage that is never rounded up.

    Examples
    --------
    >>> percent(0.95), percent(0.99996), percent(1.0 - 1e-9)
    ('95 %', '99.9960 %', '99.9999 %')
    """
    digits = 0 if confidence < 0.99 else min(4, math.ceil(-math.log10(max(1e-15, 1.0 - confidence))) - 1)
    scale = 10.0**digits
    return f"{math.floor(100.0 * confidence * scale + 1e-9) / scale:.{digits}f} %"


def forecast(remaining: float) -> str:
    """Return the estimate of what is left, in words."""
    if math.isinf(remaining):
        return ", too close to say how many more"
    return f", about {remaining:,.0f} more to go"
