"""Overdispersion: shares and counts that scatter more from batch to batch than one fixed rate allows."""

import math
from collections.abc import Iterator, Sequence
from typing import Protocol

from toptwo.blocks.bounded import log_average
from toptwo.study.diagnostics.base import EVERYWHERE, FALSE_ALARM, Diagnosis, power_of_ten
from toptwo.study.diagnostics.batches import Batches
from toptwo.study.diagnostics.tally import Tally
from toptwo.words import counted

INFLATIONS = (1.5, 4.0, 20.0)
"""How many times the variance of a fixed rate the true one is bet to be, with equal weights."""

LOG_INFLATIONS = [(each, math.log(each), math.log((each - 1.0) / each)) for each in INFLATIONS]

ENOUGH = 10
"""Batches beyond the first of each arm that can say something of rates that change."""

LEAST = 0.5
"""Weight of the law that rates of batches are bet to come from, at least."""


class RateLaw(Protocol):
    """What is to be expected of the next batch."""

    noun: str

    def log_predicted(self, events: float, size: int, seen: Batches) -> list[float]:
        """Return ln of the probability of so many events under each of the bets, less what both sides share."""
        ...

    def log_constant(self, events: float, exposure: float) -> float:
        """Return ln of the highest probability that one rate gives all events, less what both sides share."""
        ...

    def variance(self, mean: float) -> float:
        """Return the variance of a measurement."""
        ...


class Shares:
    """Successes: the next batch is bet to be beta-binomial about the share seen so far."""

    noun = "Batches of an arm scatter"

    def log_predicted(self, events: float, size: int, seen: Batches) -> list[float]:
        """Return ln of the probability of a sequence of so many successes under each of the bets."""
        share = (seen.weight * seen.mean + 0.5) / (seen.weight + 1.0)
        logs = []
        for inflation in INFLATIONS:
            weight = max((size - 1.0) / (inflation - 1.0) - 1.0, LEAST)
            yes, no = weight * share, weight * (1.0 - share)
            logs.append(_log_beta(yes + events, no + size - events) - _log_beta(yes, no))
        return logs

    def log_constant(self, events: float, exposure: float) -> float:
        """Return ln of the highest probability that coins of one bias give such sequences."""
        return sum(each * math.log(each / exposure) for each in (events, exposure - events) if each > 0.0)

    def variance(self, mean: float) -> float:
        """Return p(1 − p)."""
        return mean * (1.0 - mean)


class EventCounts:
    """Counts: the next one is bet to be negative binomial about the rate seen so far."""

    noun = "Counts of an arm scatter"

    def log_predicted(self, events: float, size: int, seen: Batches) -> list[float]:
        """Return ln of the probability of so many events under each of the bets, without n^k/k!."""
        mean, alone = size * (seen.mean + 0.5 / seen.weight), events * math.log(size)
        logs = []
        for inflation, log_inflation, log_rest in LOG_INFLATIONS:
            shape = mean / (inflation - 1.0)
            chance = math.lgamma(shape + events) - math.lgamma(shape) - shape * log_inflation
            logs.append(chance + events * log_rest - alone)
        return logs

    def log_constant(self, events: float, exposure: float) -> float:
        """Return ln of the highest probability under one rate, without n^k/k!."""
        return events * math.log(events / exposure) - events if events > 0.0 else 0.0

    def variance(self, mean: float) -> float:
        """Return the mean."""
        return mean


class Overdispersion:
    """Bets on rates that change: half of the capital on all arms together, the rest in equal parts on each of them."""

    def __init__(self, law: RateLaw) -> None:
        self._law = law

    def see(self, seen: Batches, average: float, size: int) -> None:
        """Settle the bets on a batch that is about to be taken in; there is none on the first."""
        if not seen.count:
            seen.logs = [0.0] * len(INFLATIONS)
            return
        for number, log in enumerate(self._law.log_predicted(average * size, size, seen)):
            seen.logs[number] += log

    def judge(self, tallies: Sequence[Tally], *, over: bool) -> Iterator[Diagnosis]:
        """Return a diagnosis if the bets have won 1/FALSE_ALARM, or if the study ended with too few batches to tell."""
        arms = [tally.batches for tally in tallies if tally.batches is not None and tally.batches.count > 1]
        won = self._won(arms, len(tallies)) if arms else 0.0
        repeats = sum(arm.count - 1 for arm in arms)
        if won >= -math.log(FALSE_ALARM):
            yield Diagnosis("overdispersion", EVERYWHERE, self._words(arms, won))
        elif over and repeats < ENOUGH and any(tally.size > 1 for tally in tallies):
            yield Diagnosis("overdispersion", EVERYWHERE, _unchecked(repeats))

    def _won(self, arms: Sequence[Batches], total: int) -> float:
        """Return ln of what bets on these of all arms have won."""
        logs = [[each - self._law.log_constant(arm.events, arm.exposure) for each in arm.logs] for arm in arms]
        others = [0.0] * (total - len(arms))  # of whom nothing is known: bets on them have won nothing
        each_arm = log_average([log_average(arm) for arm in logs] + others)
        return log_average([log_average([sum(bets) for bets in zip(*logs, strict=True)]), each_arm])

    def _words(self, arms: Sequence[Batches], won: float) -> str:
        varied = [(arm, variance) for arm in arms if (variance := self._law.variance(arm.mean)) > 0.0]
        square = sum(arm.squares / variance for arm, variance in varied) / sum(arm.count - 1 for arm, _ in varied)
        return (
            f"{self._law.noun} {math.sqrt(square):.1f} times as far from their mean as chance makes them at a "
            f"fixed rate (e-value {power_of_ten(won)}): rates change from one to the next, with the hour, the day or "
            "the source, and the guarantee, which is for fixed rates, does not hold. Measure all arms under the same "
            'conditions and compare within them (design="blocks"), or tell each batch as one value of unknown variance '
            "(no family), if what changes comes anew with each batch."
        )


def _unchecked(repeats: int) -> str:
    many = f"Only {counted(repeats, 'batch', 'batches')} {'repeats' if repeats == 1 else 'repeat'} one of the same arm"
    return (
        f"{many if repeats else 'No arm has a second batch'}: too few to see whether rates stay the same "
        "from one batch to the next. The guarantee rests on it; more and smaller batches would show it."
    )


def _log_beta(a: float, b: float) -> float:
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
