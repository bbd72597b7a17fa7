"""JSON that every reader accepts: null stands for what is no finite number."""

import json
import math
from typing import Any


def json_text(value: Any, indent: int | None = 1) -> str:
    """Return a value as JSON, in which NaN and infinity never occur.

    Examples
    --------
    >>> json_text({"mean": 2.5, "error": float("nan"), "ends": (0.0, float("inf"))}, indent=None)
    '{"mean": 2.5, "error": null, "ends": [0.0, null]}'
    """
    return json.dumps(_finite(value), ensure_ascii=False, indent=indent, allow_nan=False)


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(entry) for entry in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
