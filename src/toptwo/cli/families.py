"""The options by which several commands are told the law of the rewards."""

from collections.abc import Callable
from typing import Any

import click

from toptwo import checks
from toptwo.cli.common import numbers
from toptwo.errors import InputError

PARAMETERS = (
    click.option("--sigma", help="Standard deviation of Gaussian rewards, or one per arm: '1 2 0.5'."),
    click.option("--low", type=float, help="Least reward of the bounded family."),
    click.option("--high", type=float, help="Largest reward of the bounded family."),
    click.option("--shape", type=float, help="Known shape of Gamma rewards."),
    click.option("--scale", type=float, help="Usual size of the means of the Poisson, exponential and Gamma families."),
    click.option("--spread", type=float, help="Noise of simulated bounded rewards: 1 the most there can be, 0 none."),
)


def law_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options `--family` and those of the parameters of families."""
    for option in reversed(PARAMETERS):
        command = option(command)
    return click.option("--family", default="gaussian", show_default=True, help="Law of the rewards.")(command)


def take_law(options: dict[str, Any]) -> Any:
    """Take the law out of the options of a command; each parameter must belong to the family.

    Examples
    --------
    >>> take_law({"family": "gamma", "shape": 3.0})
    Gamma(shape=3.0, scale=1.0)
    """
    from toptwo.families import FAMILIES

    name = options.pop("family")
    family = checks.one_of("family", name, FAMILIES)
    asked = {key: options.pop(key, None) for key in ("sigma", "low", "high", "shape", "scale", "spread")}
    given = {key: value for key, value in asked.items() if value is not None}
    for key in given.keys() - set(family._fields):
        *others, owner = (other for other, kind in FAMILIES.items() if key in kind._fields)
        owners = " and ".join([", ".join(others), owner] if others else [owner])
        raise InputError(f"--{key} belongs to the family {owners}, not to {name}: leave it out.")
    if "sigma" in given:
        values = numbers("--sigma", given["sigma"])
        given["sigma"] = values[0] if len(values) == 1 else tuple(values)
    return family(**given)
