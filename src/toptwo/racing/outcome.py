"""What one execution and one run of a command leave behind."""

from typing import Any, NamedTuple


class Outcome(NamedTuple):
    """One execution of a command, as the executor saw it.

    Attributes
    ----------
    wall, user, system
        Seconds: from just before the start to the end, and what the processor spent on the command alone.
    memory
        Bytes at the peak; None where our own size would hide it.
    exit_code
        0 if all went well; minus the number of the signal that ended it; None after a time-out.
    output
        What it printed, where the metric is read from that.
    counted
        What the processor counted, by metric.
    left
        Processes that it left running, and that were ended.
    returned
        What a callable returned.
    resolution
        Seconds up to which the time that races cannot be told from none, for the clock or for what is subtracted.
    """

    wall: float
    user: float = 0.0
    system: float = 0.0
    memory: int | None = None
    exit_code: int | None = 0
    timed_out: bool = False
    output: bytes = b""
    counted: dict[str, float] = {}  # noqa: RUF012 (never changed)
    left: int = 0
    returned: Any = None
    resolution: float = 1e-9


def times(outcome: Outcome) -> dict[str, float]:
    """Return the times of an outcome, under hyperfine's names; less than nothing, where a start was subtracted."""
    return {
        "time_wall_clock": outcome.wall,
        "time_cpu": outcome.user + outcome.system,
        "time_user": outcome.user,
        "time_system": outcome.system,
    }


class Run(NamedTuple):
    """One measurement: an outcome, the number that races, and where it stands."""

    arm: int
    block: int
    place: int
    """Place inside the block, from 0."""
    value: float
    """The metric; at a time-out the limit, or the worst there is."""
    outcome: Outcome
    item: str | None = None
    cost: float = 0.0
    """Seconds that it took with all that belongs to it."""
