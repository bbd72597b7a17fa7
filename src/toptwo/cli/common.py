"""What several commands share: numbers and files as they are given, JSON as it is printed."""

import tempfile
from os import cpu_count
from pathlib import Path
from typing import Any

import click

from toptwo.errors import InputError
from toptwo.json_text import json_text


def print_json(value: Any) -> None:
    """Print a value as JSON."""
    click.echo(json_text(value, indent=2))


def numbers(option: str, text: str) -> list[float]:
    """Return the numbers given to an option.

    Examples
    --------
    >>> numbers("--means", "0.6, 0.5 0.4")
    [0.6, 0.5, 0.4]
    """
    try:
        return [float(part) for part in text.replace(",", " ").split()]
    except ValueError:
        raise InputError(f"{option} must be numbers separated by spaces or commas, not {text!r}.") from None


def check_writable(option: str, path: Path) -> None:
    """Refuse, before anything is run, a file that could not be written afterwards."""
    folder = next(parent for parent in path.absolute().parents if parent.exists())  # what is missing will be made
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as problem:
        raise InputError(f"{option}: {path} cannot be written, {folder}: {problem.strerror}.") from None


def check_figure(option: str, path: Path) -> None:
    """Refuse, before anything is run, what is no PNG file in a folder that is there."""
    if path.suffix.lower() != ".png" or not path.absolute().parent.is_dir():
        raise InputError(f"{option} must name a .png file in a folder that exists, not {path}.")
    check_writable(option, path)


def workers_of(threads: int | None) -> int:
    """Return how many workers to start."""
    from toptwo import checks  # with NumPy, which a command that must start at once does without

    return checks.whole("threads", threads, 1) if threads is not None else (cpu_count() or 1)
