"""The options of `toptwo race`, read into settings."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from toptwo.cli.common import check_writable
from toptwo.errors import InputError
from toptwo.racing import api
from toptwo.racing.commands import Command, combinations, expand, listed, scan
from toptwo.racing.executors.direct import Streams
from toptwo.racing.metrics import parse_metric
from toptwo.racing.options import Budget, Hooks, RaceSettings, ask, environment, exit_codes
from toptwo.racing.result import RaceResult
from toptwo.racing.scheduler import Watcher
from toptwo.racing.units import duration, parse_margin

if TYPE_CHECKING:
    from toptwo.racing.saving import Saver


def make_race(options: dict[str, Any], style: str) -> tuple[RaceResult, list[str]]:
    """Run the race that the options ask for; return what it found, and what could not be saved."""
    commands, settings = make_settings(options)
    savers = _savers(options)
    result = api.run(
        commands,
        settings,
        options["shell"],
        [*savers, *_display(options, style)],
        alone=True,
        storage=options["storage"],
        study_name=options["study_name"],
    )
    return result, [sentence for saver in savers for sentence in saver.lost]


def make_settings(options: dict[str, Any]) -> tuple[tuple[Command, ...], RaceSettings]:
    """Return what races, and how."""
    if options["no_shell"]:
        if options["shell"] not in (None, "none"):
            raise InputError("-N runs commands directly, --shell by a shell: leave one of them out.")
        options["shell"] = None
    margin = None if options["margin"] is None else parse_margin(options["margin"])
    question = ask(
        parse_metric(options["metric"]),
        maximize=options["maximize"],
        delta=api.risk(options["delta"], options["confidence"]),
        margin=margin,
        compare=options["compare"],
    )
    if question.metric.source == "returned":
        raise InputError("--metric returned is for functions in Python; commands print their number: --metric stdout.")
    ignored = () if options["ignore_failure"] is None else exit_codes(options["ignore_failure"])
    settings = RaceSettings(
        question,
        _budget(options),
        Hooks(options["setup"], options["prepare"], options["conclude"], options["cleanup"]),
        _streams(options),
        environment(options["environment"]),
        ignored,
        _items(options["items"]),
        api.seed_of(options["seed"], options["storage"], options["study_name"]),
    )
    return _commands(options), settings


EXPORTS = ("export_json", "export_csv", "export_markdown")

UNUSED_IN_SELF_TESTS = (*EXPORTS, "storage", "study_name", "max_runs", "min_runs", "reference")

UNUSED_IN_IMPORTS = (
    *EXPORTS,
    *("storage", "study_name", "names", "margin", "compare", "maximize", "metric", "items", "reference"),
    *("warmup", "min_runs", "max_runs", "runs", "max_time", "timeout"),
    *("setup", "prepare", "conclude", "cleanup", "environment", "shell", "ignore_failure"),
    *("parameter_scan", "parameter_list", "self_test", "show_output"),
)


def refuse_unused(options: dict[str, Any], used: str, why: str, names: Sequence[str]) -> None:
    """Refuse options that would do nothing beside another one."""
    context = click.get_current_context()
    for name in names:
        if context.get_parameter_source(name) is not click.core.ParameterSource.DEFAULT:
            flag = next(option.opts[-1] for option in context.command.params if option.name == name)
            raise InputError(f"{flag} does nothing with {used}: {why}.")


@contextmanager
def progress_of(console: Any) -> Iterator[Callable[[str], None]]:
    """Show the last of some lines on a terminal, all of them now and then elsewhere."""
    from toptwo.racing.live import Seldom

    times = Seldom()
    if not console.is_terminal:
        yield lambda line: click.echo(line, err=True) if times.is_due() else None
        return
    with console.status("the first race") as status:
        yield status.update


def _commands(options: dict[str, Any]) -> tuple[Command, ...]:
    lists = [(name, listed(name, values)) for name, values in options["parameter_list"]]
    step = options["parameter_step_size"]
    scans = [(name, scan(name, lowest, highest, step)) for name, lowest, highest in options["parameter_scan"]]
    if step is not None and not scans:
        raise InputError("--parameter-step-size is the step of a --parameter-scan: add -P VAR MIN MAX.")
    lines = list(options["commands"])
    names = list(options["names"])
    if options["reference"] is not None:
        lines.insert(0, options["reference"])
        if names:
            names.insert(0, options["reference"])
    return expand(lines, combinations([*lists, *scans]) if lists or scans else (), names)


def _budget(options: dict[str, Any]) -> Budget:
    return Budget(
        warmup=options["warmup"],
        least=options["min_runs"],
        most=options["max_runs"],
        runs=options["runs"],
        seconds=None if options["max_time"] is None else duration("--max-time", options["max_time"]),
        timeout=None if options["timeout"] is None else duration("--timeout", options["timeout"]),
    )


def _streams(options: dict[str, Any]) -> Streams:
    if options["show_output"] and options["target"] is not None:
        raise InputError("--show-output is the same as --output inherit: leave one of them out.")
    return Streams(options["source"], "inherit" if options["show_output"] else options["target"] or "null")


def _items(path: Path | None) -> tuple[str, ...]:
    """Return the lines of a file that are not empty."""
    if path is None:
        return ()
    try:
        lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    except (OSError, UnicodeDecodeError) as problem:
        why = problem.strerror if isinstance(problem, OSError) else "it is no text"
        raise InputError(f"--items: {path} cannot be read: {why}.") from None
    if not lines:
        raise InputError(f"--items: {path} has no lines.")
    return tuple(lines)


def _savers(options: dict[str, Any]) -> "list[Saver]":
    """Return who keeps the files up to date, each checked before anything runs."""
    from toptwo.cli.race import TIME_UNITS
    from toptwo.racing.saving import Export, Saver

    exports = []
    suffix, by_value = TIME_UNITS.get(options["time_unit"]), options["sort"] == "mean-time"
    for kind in ("json", "csv", "markdown"):
        path = options[f"export_{kind}"]
        if path is None:
            continue
        if str(path) != "-":
            check_writable(f"--export-{kind}", path)
            if not path.absolute().parent.is_dir():
                raise InputError(f"--export-{kind}: there is no folder {path.parent}.")
        exports.append(Export(None if str(path) == "-" else path.absolute(), _format(kind, options, suffix, by_value)))
    if sum(export.path is None for export in exports) > 1:
        raise InputError("only one file can be printed on standard output: give the others a name.")
    return [Saver(exports, print)] if exports else []


def _format(kind: str, options: dict[str, Any], suffix: str | None, by_value: bool) -> Any:
    if kind == "json":
        from toptwo.racing.exporters.json import json_one, json_two

        return json_one if options["json_schema"] == "1" else json_two
    if kind == "csv":
        from toptwo.racing.exporters.csv import csv_text

        return csv_text
    from toptwo.racing.exporters.markdown import markdown_text

    return lambda result: markdown_text(result, suffix, by_value)


def _display(options: dict[str, Any], style: str) -> list[Watcher]:
    """Return who shows the race while it runs."""
    from toptwo.racing.live import Picture, RaceLines

    if style == "none" or options["show_output"] or options["target"] == "inherit":
        return []
    interactive = style in ("full", "nocolor") or (style == "auto" and sys.stderr.isatty())
    if not interactive:
        return [RaceLines()]
    from toptwo.cli.race import TIME_UNITS

    return [Picture(TIME_UNITS.get(options["time_unit"]), lambda: console_of(style, error=True))]


def console_of(style: str, error: bool = False) -> Any:
    """Return where to print, with colours or without."""
    from rich.console import Console

    if style in ("basic", "nocolor"):
        return Console(
            stderr=error, highlight=False, no_color=True, force_terminal=True if style == "nocolor" else None
        )
    force = True if style in ("full", "color") else None
    return Console(stderr=error, highlight=False, force_terminal=force)
