"""What races: commands with their names and parameters, as hyperfine's users write them."""

import itertools
import math
import re
from collections.abc import Iterable, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any, NamedTuple

from toptwo.errors import InputError
from toptwo.racing.items import PLACE
from toptwo.words import one_line

MOST = 1000
"""Commands at most; more are surely a slip of a parameter scan."""


class Command(NamedTuple):
    """One contestant.

    Attributes
    ----------
    name
        As shown; unique in a race.
    line
        The command line, parameters filled in, or the text by which a callable is known.
    parameters
        Values of the parameters, by name.
    call
        The callable, if it is one.
    given
        Number of the command among those given, by which `--prepare` and `--conclude` are chosen.
    item
        What takes the place of {item} in the line (items.py), once a block has drawn it.
    mark
        What tells its processes from others, in the environment of a run (strays.py).
    """

    name: str
    line: str
    parameters: dict[str, str] = {}  # noqa: RUF012 (never changed)
    call: Any = None
    given: int = 0
    item: str | None = None
    mark: dict[str, str] = {}  # noqa: RUF012 (never changed)

    @property
    def text(self) -> str:
        """Return the line with the item in its place, for eyes and not for shells."""
        return self.line if self.item is None else self.line.replace(PLACE, self.item)


def fill(text: str, parameters: dict[str, str]) -> str:
    """Return a text with every {parameter} replaced by its value, all at once.

    Examples
    --------
    >>> fill("make -j {n} {n}{m}", {"n": "4", "m": "{n}"})
    'make -j 4 4{n}'
    """
    if not parameters:
        return text
    marks = "|".join(re.escape(f"{{{name}}}") for name in parameters)
    return re.sub(marks, lambda found: parameters[found[0][1:-1]], text)


def scan(name: str, lowest: str, highest: str, step: str | None) -> list[str]:
    """Return the values of a parameter scan, written as precisely as they were given.

    Examples
    --------
    >>> scan("delay", "0.3", "0.7", "0.2")
    ['0.3', '0.5', '0.7']
    """
    try:
        low, high, by = Decimal(lowest), Decimal(highest), Decimal(step if step is not None else "1")
        finite = all(value.is_finite() for value in (low, high, by))
    except InvalidOperation:
        finite = False
    if not finite:
        raise InputError(f"--parameter-scan {name} needs numbers: -P {name} MIN MAX, and -D STEP if you like.")
    if step is None and low != low.to_integral_value():
        raise InputError(f"--parameter-scan {name} from {lowest} needs a step: add -D STEP.")
    if by <= 0 or high < low:
        raise InputError(f"--parameter-scan {name} must go upwards, from MIN to MAX by a step above 0.")
    number = math.floor((high - low) / by) + 1
    if number > MOST:
        raise InputError(f"--parameter-scan {name} has {number:,} values; at most {MOST:,} commands can race.")
    return [str(low + place * by) for place in range(number)]


def listed(name: str, values: str) -> list[str]:
    r"""Return the values of a parameter list; a comma inside a value is written `\,`.

    Examples
    --------
    >>> listed("compiler", "gcc,clang -O2")
    ['gcc', 'clang -O2']
    """
    found = [""]
    escaped = False
    for letter in values:
        if escaped:
            found[-1] += letter if letter in ",\\" else "\\" + letter
            escaped = False
        elif letter == "\\":
            escaped = True
        elif letter == ",":
            found.append("")
        else:
            found[-1] += letter
    if escaped:
        found[-1] += "\\"
    if not name or not all(found):
        raise InputError(f"--parameter-list needs a name and values without gaps: -L {name or 'VAR'} a,b,c.")
    return found


def combinations(lists: Iterable[tuple[str, Sequence[str]]]) -> list[dict[str, str]]:
    """Return every combination of the values of parameters, the first parameter changing fastest."""
    named = list(lists)
    names = [name for name, _ in named]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"parameter {name} is given twice: give each of its values once, in one list.")
    rows = itertools.product(*(values for _, values in reversed(named)))
    return [dict(zip(names, reversed(row), strict=True)) for row in rows]


def expand(
    lines: Sequence[str], parameters: Sequence[dict[str, str]] = (), names: Sequence[str] = ()
) -> tuple[Command, ...]:
    """Return the commands of a race: every line with every combination of parameters, and their names.

    Examples
    --------
    >>> [command.line for command in expand(["make -j {n}"], [{"n": "1"}, {"n": "2"}])]
    ['make -j 1', 'make -j 2']
    """
    if any(not line.strip() for line in lines):
        raise InputError("a command is empty: give a program to run, for example 'sleep 0.1'.")
    sets = parameters or [{}]
    if len(lines) * len(sets) > MOST:
        raise InputError(f"that makes {len(lines) * len(sets):,} commands; at most {MOST:,} can race.")
    used = [[fill(line, values) for values in sets] for line in lines]
    plain = [
        Command(text, text, values, given=place)
        for place, texts in enumerate(used)
        for text, values in zip(texts, sets, strict=True)
    ]
    return unique(named(plain, names, len(lines)))


def named(commands: Sequence[Command], names: Sequence[str], lines: int) -> list[Command]:
    """Return commands with the names given: one for each command, or one for each line, in their order."""
    if len(names) > len(commands):
        raise InputError(f"there are {len(names)} names for {len(commands)} commands: give one -n for each at most.")
    if names and len(names) == lines < len(commands):
        texts = [fill(names[command.given], command.parameters) for command in commands]
        return [
            command._replace(name=text if text != names[command.given] else f"{text} {suffix(command.parameters)}")
            for command, text in zip(commands, texts, strict=True)
        ]
    given = [fill(name, command.parameters) for name, command in zip(names, commands, strict=False)]
    rest = [command.name for command in commands[len(given) :]]
    return [command._replace(name=name) for command, name in zip(commands, given + rest, strict=True)]


def suffix(parameters: dict[str, str]) -> str:
    """Return parameters in words."""
    return "(" + ", ".join(f"{name} = {value}" for name, value in parameters.items()) + ")"


def unique(commands: Sequence[Command]) -> tuple[Command, ...]:
    """Return commands whose names are all different: what is the same is numbered or shows its parameters."""
    seen: dict[str, int] = {}
    found = []
    for command in commands:
        name = one_line(command.name)
        if sum(other.name == command.name for other in commands) > 1 and command.parameters:
            name = f"{name} {suffix(command.parameters)}"
        seen[name] = seen.get(name, 0) + 1
        found.append(command._replace(name=name if seen[name] == 1 else f"{name} ({seen[name]})"))
    return tuple(found)
