"""Curves: samples over the number of arms, and errors over time."""

from pathlib import Path
from typing import Any

import numpy as np

from toptwo.experiments.experiment import Figure
from toptwo.experiments.paper.errors_before_stopping import curve
from toptwo.report.drawing import canvas, counts_axis, headline, save
from toptwo.report.style import style
from toptwo.sweeps.tables import Table

SPREAD = 1.035
"""Factor between the abscissae of neighbouring algorithms, so that error bars stand side by side."""


def draw_curves(figure: Figure, table: Table, path: Path) -> Path:
    """Draw mean ± standard deviation over K, and the same as multiples of the lower bound."""
    sheet, (left, right) = canvas(4.2, columns=2)
    names = [row["algorithm"] for row in table.points[0].rows]
    arms = np.array([point.facts["arms"] for point in table.points], float)
    bound = np.array([point.facts["lower_bound"] for point in table.points])
    for place, name in enumerate(names):
        look = style(name)
        rows = [point.row(name) for point in table.points if point.has(name)]
        known = np.array([point.has(name) for point in table.points])
        mean = np.array([row["mean"] for row in rows])
        spread = np.array([row["deviation"] for row in rows])
        shifted = arms[known] * SPREAD ** (place - (len(names) - 1) / 2.0)
        drawn: dict[str, Any] = {"color": look.colour, "marker": look.marker, "linestyle": look.line, "markersize": 5}
        left.errorbar(shifted, mean, np.minimum(spread, 0.9 * mean), capsize=2, linewidth=1.2, label=name, **drawn)
        right.plot(arms[known], mean / bound[known], linewidth=1.2, **drawn)
    left.plot(arms, bound, color="black", linestyle="--", linewidth=1.0, label="lower bound")
    left.set_yscale("log")
    left.set_ylabel("samples, mean ± deviation (log scale)")
    counts_axis(left.yaxis)
    right.set_ylabel("mean samples / lower bound (log scale)")
    right.set_yscale("log")
    counts_axis(right.yaxis)
    for axes in (left, right):
        axes.set_xscale("log")
        axes.set_xlabel("number of arms K (log scale)")
        counts_axis(axes.xaxis)
        axes.tick_params(axis="x", labelsize=8)
        axes.grid(alpha=0.35)
    headline(sheet, figure.title)
    sheet.legend(loc="outside lower center", frameon=False, fontsize=8, ncols=len(names) + 1)
    return save(sheet, path)


def draw_errors(figure: Figure, table: Table, path: Path) -> Path:
    """Draw the rate of wrong recommendations among runs still going, with Wilson's intervals, up to the median."""
    sheet, axes = canvas(5.0)
    point = table.point()
    for row in point.rows:
        look = style(row["algorithm"])
        line = curve(row)
        seen = line["rate"] > 0.0
        axes.fill_between(line["times"], np.maximum(line["low"], 1e-6), line["high"], color=look.colour, alpha=0.13)
        axes.plot(
            line["times"][seen],
            line["rate"][seen],
            color=look.colour,
            linestyle=look.line,
            marker=look.marker,
            markevery=(3 * (hash_of(row["algorithm"]) % 3), 9),
            markersize=5,
            linewidth=1.3,
            label=row["algorithm"],
        )
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(left=50.0)
    lowest = min(float(curve(row)["low"][curve(row)["low"] > 0.0].min(initial=1.0)) for row in point.rows)
    axes.set_ylim(max(0.7 * lowest, 0.5 / point.content["runs"]), 1.0)
    axes.set_xlabel("samples so far (log scale)")
    axes.set_ylabel("share of wrong recommendations (log scale)")
    counts_axis(axes.xaxis)
    axes.yaxis.set_major_formatter(lambda value, _: f"{100 * value:g} %")
    axes.grid(alpha=0.35)
    headline(sheet, figure.title)
    sheet.legend(loc="outside right upper", frameon=False, fontsize=8)
    return save(sheet, path)


def hash_of(name: str) -> int:
    """Return a small number that depends on a name alone.

    Examples
    --------
    >>> hash_of("TTUCB") == hash_of("TTUCB")
    True
    """
    return sum(map(ord, name))
