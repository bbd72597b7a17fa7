"""What all figures share: a canvas without a window, axes for counts, and files written whole."""

import io
import math
from pathlib import Path
from typing import Any

from toptwo.sweeps.files import write_whole

WIDTH = 8.0
"""Inches across a figure; text is sized for that."""


def canvas(height: float, columns: int = 1, rows: int = 1, **options: Any) -> tuple[Any, Any]:
    """Return a figure and its axes, as an array if there are several."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, height), dpi=110, layout="constrained")
    FigureCanvasAgg(figure)
    return figure, figure.subplots(rows, columns, **options)


def counts_axis(axis: Any) -> None:
    """Make the ticks of a logarithmic axis plain numbers, as many as fit; powers of ten over a wide range."""
    from matplotlib.ticker import LogFormatterMathtext, LogLocator, NullFormatter

    low, high = axis.get_view_interval()
    decades = math.log10(high / low)
    leading = (1.0, 1.5, 2.0, 3.0, 5.0, 7.0) if decades < 1.3 else (1.0, 2.0, 5.0) if decades < 2.5 else (1.0,)
    axis.set_major_locator(LogLocator(base=10.0, subs=leading, numticks=16))
    axis.set_major_formatter(LogFormatterMathtext() if decades > 7.0 else lambda value, _: plain(value))
    axis.set_minor_formatter(NullFormatter())


def plain(value: float) -> str:
    """Return a number as axes show it.

    Examples
    --------
    >>> plain(20_000.0), plain(0.05)
    ('20,000', '0.05')
    """
    return f"{value:,.0f}" if value >= 10 else f"{value:g}"


def heading(axes: Any, text: str) -> None:
    """Put a title at the left."""
    axes.set_title(text, fontsize=10, loc="left")


def headline(figure: Any, text: str) -> None:
    """Put a title above all panels, at the left edge."""
    figure.suptitle(text, fontsize=10, x=0.01, ha="left")


def save(figure: Any, path: Path) -> Path:
    """Write a figure as PNG, without the date of writing."""
    stream = io.BytesIO()
    figure.savefig(stream, format="png", metadata={"Software": None})
    write_whole(path, stream.getvalue())
    return path
