"""Who is at work on a study."""

import os
import socket

_names: dict[int, str] = {}


def worker() -> str:
    """Return who is asking, in words: the machine and the process."""
    process = os.getpid()
    if process not in _names:
        _names[process] = f"{socket.gethostname()}:{process}"
    return _names[process]
