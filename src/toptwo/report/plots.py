"""Box plots of stopping times. Drawn from summaries; nothing here computes results."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from toptwo.experiments.experiment import Figure
from toptwo.report.drawing import canvas, counts_axis, headline, save
from toptwo.report.style import style
from toptwo.sweeps.comparison import Comparison
from toptwo.sweeps.tables import QUANTILES, Table


class BoxNumbers(NamedTuple):
    """The stopping times of an algorithm in a few numbers."""

    label: str
    quantiles: Sequence[float]
    """At 5, 25, 50, 75 and 95 %."""
    mean: float
    error: float
    """Standard error of the mean."""
    capped: bool = False
    """Whether some runs were given up."""


def draw_boxes(boxes: Sequence[BoxNumbers], lower_bound: float, title: str, path: Path) -> Path:
    """Draw boxes of quartiles, whiskers to 5 % and 95 %, means as diamonds and in numbers, and the lower bound."""
    figure, axes = canvas(1.5 + 0.36 * len(boxes))
    diamond: dict[str, Any] = {"marker": "D", "markerfacecolor": "white", "markeredgecolor": "black", "markersize": 4.5}
    statistics = [
        dict(zip(("whislo", "q1", "med", "q3", "whishi"), box.quantiles, strict=True))
        | {"mean": box.mean, "label": box.label}
        for box in boxes
    ]
    drawn: dict[str, Any] = axes.bxp(
        statistics,
        orientation="horizontal",
        showfliers=False,
        showmeans=True,
        patch_artist=True,
        widths=0.62,
        medianprops={"color": "black", "linewidth": 1.4},
        meanprops=diamond,
    )
    for patch, box in zip(drawn["boxes"], boxes, strict=True):
        look = style(box.label)
        patch.set(facecolor=look.colour, alpha=0.85, hatch=look.hatch)
    axes.set_xscale("log")
    if lower_bound:
        label = f"lower bound {lower_bound:,.0f}"
        axes.axvline(lower_bound, color="black", linestyle="--", linewidth=1.0, label=label)
    axes.invert_yaxis()
    axes.set_xlabel("samples until an arm is returned (log scale)")
    headline(figure, title)
    axes.grid(axis="x", which="major", alpha=0.35)
    counts_axis(axes.xaxis)
    _write_means(axes, boxes)
    axes.plot([], [], linestyle="", label="mean (right: ± standard error)", **diamond)
    axes.plot([], [], color="black", linewidth=1.4, label="median, box of quartiles, whiskers 5 % to 95 %")
    capped = any(box.capped for box in boxes)
    if capped:
        axes.plot([], [], " ", label="≥: some runs were given up, so the mean is larger")
    figure.legend(loc="outside lower left", frameon=False, fontsize=8, ncols=2 if capped else 3)
    return save(figure, path)


def _write_means(axes: Any, boxes: Sequence[BoxNumbers]) -> None:
    """Write mean ± standard error at the right, beside each box."""
    beside = axes.twinx()
    beside.set_ylim(axes.get_ylim())
    beside.set_yticks(range(1, len(boxes) + 1))
    beside.set_yticklabels(
        [f"{'≥ ' if box.capped else ''}{box.mean:,.0f} ± {box.error:,.0f}" for box in boxes], fontsize=8
    )
    beside.tick_params(length=0)


def box_plot(comparison: Comparison, path: Path, title: str) -> Path:
    """Draw the stopping times of a comparison; save as PNG."""
    boxes = [
        BoxNumbers(
            label,
            np.quantile(simulation.stopping_times, QUANTILES).tolist(),
            float(simulation.stopping_times.mean()),
            simulation.summary().standard_error,
            capped=not simulation.decided.all(),
        )
        for label, simulation in zip(comparison.labels, comparison.simulations, strict=True)
    ]
    return draw_boxes(boxes, comparison.lower_bound, title, path)


def boxes_of_table(figure: Figure, table: Table, path: Path) -> Path:
    """Draw one point of a table."""
    point = table.point(*figure.points)
    rows = [row for row in point.rows if not figure.algorithms or row["algorithm"] in figure.algorithms]
    if figure.algorithms:
        rows.sort(key=lambda row: figure.algorithms.index(row["algorithm"]))
    boxes = [
        BoxNumbers(
            row["algorithm"],
            row["quantiles"],
            row["mean"],
            row["deviation"] / math.sqrt(row["runs"]),
            capped=row["undecided"] > 0,
        )
        for row in rows
    ]
    runs = f"{point.content['runs']:,} runs"
    return draw_boxes(boxes, point.facts["lower_bound"], f"{figure.title}, {runs}", path)
