"""What a study says: its answer, how sure it is, and what that rests on."""

import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

from toptwo.json_text import json_text
from toptwo.study.intervals import Interval
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
    _index: int = field(default=0, repr=False, compare=False)
    _bounds: Any = field(default=None, repr=False, compare=False)

    @property
    def interval(self) -> Interval | None:
        """Return an interval for the mean, right at all times with probability 1 − δ for this arm; None if unknown."""
        return self._bounds.mean(self._index) if self._bounds is not None else None

    @property
    def gap(self) -> Interval | None:
        """Return an interval for how much better the leader is than this arm; None for the leader itself.

        It agrees with the stopping rule: the study ends when every gap lies at or above −ε (docs/intervals.md). In rows
        every gap does once there is a winner or a tie, and gaps are in the unit of what is compared (docs/blocks.md).
        """
        return self._bounds.gap(self._index) if self._bounds is not None else None


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
        Certified by the data so far if `proven`: the largest 1 − δ at which the threshold would return `arm` now, in
        rows as the winner or as one of those tied, and 0 if at no δ it would (docs/blocks.md, section 2). With an
        algorithm that stops by a proven rule of its own, 1 − δ for its winner, and before that the threshold's less
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
    diagnostics
        What in the data speaks against the assumption, in sentences (docs/diagnostics.md).
    failed
        Which pull failed and what to do about it, in a sentence, while nobody is asked for anything because of that.

    Intervals are worked out when they are first asked for.
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
    diagnostics: tuple[str, ...] = ()
    failed: str = ""

    @property
    def contenders(self) -> tuple[Hashable, ...]:
        """Return the arms not yet rejected as best (by more than ε), the leader among them, in the order of `arms`."""
        bounds = self.arms[0]._bounds
        if bounds is None:
            return tuple(report.arm for report in self.arms)
        return tuple(self.arms[arm].arm for arm in bounds.contenders)

    def as_dict(self) -> dict[str, Any]:
        """Return all of it as plain data; names of arms that JSON does not know are written as text."""
        contenders = set(self.contenders)
        arms = [
            {
                "arm": _plain(report.arm),
                "mean": report.mean,
                "pulls": report.pulls,
                "interval": report.interval and list(report.interval),
                "gap": report.gap and list(report.gap),
                "contender": report.arm in contenders,
            }
            for report in self.arms
        ]
        fields = {name: getattr(self, name) for name in VERBATIM}
        named = {"contenders": [_plain(arm) for arm in self.contenders], "constant": [_plain(a) for a in self.constant]}
        return {**fields, "arm": _plain(self.arm), **named, "diagnostics": list(self.diagnostics), "arms": arms}

    def to_json(self, indent: int | None = 1) -> str:
        """Return it as JSON; what is not finite (nothing known yet) is null.

        Examples
        --------
        >>> import json
        >>> from toptwo import create_study
        >>> told = json.loads(create_study(["a", "b"]).verdict.to_json())
        >>> told["status"], told["remaining"], told["contenders"]
        ('running', None, ['a', 'b'])
        """
        return json_text(self.as_dict(), indent)

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
        elif self.status == "tie":
            tied = ", ".join(one_line(name) for name in self.contenders)
            head = f"A tie within {self.epsilon:g}: {tied}. {sure} {kind} after {taken}."
        elif self.status == "undecided":
            head = f"Undecided after {taken}: {arm} leads with {sure} {kind}."
        elif self.pulls == 0 and not self.waiting and not self.failed:
            head = "Nothing measured yet."
        elif self.failed and self.pulls == 0:
            head = self.failed
        elif self.pulls == 0:
            head = f"Nothing is known yet: {counted(self.waiting, 'answer')} {held}."
        else:
            head = f"{arm} leads after {taken}: {sure} {kind}{forecast(self.remaining)}."
            if self.failed:
                head = f"{self.failed}\n{head}"
            elif self.waiting:
                head += f" {counted(self.waiting, 'more answer')} {held} (study.pending)."
        said = [*self._rows(), *self._level(), *self._left(), *self.diagnostics]
        return "\n".join([head, *said, f"Assumes {self.assumption}."])

    def _level(self) -> list[str]:
        """Return a line that says how sure gaps in rows are, where another confidence stands above them."""
        own = percent(1.0 - self.delta)
        told = any(between(report.gap, 1) for report in self.arms)
        if self.threshold != "blocks" or not told or own == percent(self.confidence):
            return []
        return [f"Each “behind by” holds with {own} confidence."]

    def _left(self) -> list[str]:
        """Return a line that says who may still be best, if some arms may not."""
        if self.status in ("winner", "tie") or not 1 < len(self.contenders) < len(self.arms):
            return []
        named = ", ".join(one_line(report.arm) for report in self.ranked() if report.arm in self.contenders)
        return [f"Still to be told apart: {named}."] if len(self.contenders) <= TOP else []

    def ranked(self) -> list[ArmReport]:
        """Return the arms, best first."""
        sign = 1.0 if self.direction == "minimize" else -1.0
        return sorted(self.arms, key=lambda report: math.inf if report.pulls == 0 else sign * report.mean)

    def _rows(self) -> list[str]:
        """Return a line per arm, best first, the first of many."""
        shown = self.ranked()[:TOP]
        width = max(len(one_line(report.arm)) for report in shown)
        digits, gap_digits = decimals(self.arms), gap_decimals(self.arms)
        means = [f"{report.mean:z.{digits}f}" if report.pulls else "–" for report in shown]
        around = [between(report.interval, digits) for report in shown]
        room = max(map(len, around))
        rows = []
        for report, mean, interval in zip(shown, means, around, strict=True):
            pulls = f"{report.pulls:8,d} pull{' ' if report.pulls == 1 else 's'}"
            gap = behind(report.gap, gap_digits)
            rows.append(f"  {one_line(report.arm):<{width}}  {mean:>10}  {interval:<{room}}{pulls}{gap}".rstrip())
        return rows + ([f"  and {len(self.arms) - TOP} more"] if len(self.arms) > TOP else [])


VERBATIM = (
    "status",
    "confidence",
    "pulls",
    "remaining",
    "delta",
    "epsilon",
    "direction",
    "threshold",
    "proven",
    "assumption",
    "waiting",
    "failed",
)
"""Fields of a verdict that are numbers and text."""


def _plain(arm: Hashable) -> Any:
    """Return the name of an arm if JSON knows such values, else its text."""
    return arm if arm is None or isinstance(arm, str | int | float) else str(arm)


def decimals(arms: tuple[ArmReport, ...]) -> int:
    """Return how many decimals show the largest mean with four digits, and the narrowest interval with two."""
    sizes = (abs(report.mean) for report in arms if report.pulls)
    return max(_decimals(sizes), _decimals_of_widths(report.interval for report in arms))


def gap_decimals(arms: tuple[ArmReport, ...]) -> int:
    """Return how many decimals show gaps: those of the means, or fewer and more where rows share what means hold."""
    gaps = [report.gap for report in arms]
    if any(report.interval for report in arms):
        return max(decimals(arms), _decimals_of_widths(gaps))
    ends = [end for gap in gaps if gap for end in gap]
    return max(_decimals(abs(end) for end in ends if math.isfinite(end)), _decimals_of_widths(gaps))


def _decimals(sizes: Iterable[float]) -> int:
    return _digits_from(max(sizes, default=1.0), 4)


def _decimals_of_widths(intervals: Iterable[Interval | None]) -> int:
    widths = (interval.high - interval.low for interval in intervals if interval)
    return _digits_from(min((width for width in widths if 0.0 < width < math.inf), default=math.inf), 2)


def _digits_from(size: float, digits: int) -> int:
    """Return how many decimals show a size with so many digits.

    Examples
    --------
    >>> _digits_from(0.02, 2), _digits_from(1234.5, 4), _digits_from(math.inf, 2)
    (3, 0, 0)
    """
    if not 0.0 < size < math.inf:
        return 0 if size else digits - 1
    return min(max(digits - 1 - math.floor(math.log10(size)), 0), 12)


def between(interval: Interval | None, digits: int) -> str:
    """Return an interval as the table shows it; nothing as long as an end is unknown.

    Examples
    --------
    >>> between(Interval(0.25, 1.5), 2), between(Interval(0.25, math.inf), 2), between(None, 2)
    ('0.25 to 1.50', '', '')
    """
    if interval is None or not (math.isfinite(interval.low) and math.isfinite(interval.high)):
        return ""
    return f"{interval.low:z.{digits}f} to {interval.high:z.{digits}f}"


def behind(gap: Interval | None, digits: int) -> str:
    """Return what the table says of a gap.

    Examples
    --------
    >>> behind(Interval(-0.5, 1.5), 1), behind(None, 2)
    ('  behind by -0.5 to 1.5', '')
    """
    text = between(gap, digits)
    return f"  behind by {text}" if text else ""


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
