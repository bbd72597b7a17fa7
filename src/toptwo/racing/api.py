"""Races from Python: commands or functions in, a result out."""

import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Literal

from toptwo import checks
from toptwo.errors import InputError, MeasurementError
from toptwo.racing.commands import Command, expand, unique
from toptwo.racing.contest import Contest
from toptwo.racing.executors.base import Executor
from toptwo.racing.executors.direct import Streams
from toptwo.racing.measuring import Measuring, check_timeout
from toptwo.racing.metrics import Metric
from toptwo.racing.options import (
    Budget,
    Hooks,
    RaceSettings,
    ask,
    check_budget,
    check_hooks,
    check_streams,
    known_metric,
)
from toptwo.racing.result import RaceResult
from toptwo.racing.scheduler import Scheduler, Watcher
from toptwo.racing.strays import Strays
from toptwo.racing.units import duration, error_probability, parse_margin

Contestant = str | Callable[[], Any]


def race(
    commands: Sequence[Contestant] | Mapping[str, Contestant],
    *,
    metric: str | Metric = "time",
    maximize: bool = False,
    delta: float | None = None,
    confidence: float | str | None = None,
    margin: str | None = None,
    compare: str | None = None,
    max_time: float | str | None = None,
    timeout: float | str | None = None,
    warmup: int = 0,
    min_runs: int = 0,
    max_runs: int | None = None,
    runs: int | None = None,
    shell: str | None = None,
    setup: str | None = None,
    prepare: str | Sequence[str] = (),
    conclude: str | Sequence[str] = (),
    cleanup: str | None = None,
    environment: Mapping[str, str] | None = None,
    input: str = "null",
    output: str = "null",
    ignore_failure: bool | int | Sequence[int] = False,
    items: Sequence[str] = (),
    seed: int | None = None,
    progress: bool | None = None,
    storage: str | None = None,
    study_name: str | None = None,
    executor: Executor | None = None,
) -> RaceResult:
    """Run commands or functions in interleaved blocks until it is certain which is best.

    Parameters
    ----------
    commands
        Command lines, or functions without arguments, which are called in this process; with names, if it is a mapping.
    metric
        "time", "cpu", "user", "system", "memory", "instructions", "cycles"; of commands also "stdout", "json:KEY" or a
        shell command that prints the number; of functions also "returned".
    maximize
        Whether the highest is best.
    delta, confidence
        Probability with which the answer may be wrong (0.05 unless told otherwise), or right: 0.95, "95%".
    margin
        How much better counts as better, with its unit: "2%" (the default where ratios are compared), "5ms".
    compare
        "log" for ratios (the default for times, memory, counts), "mean", or "wins".
    max_time, timeout
        Seconds, or texts such as "2min", for the whole race and for a single run.
    warmup, min_runs, max_runs, runs
        Numbers of runs of each command; `runs` fixes it, so that nobody is left out early.
    shell, setup, prepare, conclude, cleanup, environment, input, output
        As on the command line.
    ignore_failure
        Exit codes that are no failure: one, several, or True for all.
    items
        Of each block one item, drawn at random, takes the place of {item} in all commands.
    seed
        Of the order inside blocks, the items and the padding of the environment; drawn if none is given, or that of
        the study gone on with. The result names it.
    progress
        Show the race live on the terminal; by default if there is one.
    storage, study_name
        Keep the race in a study and go on with it, as in `create_study`.
    executor
        What runs the commands, instead of the usual.

    Returns
    -------
    RaceResult
        The winner, a tie, or undecided; with every measurement.

    Raises
    ------
    MeasurementError
        If a command fails; its `result` holds what was measured.

    Examples
    --------
    >>> import toptwo as tt
    >>> result = tt.race({"sort": lambda: sorted(range(1000)), "sum": lambda: sum(range(200_000))}, runs=3)
    >>> [len(result.runs_of(arm)) for arm in (0, 1)]
    [3, 3]
    """
    with worded_for_python():
        named = contestants(commands)
        question = ask(
            known_metric(metric),
            maximize=maximize,
            delta=risk(delta, confidence),
            margin=None if margin is None else parse_margin(margin),
            compare=compare,
        )
        budget = Budget(
            warmup=warmup,
            least=min_runs,
            most=max_runs,
            runs=runs,
            seconds=None if max_time is None else duration("max_time", max_time),
            timeout=None if timeout is None else duration("timeout", timeout),
        )
        settings = RaceSettings(
            question,
            budget,
            Hooks(setup, _several(prepare), _several(conclude), cleanup),
            Streams(input, output),
            dict(environment or {}),
            _ignored(ignore_failure),
            tuple(items),
            seed_of(seed, storage, study_name),
        )
        watchers: list[Watcher] = []
        if progress or (progress is None and sys.stderr.isatty()):
            from rich.console import Console

            from toptwo.racing.live import Picture

            watchers.append(Picture(None, lambda: Console(stderr=True)))
        result = run(named, settings, shell, watchers, executor=executor, storage=storage, study_name=study_name)
    if result.status == "failed":
        failure = MeasurementError(in_python(result.why))
        failure.result = result  # type: ignore[attr-defined]
        raise failure
    return result


@contextmanager
def worded_for_python() -> Iterator[None]:
    """Name arguments where errors name options of the command line."""
    try:
        yield
    except InputError as problem:
        raise InputError(in_python(str(problem))) from None


def in_python(text: str) -> str:
    """Return a sentence with the names of arguments in the place of options.

    Examples
    --------
    >>> in_python("give --max-time 10s, --ignore-failure=1, or -i")
    'give max_time 10s, ignore_failure=1, or ignore_failure'
    """
    for option, argument in ARGUMENTS.items():
        text = text.replace(option, argument)
    text = re.sub(r"--compare (mean|log|wins)\b", r'compare="\1"', text)
    return re.sub(r"--([a-z][a-z-]*[a-z])", lambda option: option[1].replace("-", "_"), text)


ARGUMENTS = {
    "--show-output": 'output="inherit"',
    "--env": "environment",
    "or -i": "or ignore_failure",
    "; -i ": "; ignore_failure=True ",
}
"""Arguments of `race` whose names are not those of the options."""


def _several(hook: str | Sequence[str]) -> tuple[str, ...]:
    return (hook,) if isinstance(hook, str) else tuple(hook)


def _ignored(codes: Any) -> tuple[int, ...] | Literal["all"]:
    if isinstance(codes, bool):
        return "all" if codes else ()
    found = (codes,) if isinstance(codes, int) else codes
    if isinstance(found, str) or not all(isinstance(code, int) for code in found):
        raise InputError(f"ignore_failure must be True, or exit codes such as (1, 3), not {codes!r}.")
    return tuple(found)


def risk(delta: float | None, confidence: float | str | None) -> float:
    """Return the error probability that was asked for, in one way or the other."""
    if delta is not None and confidence is not None:
        raise InputError("--delta and --confidence say the same: leave one of them out.")
    if confidence is not None:
        return error_probability(confidence)
    return 0.05 if delta is None else delta


def seed_of(seed: int | None, storage: str | None, study_name: str | None) -> int:
    """Return the seed of a race: the one given, that of the study which it goes on with, or a new one.

    A guarantee that rests on random places holds on average over seeds: one for all races would make it one draw.
    """
    if seed is not None:
        return checks.whole("seed", seed, 0)
    if storage is None and study_name is None:
        return int.from_bytes(os.urandom(4))
    from toptwo.racing.stored import kept_seed

    kept = kept_seed(storage, study_name)
    return int.from_bytes(os.urandom(4)) if kept is None else kept


def contestants(given: Sequence[Contestant] | Mapping[str, Contestant]) -> tuple[Command, ...]:
    """Return commands, or functions, with names that are all different."""
    if isinstance(given, str) or not isinstance(given, Sequence | Mapping):
        raise InputError(f"commands must be a list of command lines or functions, or a dict with names, not {given!r}.")
    pairs = list(given.items()) if isinstance(given, Mapping) else [(None, contestant) for contestant in given]
    functions = sum(callable(contestant) for _, contestant in pairs)
    if functions not in (0, len(pairs)):
        raise InputError("commands must all be command lines or all be functions: a process against a call is no race.")
    if functions:
        calls = [(name or _name_of(call), call) for name, call in pairs]
        return unique([Command(name, name, call=call, given=place) for place, (name, call) in enumerate(calls)])
    lines = [line for _, line in pairs]
    if not all(isinstance(line, str) for line in lines):
        raise InputError(f"commands must be text or functions, not {lines!r}.")
    return expand([str(line) for line in lines], names=[name for name, _ in pairs if name is not None])


def _name_of(call: Any) -> str:
    return str(getattr(call, "__name__", None) or repr(call))


def run(
    commands: Sequence[Command],
    settings: RaceSettings,
    shell: str | None = None,
    watchers: Sequence[Watcher] = (),
    *,
    alone: bool = False,
    executor: Executor | None = None,
    storage: str | None = None,
    study_name: str | None = None,
) -> RaceResult:
    """Run a race.

    Parameters
    ----------
    commands, settings, shell, watchers
        What races, how, by which shell (None or "none": directly), and who looks on.
    alone
        Whether this process has no children but those of the race, so that what commands leave behind can be found.
    executor, storage, study_name
        As in `race`.
    """
    from toptwo.racing.blocks import make_contest

    if len(commands) < 2:
        raise InputError("a race needs at least two commands; to measure one against itself, add --self-test.")
    check_budget(settings.budget)
    check_hooks(settings.hooks, len(commands), len({command.given for command in commands}))
    check_timeout(settings.question, settings.budget.timeout, settings.question.maximize)
    settings = replace(settings, streams=check_streams(settings.streams))
    if commands[0].call is not None and settings.budget.timeout is not None:
        raise InputError("timeout is for commands: a function in this process cannot be stopped.")
    chosen = executor if executor is not None else make_executor(commands, settings, shell)
    contest: Contest = make_contest(commands, settings, shell, storage, study_name)
    try:
        adopting = alone or settings.question.metric.unit == "byte"
        with Strays(adopting, ending=alone, marking=not alone and commands[0].call is None) as strays:
            measuring = Measuring(commands, settings, chosen, hook_shell(shell), strays)
            measuring.kept = storage is not None
            return Scheduler(measuring, contest, watchers).race()
    finally:
        if executor is None:
            chosen.close()


def hook_shell(shell: str | None) -> list[str]:
    """Return the shell of setup, prepare, conclude, cleanup and metrics, which always use one."""
    from toptwo.racing.executors.shell import shell_words

    return shell_words("default" if shell in (None, "none") else str(shell))


def make_executor(commands: Sequence[Command], settings: RaceSettings, shell: str | None) -> Executor:
    """Return what runs commands such as these."""
    if commands[0].call is not None:
        from toptwo.racing.executors.callable import InProcess

        return InProcess(once=bool(settings.hooks.prepare or settings.hooks.conclude))
    if shell in (None, "none"):
        from toptwo.racing.executors.direct import Direct

        return Direct(settings.streams, settings.environment, settings.seed)
    from toptwo.racing.executors.shell import Shell, shell_words

    return Shell(shell_words(str(shell)), settings.streams, settings.environment, settings.seed)
