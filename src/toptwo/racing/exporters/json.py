"""JSON as hyperfine writes it: schema 2 of its version 2, or schema 1 of before, with ours beside it."""

import platform
from typing import Any

from toptwo import __version__
from toptwo.json_text import json_text
from toptwo.racing.commands import Command
from toptwo.racing.measuring import measured
from toptwo.racing.outcome import Run
from toptwo.racing.result import RaceResult, unit_of


def json_two(result: RaceResult) -> str:
    """Return the text of a file of schema 2."""
    return json_text(schema_two(result)) + "\n"


def json_one(result: RaceResult) -> str:
    """Return the text of a file of schema 1."""
    return json_text(schema_one(result)) + "\n"


def schema_two(result: RaceResult) -> dict[str, Any]:
    """Return what hyperfine 2 writes, and what it does not know under `toptwo`."""
    return {
        "schema_version": 2,
        "metadata": {
            "toptwo_version": __version__,
            "start_time": result.started,
            "platform": {"os": platform.system(), "architecture": platform.machine()},
        },
        "primary_metric": result.question.metric.name,
        "results": [_contestant(result, arm) for arm in range(len(result.commands))],
        "toptwo": verdict(result),
    }


def _contestant(result: RaceResult, arm: int) -> dict[str, Any]:
    """Return a command with all its runs."""
    command, runs, metrics = result.commands[arm], result.runs_of(arm), result.metrics(arm)
    found: dict[str, Any] = {"command": command.line, "name": command.name}
    if command.parameters:
        found["parameters"] = command.parameters
    found["measurements"] = [_measurement(result, run, metrics) for run in runs]
    found["summary"] = {name: _summary(result, arm, name) for name in metrics}
    found["toptwo"] = _circumstances(runs)
    return found


def _circumstances(runs: list[Run]) -> dict[str, Any]:
    """Return when and on what each run was made."""
    found: dict[str, Any] = {
        "blocks": [run.block for run in runs],
        "places": [run.place for run in runs],
        "timed_out": [run.outcome.timed_out for run in runs],
        "costs": [run.cost for run in runs],
    }
    if any(run.item is not None for run in runs):
        found["items"] = [run.item for run in runs]
    return found


def _measurement(result: RaceResult, run: Run, metrics: list[str]) -> dict[str, Any]:
    values = {**measured(run.outcome), result.question.metric.name: run.value}
    found: dict[str, Any] = {name: {"value": values[name], "unit": unit_of(result, name)} for name in metrics}
    return {**found, "exit_code": run.outcome.exit_code}


def _summary(result: RaceResult, arm: int, metric: str) -> dict[str, Any]:
    summary = result.summary(arm, metric)
    assert summary is not None  # `metrics` names those that have one
    numbers = summary._asdict()
    return {"unit": unit_of(result, metric), "count": numbers.pop("number"), **numbers}


def verdict(result: RaceResult) -> dict[str, Any]:
    """Return what the race found, in our own words."""
    question, standing = result.question, result.standing
    return {
        "status": result.status,
        "why": result.why,
        "winner": result.winner,
        "leader": result.leader,
        "contenders": list(result.contenders),
        "confidence": standing.confidence,
        "delta": question.delta,
        "margin": str(question.margin),
        "compare": question.compare,
        "direction": "maximize" if question.maximize else "minimize",
        "seconds": result.seconds,
        "seed": result.seed,
        "pairs": {
            result.commands[arm].name: pair._asdict() for arm, pair in enumerate(standing.pairs) if pair is not None
        },
        "assumption": standing.assumption,
        "notes": list(result.notes),
        "text": str(result),
    }


def schema_one(result: RaceResult) -> dict[str, Any]:
    """Return what hyperfine 1 writes, whose numbers are wall times in seconds."""
    return {
        "results": [_contestant_one(result, arm) for arm, _ in enumerate(result.commands)],
        "toptwo": verdict(result),
    }


def _contestant_one(result: RaceResult, arm: int) -> dict[str, Any]:
    command, runs = result.commands[arm], result.runs_of(arm)
    wall = result.summary(arm, "time_wall_clock")
    found: dict[str, Any] = {"command": _name_one(command)}
    if wall is not None:
        user, system = result.summary(arm, "time_user"), result.summary(arm, "time_system")
        found |= {"mean": wall.mean, "stddev": wall.stddev, "median": wall.median}
        found |= {"user": user.mean if user else 0.0, "system": system.mean if system else 0.0}
        found |= {"min": wall.min, "max": wall.max}
    found["times"] = [max(0.0, run.outcome.wall) for run in runs]
    if runs and all(run.outcome.memory is not None for run in runs):
        found["memory_usage_byte"] = [run.outcome.memory for run in runs]
    found["exit_codes"] = [run.outcome.exit_code for run in runs]
    if command.parameters:
        found["parameters"] = command.parameters
    found["toptwo"] = _circumstances(runs)
    return found


def _name_one(command: Command) -> str:
    """Return the text of a command: before version 2 its name took its place."""
    return command.name
