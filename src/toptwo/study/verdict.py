"""What a study says: its answer, how sure it is, and what that rests on."""

import math
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Literal

from toptwo.words import counted, one_line

Status = Literal["winner", "tie", "undecided", "running"]

TOP = 20
"""Arms shown at most, best first."""


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
        Certified by the data so far if `proven`: the largest 1 − δ at which the threshold would return `arm` now. With
        an algorithm that stops by a proven rule of its own, 1 − δ for its winner, and before that the threshold's less
        δ, so that both together keep what they promise (docs/mixture.md, corollary 2).
    pulls
        Measurements that the answer rests on.
    remaining
        Estimated measurements still to go; an estimate, infinite while two arms look equal, NaN if the algorithm stops
        by a rule of its own.
    assumption
        What must hold for the guarantee.
    waiting
        Answers not yet read, because a pull asked before them is still unanswered.
    constant
        Arms whose values are all equal, where the family would have to estimate their variance.
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
    constant: tuple[Hashable, ...] = ()

    @property
    def decided(self) -> bool:
        """Return whether there is a winner."""
        return self.status == "winner"

    def __str__(self) -> str:
        margin = f" or within {self.epsilon:g} of the best" if self.epsilon else ""
        sure, arm, taken = percent(self.confidence), one_line(self.arm), counted(self.pulls, "measurement")
        held = f"{'waits' if self.waiting == 1 else 'wait'} for a pull that was asked before"
        kind = "confidence" if self.proven else "confidence by a heuristic without proof"
        if self.status == "winner":
            head = f"{arm} is best{margin}: {sure} {kind} after {taken}."
        elif self.status == "undecided":
            head = f"Undecided after {taken}: {arm} leads with {sure} {kind}."
        elif self.pulls == 0 and not self.waiting:
            head = "Nothing measured yet."
        elif self.pulls == 0:
            head = f"Nothing is known yet: {counted(self.waiting, 'answer')} {held}."
        else:
            head = f"{arm} leads after {taken}: {sure} {kind}{forecast(self.remaining)}."
            if self.waiting:
                head += f" {counted(self.waiting, 'more answer')} {held} (study.pending)."
        equal = [
            f"All values of {one_line(arm)} are equal: nothing can be said of its variance, so they settle nothing."
            for arm in self.constant
        ]
        return "\n".join([head, *self._rows(), *equal, f"Assumes {self.assumption}."])

    def ranked(self) -> list[ArmReport]:
        """Return the arms, best first."""
        sign = 1.0 if self.direction == "minimize" else -1.0
        return sorted(self.arms, key=lambda report: math.inf if report.pulls == 0 else sign * report.mean)

    def _rows(self) -> list[str]:
        """Return a line per arm, best first, the first of many."""
        shown = self.ranked()[:TOP]
        width = max(len(one_line(report.arm)) for report in shown)
        largest = max((abs(report.mean) for report in shown if report.pulls), default=1.0) or 1.0
        digits = min(max(3 - math.floor(math.log10(largest)), 0), 12)
        means = [f"{report.mean:z.{digits}f}" if report.pulls else "–" for report in shown]
        rows = [
            f"  {one_line(report.arm):<{width}}  {mean:>10}  {report.pulls:8,d} pull{'s'[: report.pulls != 1]}"
            for report, mean in zip(shown, means, strict=True)
        ]
        return rows + ([f"  and {len(self.arms) - TOP} more"] if len(self.arms) > TOP else [])


def percent(confidence: float) -> str:
    """Return a confidence as a percentage that is never rounded up.

    Examples
    --------
    >>> percent(0.95), percent(0.99996), percent(1.0)
    ('95 %', '99.9960 %', '99.9999 %')
    """
    digits = 0 if confidence < 0.99 else min(4, math.ceil(-math.log10(max(1e-15, 1.0 - confidence))) - 1)
    scale = 10.0**digits
    whole = min(math.floor(100.0 * confidence * scale + 1e-9), round(100.0 * scale) - 1)
    return f"{whole / scale:.{digits}f} %"


def forecast(remaining: float) -> str:
    """Return the estimate of what is left, in words."""
    if math.isnan(remaining):
        return ""
    if math.isinf(remaining):
        return ", too close to say how many more"
    return f", about {remaining:,.0f} more to go"
