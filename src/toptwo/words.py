"""Words for people: numbers with their nouns, and names that stay in their line."""

import math


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number of things; their plural, if it does not end in s alone.

    Examples
    --------
    >>> counted(1, "measurement"), counted(1200, "measurement")
    ('1 measurement', '1,200 measurements')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def one_line(value: object) -> str:
    r"""Return the text of a value with line ends and control characters spelled out, so that it stays in its row.

    Examples
    --------
    >>> one_line("rye\nbread")
    'rye\\nbread'
    """
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in str(value))


def number_text(value: float, digits: int = 3) -> str:
    """Return a number with so many significant digits, and infinity as a sign.

    Examples
    --------
    >>> number_text(1234.5), number_text(-float("inf")), number_text(-1e-300, 2)
    ('1234', '−∞', '-1e-300')
    """
    if math.isinf(value):
        return "∞" if value > 0.0 else "−∞"
    rounded = f"{value:.{digits}g}"
    return f"{value:.0f}" if "e" in rounded and abs(value) < 1e7 and abs(value) >= 1.0 else rounded
