"""What is compared: wall time by default, anything that a number can be got of on request."""

import difflib
import json
import math
import shutil
from typing import Any, NamedTuple

from toptwo.errors import InputError, MeasurementError

TIMES = ("time_wall_clock", "time_cpu", "time_user", "time_system")
COUNTERS = ("instructions", "cpu_cycles")
"""What the processor counts; hyperfine's names."""


class Metric(NamedTuple):
    """One number per run.

    Attributes
    ----------
    name
        hyperfine's name where it has one; `stdout`, `json:KEY`, `returned`, or the command that prints it.
    unit
        "second", "byte", "count", or nothing for numbers whose unit only their owner knows.
    source
        "measured", "counter", "stdout", "json", "command" or "returned".
    argument
        The key, or the command.
    """

    name: str
    label: str
    unit: str
    source: str = "measured"
    argument: str = ""

    @property
    def reads_output(self) -> bool:
        """Return whether it is read from what a command prints."""
        return self.source in ("stdout", "json", "command")

    @property
    def own(self) -> bool:
        """Return whether the number comes from the user, so that nothing is known of its sign and scale."""
        return self.reads_output or self.source == "returned"

    @property
    def may_be_none(self) -> bool:
        """Return whether it is a time of which many a program needs none at all, as the system counts."""
        return self.name in ("time_user", "time_system")

    def better(self, maximize: bool) -> str:
        """Return the comparative of this metric."""
        if maximize:
            return "higher"
        return {"second": "faster", "byte": "smaller"}.get(self.unit, "lower")

    def best(self, maximize: bool) -> str:
        """Return the superlative of this metric."""
        if maximize:
            return "highest"
        return {"second": "fastest", "byte": "smallest"}.get(self.unit, "lowest")


WALL_CLOCK = Metric("time_wall_clock", "wall time", "second")
KNOWN = {
    metric.name: metric
    for metric in (
        WALL_CLOCK,
        Metric("time_cpu", "CPU time", "second"),
        Metric("time_user", "user time", "second"),
        Metric("time_system", "system time", "second"),
        Metric("memory_peak_resident", "peak memory", "byte"),
        Metric("instructions", "instructions", "count", "counter"),
        Metric("cpu_cycles", "CPU cycles", "count", "counter"),
        Metric("stdout", "number printed", "", "stdout"),
        Metric("returned", "number returned", "", "returned"),
    )
}
SHORT = {
    "time": "time_wall_clock",
    "wall": "time_wall_clock",
    "cpu": "time_cpu",
    "user": "time_user",
    "system": "time_system",
    "memory": "memory_peak_resident",
    "cycles": "cpu_cycles",
}


def parse_metric(text: str, shell: str = "/bin/sh") -> Metric:
    """Return the metric that a text names.

    Examples
    --------
    >>> parse_metric("memory").name, parse_metric("json:score.mean").argument
    ('memory_peak_resident', 'score.mean')
    """
    folded = text.strip().replace("-", "_").lower()
    if SHORT.get(folded, folded) in KNOWN:
        return KNOWN[SHORT.get(folded, folded)]
    if text.startswith("json:"):
        if not text[5:].strip():
            raise InputError("--metric json: needs a key, for example json:score or json:results.0.nps.")
        return Metric(text, text[5:], "", "json", text[5:].strip())
    if not text.strip():
        raise InputError("--metric is empty: name a metric, or give a command that prints the number.")
    first = text.split()[0]
    if first == text.strip() and shutil.which(first) is None:
        names = [*SHORT, *KNOWN, "json:KEY"]
        near = difflib.get_close_matches(folded, names, n=1, cutoff=0.5)
        hint = f"; did you mean {near[0]}?" if near else "."
        raise InputError(f"--metric {text!r} is neither a metric nor a command{hint} Known: {', '.join(names)}.")
    return Metric(text, text, "", "command", text)


def resolution_of(metric: Metric) -> float:
    """Return the seconds in which a time is counted: wall time in nanoseconds, the processor's in microseconds."""
    return 1e-9 if metric is WALL_CLOCK else 1e-6


def number_printed(output: bytes, who: str) -> float:
    r"""Return the number on the last line of an output.

    Examples
    --------
    >>> number_printed(b"warming up\n12.5\n", "engine")
    12.5
    """
    lines = output.decode(errors="replace").split("\n")
    last = next((line.strip() for line in reversed(lines) if line.strip()), "")
    try:
        return finite(float(last))
    except ValueError:
        shown = f"its last line is {last[:60]!r}" if last else "it printed nothing"
        raise MeasurementError(f"{who} printed no number on its last line: {shown}.") from None


def number_at(output: bytes, key: str, who: str) -> float:
    """Return the number at a key of the JSON that was printed, as a whole or on the last line.

    Examples
    --------
    >>> number_at(b'{"score": {"mean": [0.5, 0.75]}}', "score.mean.1", "model")
    0.75
    """
    value: Any = json_printed(output, who)
    for part in key.split("."):
        try:
            value = value[int(part)] if isinstance(value, list) else value[part]
        except (KeyError, IndexError, ValueError, TypeError):
            raise MeasurementError(f"{who} printed JSON without {key!r}: there is no {part!r} in it.") from None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise MeasurementError(f"{who} printed {value!r} for {key!r}, which is no finite number.")
    return float(value)


def json_printed(output: bytes, who: str) -> Any:
    """Return the JSON that a command printed, before which it may have printed other lines."""
    text = output.decode(errors="replace").strip()
    for candidate in (text, text.rsplit("\n", 1)[-1]):
        try:
            return json.loads(candidate)
        except ValueError:
            continue
    raise MeasurementError(f"{who} printed no JSON, neither as a whole nor on its last line: {text[-60:]!r}.")


def finite(value: float) -> float:
    """Return a number that is one."""
    if not math.isfinite(value):
        raise ValueError(value)
    return value
