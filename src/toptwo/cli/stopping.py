"""The options by which several commands are told when to stop."""

from collections.abc import Callable
from typing import Any

import click

from toptwo.rules.thresholds import DEFAULT_THRESHOLD

OPTIONS = (
    click.option("--delta", type=float, default=0.1, show_default=True, help="Error probability aimed at."),
    click.option(
        "--threshold",
        default=DEFAULT_THRESHOLD,
        show_default=True,
        help="betting, mixture or proven; heuristic has no proof of its error.",
    ),
    click.option("--epsilon", type=float, default=0.0, help="Margin within which an arm is a right answer."),
)


def stopping_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options `--delta`, `--threshold` and `--epsilon`."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command
