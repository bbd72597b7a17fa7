"""The item of a block in the place of {item}: always one word, and never code."""

import re
from collections.abc import Sequence

from toptwo.errors import MeasurementError

PLACE = "{item}"
VARIABLE = "TOPTWO_ITEM"
"""In the environment of everything that runs for an item; what it holds is never read as code."""

PLAIN = re.compile(r"[\w@%+=:,./-]+", re.ASCII)
"""Items that mean themselves to every shell."""

OPENING = re.compile(r"\\.|\{item\}|'|\"|\$?\(|\)", re.DOTALL)
IN_QUOTES = re.compile(r"\{item\}|'")
"""What changes how a shell reads the text behind it, and the place of the item; inside single quotes only they end."""


def in_words(words: Sequence[str], item: str | None) -> list[str]:
    """Return words, the item in its place: it stays one word whatever it holds.

    Examples
    --------
    >>> in_words(["ask", "{item}"], "What's the capital?")
    ['ask', "What's the capital?"]
    """
    return list(words) if item is None else [word.replace(PLACE, item) for word in words]


def in_shell(line: str, item: str | None) -> str:
    r"""Return a line of a shell, the item in its place: what is not plain is read from the environment.

    Quotes around the place are closed before and opened again behind: in quotes or not, the item is one word.

    Examples
    --------
    >>> in_shell("ask {item}", "easy"), in_shell("ask {item}", "a; b")
    ('ask easy', 'ask "$TOPTWO_ITEM"')
    >>> print(in_shell("ask 'so: {item}'", "a; b"))
    ask 'so: '"$TOPTWO_ITEM"''
    """
    if item is None or PLAIN.fullmatch(item):
        return line if item is None else line.replace(PLACE, item)
    parts, begin = [], 0
    open_marks = [""]
    while (mark := (IN_QUOTES if open_marks[-1] == "'" else OPENING).search(line, begin)) is not None:
        state = open_marks[-1]
        parts += [line[begin : mark.start()], f'{state}"${VARIABLE}"{state}' if mark[0] == PLACE else mark[0]]
        _look(mark[0], state, open_marks)
        begin = mark.end()
    return "".join([*parts, line[begin:]])


def _look(mark: str, state: str, open_marks: list[str]) -> None:
    """Note what a mark opens or closes: quotes, and parentheses, inside which quotes begin anew."""
    if mark == state or (mark == ")" and not state and len(open_marks) > 1):
        open_marks.pop()
    elif mark in "'\"" and not (state == '"' and mark == "'"):
        open_marks.append(mark)
    elif mark == "$(" or (mark == "(" and not state):
        open_marks.append("")


def variables(item: str | None) -> dict[str, str]:
    """Return what the environment holds of an item."""
    if item is not None and "\0" in item:
        raise MeasurementError(f"the item {item!r} holds a zero byte, which no argument may: take it out of the items.")
    return {} if item is None else {VARIABLE: item}
