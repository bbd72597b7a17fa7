"""A result in words: the sentence that people repeat, and what it rests on."""

import math

from toptwo.racing.result import RaceResult
from toptwo.racing.standing import AgainstLeader
from toptwo.racing.units import amount, pair_of, scale_of
from toptwo.words import counted

LITTLE = 0.005
"""Confidence that is as good as none."""

RIVALS = 3
"""Rivals that the sentence names; the table has all of them."""


def paragraphs(result: RaceResult) -> list[str]:
    """Return the verdict, a line per command, and the notes."""
    lines = [headline(result), *rows(result)]
    if result.standing.assumption and result.status != "failed":
        lines.append(f"Assumes {result.standing.assumption}.")
    return lines + [f"Note: {note}" for note in result.notes]


def headline(result: RaceResult) -> str:
    """Return the verdict in one sentence."""
    if result.status == "failed":
        return f"The race ended early: {result.why}"
    taken = counted(len(result.runs), "run")
    if not result.runs or result.leader is None:
        return f"Nothing is known yet after {taken}{_why(result)}."
    sure = _sure(result)
    best = result.question.metric.best(result.question.maximize)
    said = "; ".join([*_beaten(result), *_alike(result)])
    if result.status == "winner":
        return f"{result.leader} is {best}, {sure} confidence{': ' + said if said else ''}. {_after(result)}"
    if result.status == "tie":
        names, margin = _list(result.contenders), result.question.margin
        beaten = "; ".join(_beaten(result))
        alike = (
            f"{names} are equal within {margin}" if len(result.contenders) > 1 else f"{names} is {best} within {margin}"
        )
        return f"A tie: {alike}, {sure} confidence{'; ' + beaten if beaten else ''}. {_after(result)}"
    others = [name for name in result.contenders if name != result.leader]
    may = f", and {_list(others)} may be {best} as well" if others else ""
    sure = "no confidence yet" if result.standing.confidence < LITTLE else f"{_sure(result)} confidence"
    return f"Undecided{_why(result)} after {taken}: {result.leader} leads ({sure}){may}."


def _sure(result: RaceResult) -> str:
    from toptwo.study.verdict import percent

    return percent(result.standing.confidence)


def _after(result: RaceResult) -> str:
    return f"{counted(len(result.runs), 'run')} in {amount(result.seconds, 'second')}."


def _why(result: RaceResult) -> str:
    return {
        "time": " when the time was up",
        "runs": " when the runs were made",
        "interrupted": " at the interrupt",
    }.get(result.why, "")


def _list(names: list[str] | tuple[str, ...]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def _beaten(result: RaceResult) -> list[str]:
    """Return how much better the leader is than each of the closest that it beats."""
    found = [arm for arm in result.ranked()[1:] if (pair := _pair(result, arm)) is not None and pair.beaten]
    parts = [f"{than(result, arm)}" for arm in found[:RIVALS]]
    return parts + ([f"and better than {len(found) - RIVALS} more"] if len(found) > RIVALS else [])


def _alike(result: RaceResult) -> list[str]:
    """Return who cannot be told from the leader."""
    names = [
        result.commands[arm].name
        for arm in result.ranked()[1:]
        if (pair := _pair(result, arm)) is not None and not pair.beaten
    ]
    if not names or result.leader is None:
        return []
    margin = f" within {result.question.margin}" if result.question.margin.amount else ""
    return [f"{_list(names)} cannot be told from {result.leader}{margin}"]


def _pair(result: RaceResult, arm: int) -> AgainstLeader | None:
    return result.standing.pairs[arm] if arm < len(result.standing.pairs) else None


def than(result: RaceResult, arm: int) -> str:
    """Return how much better the leader is than another command: "1.40× faster than a [1.36, 1.44]"."""
    pair = _pair(result, arm)
    if pair is None:
        return ""
    question, name = result.question, result.commands[arm].name
    better = question.metric.better(question.maximize)
    if question.compare == "log":
        return f"{ratio(pair)[0]}× {better} than {name} {ratio(pair)[1]}".strip()
    if question.compare == "wins":
        return f"{better} than {name} in {wins(pair)}"
    unit = question.metric.unit
    suffix = scale_of(pair.effect, unit)
    return f"{amount(pair.effect, unit, suffix)} {better} than {name} {interval(pair, unit, suffix)}".strip()


def wins(pair: AgainstLeader) -> str:
    """Return how many blocks the leader has won, and the interval for its share of those in which the two differ.

    Examples
    --------
    >>> wins(AgainstLeader(0.92, 0.61, 0.99, 458, True, False, 11, 12))
    '11 of 12 blocks that differed [61 %, 99 %] (446 alike)'
    >>> wins(AgainstLeader(0.92, 0.61, 0.99, 12, True, False, 11, 12))
    '11 of 12 blocks [61 %, 99 %]'
    """
    alike = pair.blocks - pair.decided
    share = f"[{100.0 * pair.low:.0f} %, {100.0 * pair.high:.0f} %]"
    which = (" that differed", f" ({alike:,} alike)") if alike else ("", "")
    return f"{pair.won:,} of {counted(pair.decided, 'block')}{which[0]} {share}{which[1]}"


def ratio(pair: AgainstLeader) -> tuple[str, str]:
    """Return a ratio and its interval, in as many digits as tell them apart.

    Examples
    --------
    >>> ratio(AgainstLeader(1.4, 1.36, 1.44, 20, True, False))
    ('1.40', '[1.36, 1.44]')
    >>> ratio(AgainstLeader(1.0031, 1.0012, 1.005, 900, True, True))
    ('1.003', '[1.001, 1.005]')
    """
    width = pair.high - pair.low
    digits = 2 if not math.isfinite(width) or width <= 0.0 else min(6, max(2, math.floor(-math.log10(width)) + 1))
    if pair.low <= 0.0 and math.isinf(pair.high):
        return f"{pair.effect:.{digits}f}", ""
    low, high = (f"{end:.{digits}f}" if math.isfinite(end) else "∞" for end in (pair.low, pair.high))
    return f"{pair.effect:.{digits}f}", f"[{low}, {high}]"


def relative(result: RaceResult, arm: int) -> str:
    """Return how a command compares with the leader, for a column of a table."""
    if arm == result.standing.leader:
        return {"log": "1.00", "mean": "0", "wins": "–"}[result.question.compare]
    pair = _pair(result, arm)
    if pair is None:
        return "–"
    if result.question.compare == "log":
        return " ".join(ratio(pair)).strip()
    if result.question.compare == "wins":
        return f"loses {100.0 * pair.effect:.0f} %"
    unit = result.question.metric.unit
    suffix = scale_of(pair.effect, unit)
    if result.question.maximize:
        pair = pair._replace(effect=-pair.effect, low=-pair.high, high=-pair.low)
    sign = "+" if pair.effect > 0.0 else ""
    return f"{sign}{amount(pair.effect, unit, suffix)} {interval(pair, unit, suffix)}".strip()


def interval(pair: AgainstLeader, unit: str, suffix: str) -> str:
    """Return the interval of an amount, if anything is known of it."""
    if math.isinf(pair.low) and math.isinf(pair.high):
        return ""
    low, high = (
        amount(end, unit, suffix) if math.isfinite(end) else f"{'-' if end < 0 else ''}∞"
        for end in (pair.low, pair.high)
    )
    return f"[{low}, {high}]"


def cells(result: RaceResult, arm: int, suffix: str | None = None) -> tuple[str, str, str, str, str]:
    """Return name, mean with its deviation, range, comparison and runs of a command."""
    summary, unit = result.summary(arm), result.question.metric.unit
    name = result.commands[arm].name
    if summary is None:
        return name, "–", "–", "–", "0"
    chosen = scale_of(summary.mean, unit, suffix)
    mean = pair_of(summary.mean, summary.stddev, unit, chosen)
    ends = f"{amount(summary.min, unit, chosen)} … {amount(summary.max, unit, chosen)}"
    return name, mean, ends, relative(result, arm), f"{summary.number:,}"


def rows(result: RaceResult, suffix: str | None = None) -> list[str]:
    """Return a line per command, best first."""
    table = [cells(result, arm, suffix) for arm in result.ranked()]
    widths = [max(len(row[column]) for row in table) for column in range(5)]
    return [
        f"  {row[0]:<{widths[0]}}  {row[1]:>{widths[1]}}  {row[4]:>{widths[4]}} run{'s'[: row[4] != '1']}"
        for row in table
    ]
