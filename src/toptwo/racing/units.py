"""Quantities as people write them: 2%, 5ms, 95%, 1.5min; and numbers as people read them."""

import math
import re
from typing import Any, NamedTuple

from toptwo.errors import InputError

TIMES = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0}
SIZES = {"B": 1.0, "kB": 1e3, "MB": 1e6, "GB": 1e9, "KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30}
COUNTS = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9}
SCALES = {"second": TIMES, "byte": SIZES, "count": COUNTS, "": {"": 1.0}}
"""The suffixes of each unit, and how much one of them is."""

SHOWN = {
    "second": ("ns", "µs", "ms", "s", "min", "h"),
    "byte": ("B", "KiB", "MiB", "GiB"),
    "count": ("", "k", "M", "G"),
}
"""The suffixes among which a display chooses, smallest first."""

NUMBER = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*([^\d\s]*)\s*")


class Margin(NamedTuple):
    """How much better one option must be to count as better: a share, or an amount in a unit."""

    amount: float
    unit: str
    """"%" for a share, else a suffix such as "ms", or nothing for a bare number."""

    @property
    def share(self) -> bool:
        """Return whether it is a share of the value and not an amount."""
        return self.unit == "%"

    def __str__(self) -> str:
        return f"{self.amount:g} {self.unit}".rstrip()


def split(option: str, text: str, example: str) -> tuple[float, str]:
    """Return the number and the suffix of a quantity.

    Examples
    --------
    >>> split("--margin", "2.5 ms", "2%")
    (2.5, 'ms')
    """
    match = NUMBER.fullmatch(text)
    if match is None or not math.isfinite(float(match[1])):
        raise InputError(f"{option} must look like {example}, not {text!r}.")
    return float(match[1]), match[2]


def duration(option: str, text: str | float) -> float:
    """Return a duration in seconds, a bare number being seconds.

    Examples
    --------
    >>> duration("--max-time", "1.5min"), duration("--max-time", "10")
    (90.0, 10.0)
    """
    number, suffix = split(option, str(text), "10s, 500ms or 2min")
    if suffix and suffix not in TIMES:
        raise InputError(f"{option} is a time: {', '.join(TIMES)} are known, and {suffix!r} is none of them.")
    if number <= 0.0:
        raise InputError(f"{option} must be more than no time at all, not {text}.")
    return number * TIMES[suffix or "s"]


def error_probability(text: str | float) -> float:
    """Return the error probability that belongs to a confidence such as 95%.

    Examples
    --------
    >>> error_probability("99%"), error_probability("0.9")
    (0.01, 0.1)
    """
    number, suffix = split("--confidence", str(text), "95%")
    share = number / 100.0 if suffix == "%" else number
    if suffix not in ("", "%") or not 0.0 < share < 1.0:
        missing = f": {number:g} % is written {number:g}%" if not suffix and 1.0 < number < 100.0 else ""
        raise InputError(f"--confidence must lie between 0% and 100%, for example 95%, not {text!r}{missing}.")
    return round(1.0 - share, 12)


def parse_margin(text: Any) -> Margin:
    """Return a margin; which units make sense is known once the metric is.

    Examples
    --------
    >>> parse_margin("2%")
    Margin(amount=2.0, unit='%')
    """
    number, suffix = split("--margin", str(text), "2% or 5ms")
    if number < 0.0:
        raise InputError(f"--margin must not be negative: {text!r} (0% asks for a winner whatever it takes).")
    if suffix == "%" and number >= 100.0:
        raise InputError(f"--margin must be less than 100%, not {text!r}.")
    return Margin(number, suffix)


def scale_of(value: float, unit: str, wanted: str | None = None) -> str:
    """Return the suffix in which a value reads best, or the one that is wanted."""
    if wanted is not None and wanted in SCALES[unit]:
        return wanted
    suffixes = SHOWN.get(unit, ("",))
    fitting = [suffix for suffix in suffixes if abs(value) >= SCALES[unit][suffix]]
    return fitting[-1] if fitting and value else ("s" if unit == "second" and not value else suffixes[0])


def amount(value: float, unit: str, suffix: str | None = None) -> str:
    """Return a value with its unit, in four digits.

    Examples
    --------
    >>> amount(0.0123456, "second"), amount(3.2e6, "byte"), amount(1234567.0, ""), amount(0.01, "second", "s")
    ('12.35 ms', '3.052 MiB', '1234567', '0.01 s')
    """
    if not math.isfinite(value):
        return "–"
    chosen = scale_of(value, unit, suffix)
    shown = significant(value / SCALES[unit][chosen])
    return f"{shown} {chosen}".rstrip()


def pair_of(value: float, spread: float | None, unit: str, suffix: str | None = None) -> str:
    """Return a value and its deviation, both in the digits that the value deserves.

    Examples
    --------
    >>> pair_of(0.0171612, 0.0040081, "second"), pair_of(12.0, None, "")
    ('17.16 ± 4.01 ms', '12')
    """
    if spread is None or not math.isfinite(value):
        return amount(value, unit, suffix)
    chosen = scale_of(value, unit, suffix)
    scale = SCALES[unit][chosen]
    size = abs(value) / scale
    places = 2 if not size else max(0, 3 - math.floor(math.log10(size)))
    if places > 8:
        return f"{significant(value / scale)} ± {significant(spread / scale)} {chosen}".rstrip()
    return f"{value / scale:.{places}f} ± {spread / scale:.{places}f} {chosen}".rstrip()


def significant(value: float, digits: int = 4) -> str:
    """Return a number in about four digits, never in powers of ten where people would not write them.

    Examples
    --------
    >>> significant(1.39512), significant(123456.7), significant(0.00001234)
    ('1.395', '123457', '1.234e-05')
    """
    size = abs(value)
    if size and (size < 1e-4 or size >= 1e15):
        return f"{value:.{digits - 1}e}"
    places = max(0, digits - 1 - math.floor(math.log10(size))) if size else 0
    return f"{value:.{places}f}".rstrip("0").rstrip(".") if places else f"{value:.0f}"
