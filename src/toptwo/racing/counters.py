"""What the processor counts in a program: instructions and cycles, through Linux's perf events.

A counter is opened on this process, asleep, to be inherited by children and woken when a child loads its program. So it
counts the programs and what they start, in user mode, and nothing of ours.
"""

import os
import struct
from collections.abc import Mapping, Sequence

from toptwo.errors import InputError

CALLS = {"x86_64": 298, "aarch64": 241, "riscv64": 241, "ppc64le": 319, "s390x": 331}
"""Number of the system call perf_event_open."""

EVENTS = {"cpu_cycles": 0, "instructions": 1}
"""PERF_COUNT_HW_CPU_CYCLES and PERF_COUNT_HW_INSTRUCTIONS."""

DISABLED, INHERIT, EXCLUDE_KERNEL, EXCLUDE_HYPERVISOR, ENABLE_ON_EXEC = 1 << 0, 1 << 1, 1 << 5, 1 << 6, 1 << 12
SIZE = 64
"""Bytes of the first version of struct perf_event_attr, which every kernel knows."""

CLOSE_ON_EXEC = 8


def open_counters(names: Sequence[str]) -> dict[str, int]:
    """Return open counters by name, or raise InputError that says why the system does not allow it."""
    found: dict[str, int] = {}
    try:
        for name in names:
            found[name] = _open(EVENTS[name])
    except OSError as problem:
        close_counters(found)
        raise InputError(
            f"this system does not let us count {name.replace('_', ' ')} ({str(problem.strerror).lower()}): "
            "it takes Linux on a processor that shows its counters, and /proc/sys/kernel/perf_event_paranoid of at "
            "most 2; --metric cpu needs nothing of that."
        ) from None
    return found


def _open(event: int) -> int:
    """Return a counter of an event."""
    import ctypes

    machine = os.uname()
    if machine.sysname != "Linux" or machine.machine not in CALLS:
        raise OSError(0, f"{machine.sysname} on {machine.machine} is not supported")
    flags = DISABLED | INHERIT | EXCLUDE_KERNEL | EXCLUDE_HYPERVISOR | ENABLE_ON_EXEC
    attributes = struct.pack("<IIQQQQQIIQ", 0, SIZE, event, 0, 0, 0, flags, 0, 0, 0)
    block = ctypes.create_string_buffer(attributes, SIZE)
    library = ctypes.CDLL(None, use_errno=True)
    number: int = library.syscall(CALLS[machine.machine], block, 0, -1, -1, ctypes.c_ulong(CLOSE_ON_EXEC))
    if number < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return number


def read_counters(counters: Mapping[str, int]) -> dict[str, float]:
    """Return what was counted so far."""
    return {name: float(struct.unpack("<Q", os.read(number, 8))[0]) for name, number in counters.items()}


def difference(before: Mapping[str, float], after: Mapping[str, float]) -> dict[str, float]:
    """Return what was counted in between."""
    return {name: after[name] - before[name] for name in after}


def close_counters(counters: Mapping[str, int]) -> None:
    """Close counters."""
    for number in counters.values():
        os.close(number)
