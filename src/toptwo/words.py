"""Words for people: numbers with their nouns, and names that stay in their line."""


def counted(number: int, noun: str) -> str:
    """Return a number of things.

    Examples
    --------
    >>> counted(1, "measurement"), counted(1200, "measurement")
    ('1 measurement', '1,200 measurements')
    """
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def one_line(value: object) -> str:
    r"""Return the text of a value with line ends and control characters spelled out, so that it stays in its row.

    Examples
    --------
    >>> one_line("rye\nbread")
    'rye\\nbread'
    """
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in str(value))
