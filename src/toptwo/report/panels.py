"""The figures that only one experiment has: times, thresholds, bounds, the ratio of characteristic times."""

from pathlib import Path

import numpy as np

from toptwo.experiments.experiment import Figure
from toptwo.experiments.paper.bounds import BOUNDS
from toptwo.experiments.paper.cpu_time import PAPER
from toptwo.report.drawing import canvas, counts_axis, heading, headline, save
from toptwo.report.style import style
from toptwo.sweeps.tables import Table

RATIO = r"$T^\star_{1/2}/T^\star$"


def draw_times(figure: Figure, table: Table, path: Path) -> Path:
    """Draw seconds a run, ours and the paper's, on one logarithmic axis."""
    rows = table.point().rows
    sheet, axes = canvas(1.6 + 0.36 * len(rows))
    for place, row in enumerate(rows):
        look = style(row["algorithm"])
        ours = row["seconds"]
        theirs = dict(zip(("mean", "deviation"), PAPER[row["algorithm"]], strict=True))
        for shift, times, filled in ((-0.12, ours, True), (0.12, theirs, False)):
            ends = [1000 * times["mean"], 1000 * (times["mean"] + times["deviation"])]
            axes.plot(ends, [place + shift] * 2, color=look.colour, linewidth=1.6, linestyle="-" if filled else ":")
            face = look.colour if filled else "white"
            axes.plot(ends[:1], [place + shift], marker=look.marker, markersize=7, color=look.colour,
                      markerfacecolor=face)  # fmt: skip
    axes.plot([], [], "ko-", label="toptwo: mean, line to mean + one deviation")
    axes.plot([], [], "ko:", markerfacecolor="white", label="the paper's table (Julia)")
    axes.set_yticks(range(len(rows)), [row["algorithm"] for row in rows])
    axes.invert_yaxis()
    axes.set_xscale("log")
    counts_axis(axes.xaxis)
    axes.set_xlabel("processor time of a run in milliseconds (log scale)")
    axes.grid(axis="x", alpha=0.35)
    beside = axes.twinx()
    beside.set_ylim(axes.get_ylim())
    beside.set_yticks(range(len(rows)), [f"{1000 * row['seconds']['mean']:.2g} ms" for row in rows], fontsize=8)
    beside.tick_params(length=0)
    headline(sheet, figure.title)
    sheet.legend(loc="outside lower left", frameon=False, fontsize=8, ncols=2)
    return save(sheet, path)


def draw_thresholds(figure: Figure, table: Table, path: Path) -> Path:
    """Draw mean samples and, beside them, observed error rates with exact intervals."""
    from matplotlib.ticker import MaxNLocator

    points = table.points
    height = 0.9 + sum(0.8 + 0.3 * len(point.rows) for point in points)
    sheet, grid = canvas(height, columns=2, rows=len(points), squeeze=False)
    for (left, right), point in zip(grid, points, strict=True):
        for place, row in enumerate(point.rows):
            look = style(row["algorithm"])
            left.barh(place, row["mean"], color=look.colour, hatch=look.hatch, edgecolor="black", linewidth=0.6,
                      alpha=0.85)  # fmt: skip
            left.text(row["mean"], place, f" {row['mean']:,.0f}", va="center", fontsize=8)
            low, high = row["error_interval"]
            rate = row["wrong"] / row["runs"]
            bars = [[100 * (rate - low)], [100 * (high - rate)]]
            right.errorbar([100 * rate], [place], xerr=bars, color=look.colour, marker=look.marker, capsize=3)
        names = [row["algorithm"] for row in point.rows]
        left.set_yticks(range(len(names)), names, fontsize=8)
        right.set_yticks(range(len(names)), [])
        left.margins(x=0.18)
        left.xaxis.set_major_locator(MaxNLocator(5))
        left.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
        left.tick_params(axis="x", labelsize=8)
        right.axvline(100 * point.content["delta"], color="black", linestyle="--", linewidth=1.0)
        right.set_xscale("symlog", linthresh=0.01)
        right.set_xlim(-0.002, 30.0)
        shares = ("0 %", "0.01 %", "0.1 %", "1 %", "δ = 10 %")
        right.set_xticks([0.0, 0.01, 0.1, 1.0, 10.0], shares, fontsize=8)
        for axes in (left, right):
            axes.set_ylim(len(names) - 0.4, -0.6)
            axes.grid(axis="x", alpha=0.35)
        heading(left, f"{point.label}: mean samples, {point.content['runs']:,} runs")
        heading(right, "wrong answers, 95 % interval")
    headline(sheet, figure.title)
    return save(sheet, path)


def draw_bounds(figure: Figure, table: Table, path: Path) -> Path:
    """Draw lower bound, measured mean and upper bound of each algorithm on each instance."""
    points = table.points
    sheet, axes = canvas(1.7 + 0.62 * len(points))
    for place, point in enumerate(points):
        lower = point.facts["lower_bound"]
        for step, name in enumerate(BOUNDS):
            look = style(name)
            y = place + 0.24 * (step - 1)
            upper = table.theory[point.label][name]["value"]
            axes.plot([lower, upper], [y, y], linewidth=1.2, color=look.colour, linestyle=look.line)
            axes.plot([lower, upper], [y, y], "|", color=look.colour, markersize=8)
            label = "" if place else f"{name}: measured mean"
            axes.plot([point.row(name)["mean"]], [y], color=look.colour, marker=look.marker, markersize=6, label=label)
    axes.plot([], [], "k|", label="ends of a line: lower and upper bound")
    axes.set_yticks(range(len(points)), [point.label for point in points])
    axes.invert_yaxis()
    axes.set_xscale("log")
    counts_axis(axes.xaxis)
    axes.set_xlabel("expected samples (log scale)")
    axes.grid(axis="x", alpha=0.35)
    headline(sheet, figure.title)
    sheet.legend(loc="outside lower left", frameon=False, fontsize=8, ncols=2)
    return save(sheet, path)


def draw_ratio(figure: Figure, table: Table, path: Path) -> Path:
    """Draw the ratio as a curve for K = 3 and as a map for K = 4."""
    sheet, (left, right) = canvas(3.9, columns=2)
    found = table.theory
    axis, plane = np.array(found["axis"]), np.array(found["four"])
    worst = {entry["arms"]: entry["worst_known"] for entry in found["search"]}
    left.plot(axis, found["three"], color="#d55e00", linewidth=1.6, label=RATIO)
    left.axhline(worst[3], color="#0072b2", linestyle="--", label=f"r₃ = {worst[3]:.4f}")
    left.set_xlabel("x: gap of arm 3 / gap of arm 2")
    left.set_ylabel(RATIO)
    left.set_ylim(bottom=1.0)
    left.grid(alpha=0.35)
    left.legend(frameon=False, fontsize=8)
    heading(left, "K = 3")
    image = right.pcolormesh(axis, axis, plane.T, shading="gouraud", cmap="viridis", vmin=1.0)
    levels = [1.01, 1.02, 1.03, 1.05]
    lines = right.contour(axis, axis, plane.T, levels=levels, colors="white", linewidths=0.8)
    middle = np.interp(-np.array(levels), -plane.diagonal(), axis)  # where labels have most room
    right.clabel(lines, fontsize=7, fmt="%.2f", manual=[(place, place) for place in middle])
    right.plot([axis[0]], [axis[0]], "o", color="#56b4e9", markeredgecolor="black", markersize=8, clip_on=False,
               zorder=5, label=f"r₄ = {worst[4]:.4f}")  # fmt: skip
    right.legend(loc="upper right", frameon=False, labelcolor="white")
    right.set_xlabel("gap of arm 3 / gap of arm 2")
    right.set_ylabel("gap of arm 4 / gap of arm 2")
    right.set_aspect("equal")
    heading(right, f"K = 4: {RATIO}")
    sheet.colorbar(image, ax=right, shrink=0.85)
    headline(sheet, figure.title)
    return save(sheet, path)
