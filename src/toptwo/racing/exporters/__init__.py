"""Results as files: one format per module, all written in one piece or not at all."""

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from toptwo.racing.result import RaceResult

Format = Callable[[RaceResult], str]


def write(path: Path, text: str) -> None:
    """Write a file so that at any moment either the old text or the new one is there."""
    number, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with open(number, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(name, 0o666 & ~_mask())
        os.replace(name, path)
    except OSError as problem:
        os.unlink(name)
        raise OSError(problem.errno, problem.strerror, str(path)) from None
    except BaseException:
        os.unlink(name)
        raise


def _mask() -> int:
    """Return the permissions that new files do not get."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
