"""CSV with hyperfine's columns: one line per command."""

import csv
import io

from toptwo.racing.result import RaceResult


def csv_text(result: RaceResult) -> str:
    """Return the table; times in seconds, memory in bytes."""
    names = list(dict.fromkeys(name for command in result.commands for name in command.parameters))
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    head = ["command", "mean", "stddev", "median", "user", "system", "min", "max"]
    writer.writerow([*head, "runs", *(f"parameter_{name}" for name in names)])
    for arm, command in enumerate(result.commands):
        summary = result.summary(arm)
        if summary is None:
            numbers: list[object] = [""] * 7
        else:
            user, system = (result.summary(arm, name) for name in ("time_user", "time_system"))
            numbers = [summary.mean, "" if summary.stddev is None else summary.stddev, summary.median]
            numbers += [user.mean if user else "", system.mean if system else "", summary.min, summary.max]
        runs = 0 if summary is None else summary.number
        writer.writerow([command.name, *numbers, runs, *(command.parameters.get(name, "") for name in names)])
    return file.getvalue()
