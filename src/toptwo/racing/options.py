"""What a race was asked for, checked before anything runs."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from toptwo.errors import InputError
from toptwo.racing.executors.direct import Streams
from toptwo.racing.metrics import WALL_CLOCK, Metric
from toptwo.racing.units import SCALES, Margin

COMPARISONS = ("mean", "log", "wins")
USUAL_MARGIN = Margin(2.0, "%")
"""Used where ratios are compared and nothing was said: equal commands would race for ever without one."""


@dataclass(frozen=True)
class RaceQuestion:
    """What a winner is: the metric, the comparison, and how sure and how much better it must be."""

    metric: Metric = WALL_CLOCK
    maximize: bool = False
    delta: float = 0.05
    margin: Margin = USUAL_MARGIN
    compare: str = "log"

    @property
    def epsilon(self) -> float:
        """Return the margin as a number: a share for ratios, an amount of the metric's unit otherwise."""
        return self.margin.amount / 100.0 if self.margin.share else self.margin.amount * self._scale()

    @property
    def relative(self) -> bool:
        """Return whether means are compared with a margin that is a ratio of them."""
        return self.compare == "mean" and self.margin.share and self.margin.amount > 0.0

    @property
    def ratios(self) -> bool:
        """Return whether values are compared by ratios, which need values above 0."""
        return self.compare == "log" or self.relative

    def _scale(self) -> float:
        return SCALES[self.metric.unit].get(self.margin.unit, 1.0)


@dataclass(frozen=True)
class Budget:
    """How many runs, and how long.

    Attributes
    ----------
    warmup
        Runs of each command before anything counts.
    least, most
        Runs of each command.
    runs
        Runs of each command if that is fixed: nobody is left out, and the verdict is whatever follows.
    seconds
        Time for the whole race.
    timeout
        Time for a single run.
    everyone
        Whether all run in every block, although some are out of the race: for comparisons; it comes with `runs`.
    """

    warmup: int = 0
    least: int = 0
    most: int | None = None
    runs: int | None = None
    seconds: float | None = None
    timeout: float | None = None
    everyone: bool = False


@dataclass(frozen=True)
class Hooks:
    """Shell commands around runs, with parameters filled in as in the commands.

    Attributes
    ----------
    setup, cleanup
        Before the first and after the last run of each command.
    prepare, conclude
        Before and after each run: one for all commands, or one for each.
    """

    setup: str | None = None
    prepare: tuple[str, ...] = ()
    conclude: tuple[str, ...] = ()
    cleanup: str | None = None


@dataclass(frozen=True)
class RaceSettings:
    """All of a race but its commands."""

    question: RaceQuestion = field(default_factory=RaceQuestion)
    budget: Budget = field(default_factory=Budget)
    hooks: Hooks = field(default_factory=Hooks)
    streams: Streams = field(default_factory=Streams)
    environment: dict[str, str] = field(default_factory=dict)
    ignored: tuple[int, ...] | Literal["all"] = ()
    """Exit codes beside 0 that are no failure."""
    items: tuple[str, ...] = ()
    seed: int = 0


def ask(
    metric: Metric,
    *,
    maximize: bool = False,
    delta: float = 0.05,
    margin: Margin | None = None,
    compare: str | None = None,
) -> RaceQuestion:
    """Return the question, with what was left open filled in so that it fits together.

    Examples
    --------
    >>> from toptwo.racing.metrics import parse_metric
    >>> ask(parse_metric("time")).compare, ask(parse_metric("stdout")).compare
    ('log', 'mean')
    >>> ask(parse_metric("time"), margin=Margin(5.0, "ms")).epsilon
    0.005
    """
    if compare is not None and compare not in COMPARISONS:
        raise InputError(f"--compare must be mean, log or wins, not {compare!r}.")
    if not 0.0 < delta < 1.0:
        raise InputError(f"--delta must be a probability strictly between 0 and 1 (5 % is 0.05), not {delta!r}.")
    if compare is None:
        ratios = margin.share if margin is not None else not (metric.own or metric.may_be_none)
        compare = "log" if ratios else "mean"
    if margin is None:
        margin = USUAL_MARGIN if compare == "log" else Margin(0.0, "")
    _check_margin(metric, margin, compare)
    return RaceQuestion(metric, maximize, delta, margin, compare)


def _check_margin(metric: Metric, margin: Margin, compare: str) -> None:
    """Refuse a margin that does not fit the comparison or the metric."""
    if margin.share:
        if compare == "wins" and margin.amount >= 50.0:
            raise InputError(f"--margin {margin} is a share of blocks where wins are compared: less than 50%.")
        return
    if margin.amount and compare == "wins":
        raise InputError(f"--margin {margin} is an amount; where wins are compared, give a share of blocks such as 5%.")
    if compare == "log" and margin.amount:
        raise InputError(f"--margin {margin} is no share: ratios (--compare log) need one such as 2%.")
    known = SCALES[metric.unit]
    if not margin.unit and metric.unit and margin.amount:
        raise InputError(
            f"--margin {margin} needs a unit: 2%, or an amount in {', '.join(name for name in known if name)}."
        )
    if margin.unit not in known and margin.amount:
        suffixes = ", ".join(name for name in known if name) or "no unit at all"
        raise InputError(
            f"--margin {margin} does not fit {metric.label}, which is measured in {suffixes} (or give 2%)."
        )


def check_budget(budget: Budget) -> Budget:
    """Return a budget that makes sense."""
    for name in ("warmup", "least", "most", "runs"):
        value = getattr(budget, name)
        lowest = 0 if name in ("warmup", "least") else 1
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < lowest):
            raise InputError(f"{OPTIONS[name]} must be a whole number of at least {lowest}, not {value!r}.")
    if budget.runs is not None and (budget.least or budget.most is not None):
        raise InputError("--runs fixes the number of runs: leave --min-runs and --max-runs out.")
    if budget.most is not None and budget.least > budget.most:
        raise InputError(f"--min-runs {budget.least} is more than --max-runs {budget.most}.")
    return budget


OPTIONS = {"warmup": "--warmup", "least": "--min-runs", "most": "--max-runs", "runs": "--runs"}


def check_streams(streams: Streams) -> Streams:
    """Return streams with files named in full, so that a change of folder does not lose them."""
    source, target = streams
    if source != "null":
        source = os.path.abspath(source)
        if not os.path.isfile(source) or not os.access(source, os.R_OK):
            raise InputError(f"--input: {streams.input} is no file that can be read (null gives no input).")
    if target not in ("null", "pipe", "inherit"):
        if "/" not in target and "." not in target:
            raise InputError(f"--output must be null, pipe, inherit or a file such as ./{target}, not {target}.")
        target = os.path.abspath(target)
    return Streams(source, target)


def exit_codes(text: str) -> tuple[int, ...] | Literal["all"]:
    """Return the exit codes that are no failure.

    Examples
    --------
    >>> exit_codes("all-non-zero"), exit_codes("1,3"), exit_codes("=2")  # the last one is -i=2
    ('all', (1, 3), (2,))
    """
    if text.removeprefix("=") in ("all", "all-non-zero"):
        return "all"
    try:
        return tuple(int(part) for part in text.removeprefix("=").split(","))
    except ValueError:
        raise InputError(f"--ignore-failure takes exit codes such as 1,3, or all-non-zero, not {text!r}.") from None


def environment(pairs: Sequence[str]) -> dict[str, str]:
    """Return the variables given as NAME=VALUE.

    Examples
    --------
    >>> environment(["THREADS=4", "NAME=a=b"])
    {'THREADS': '4', 'NAME': 'a=b'}
    """
    found: dict[str, str] = {}
    for pair in pairs:
        name, sign, value = pair.partition("=")
        if not sign or not name or "\0" in pair:
            raise InputError(f"--env takes NAME=VALUE, not {pair!r}.")
        found[name] = value
    return found


def check_hooks(hooks: Hooks, commands: int, given: int) -> Hooks:
    """Return hooks of which there are none, one, or one for each command."""
    for name in ("prepare", "conclude"):
        number = len(getattr(hooks, name))
        if number > 1 and number not in (commands, given):
            raise InputError(
                f"--{name} is given {number} times for {commands} commands: give it once, or once for each command."
            )
    return hooks


def known_metric(value: Any) -> Metric:
    """Return a metric given by name or as it is."""
    from toptwo.racing.metrics import parse_metric

    return value if isinstance(value, Metric) else parse_metric(str(value))
