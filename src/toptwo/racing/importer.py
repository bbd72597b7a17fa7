"""Measurements from files that hyperfine (schema 1 or 2) or toptwo wrote, and what can be concluded from them."""

import json
import math
from pathlib import Path
from typing import Any, NamedTuple

from toptwo.errors import InputError
from toptwo.racing.summary import rank_trend, summarize
from toptwo.racing.units import amount, pair_of, scale_of

TREND = 3.0
"""Deviations at which the order of a command's own runs is called a drift."""

UNITS = ("second", "byte", "count", "")


class Imported(NamedTuple):
    """The measurements of one command."""

    name: str
    values: tuple[float, ...]
    blocks: tuple[int, ...] | None
    """The block of each value, if the runs were interleaved."""


class File(NamedTuple):
    """What a file holds."""

    commands: tuple[Imported, ...]
    unit: str
    verdict: str
    """The verdict that toptwo wrote into it, if it did."""


def read_file(path: Path) -> File:
    """Read a file of either schema."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as problem:
        raise InputError(f"--import: {path} cannot be read: {problem.strerror}.") from None
    except ValueError:
        raise InputError(f"--import: {path} is no JSON: give a file that --export-json wrote.") from None
    version = content.get("schema_version", 1) if isinstance(content, dict) else None
    if version not in (1, 2):
        raise InputError(f"--import: {path} has schema {version!r}; 1 and 2 can be read.")
    try:
        metric = content["primary_metric"] if version == 2 else ""
        commands = tuple(_command(entry, metric) for entry in content["results"])
        unit = _unit(content["results"], metric)
        verdict = str(content.get("toptwo", {}).get("text", "")).split("\n")[0]
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as problem:
        raise InputError(f"--import: {path} is not what hyperfine or toptwo writes: {problem!r} is missing.") from None
    if not any(command.values for command in commands):
        raise InputError(f"--import: {path} holds no single runs, only averages, of which nothing follows.")
    return File(commands, unit, verdict)


def _command(entry: dict[str, Any], metric: str) -> Imported:
    if metric:
        values = tuple(float(run[metric]["value"]) for run in entry["measurements"])
        name = str(entry.get("name") or entry["command"])
    else:
        values = tuple(float(value) for value in entry.get("times") or ())
        name = str(entry["command"])
    if not all(map(math.isfinite, values)):
        raise ValueError("a finite number")
    blocks = entry.get("toptwo", {}).get("blocks")
    return Imported(name, values, tuple(map(int, blocks)) if blocks is not None else None)


def _unit(results: list[dict[str, Any]], metric: str) -> str:
    if not metric:
        return "second"
    units = [run[metric]["unit"] for entry in results for run in entry["measurements"]]
    return units[0] if units and units[0] in UNITS else ""


def show_import(file: File, console: Any) -> None:
    """Print the measurements and what follows from them."""
    from rich.text import Text

    from toptwo.report.terminal import Fitted

    rows = []
    for command in file.commands:
        if command.values:
            summary = summarize(command.values)
            chosen = scale_of(summary.mean, file.unit)
            ends = f"{amount(summary.min, file.unit, chosen)} … {amount(summary.max, file.unit, chosen)}"
            mean = pair_of(summary.mean, summary.stddev, file.unit, chosen)
            rows.append((command.name, mean, ends, str(summary.number)))
    console.print(Fitted(("command", "mean ± σ", "range", "runs"), rows))
    console.print()
    for sentence in conclusions(file):
        console.print(Text(sentence), soft_wrap=not console.is_terminal)


def conclusions(file: File) -> list[str]:
    """Return what can be said, and what cannot.

    Examples
    --------
    >>> a, b = Imported("a", (1.0, 1.1, 0.9), None), Imported("b", (2.0, 2.1, 1.9), None)
    >>> conclusions(File((a, b), "second", ""))[0]
    'These runs were made one command after the other: no verdict follows, however many there are.'
    """
    commands = [command for command in file.commands if command.values]
    if all(command.blocks is not None for command in commands):
        return [f"These runs were interleaved by toptwo race, which found: {file.verdict}"]
    if len(commands) < 2:
        return ["There is one command, so there is nothing to compare."]
    found = [
        "These runs were made one command after the other: no verdict follows, however many there are.",
        "What changed between the commands (load, heat, caches) is part of the difference and cannot be told from it.",
    ]
    best, *others = sorted(commands, key=lambda command: summarize(command.values).mean)
    found += [_compared(best, other) for other in others]
    for command in commands:
        trend = rank_trend(command.values[-400:])
        if abs(trend) > TREND:
            way = "rose" if trend > 0 else "fell"
            found.append(f"Something did change: the values of {command.name} {way} in the course of its own runs.")
    return [*found, "To know, race them: toptwo race " + " ".join(repr(command.name) for command in commands)]


def _compared(best: Imported, other: Imported) -> str:
    """Say how two commands compare if nothing changed in between."""
    one, two = summarize(best.values), summarize(other.values)
    if one.mean <= 0.0 or one.stddev is None or two.stddev is None:
        return f"{best.name} had the lower mean than {other.name}; how sure that is cannot be said."
    ratio = two.mean / one.mean
    error = ratio * math.hypot(
        one.stddev / one.mean / math.sqrt(one.number), two.stddev / two.mean / math.sqrt(two.number)
    )
    sure = "" if ratio - 2.0 * error > 1.0 else ", which is within the error"
    return (
        f"If nothing changed, {other.name} took {ratio:.3f} ± {2.0 * error:.3f} times as much as {best.name} "
        f"(two standard errors){sure}; a change of the machine by {100.0 * (ratio - 1.0):.1f} % in between explains it "
        "as well."
    )
