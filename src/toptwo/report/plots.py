"""Figures. Each reads results and draws; nothing here computes them."""

from pathlib import Path
from typing import Any

from toptwo.experiments.comparison import Comparison

COLOURS = {
    "TTUCB": "#d55e00",
    "T3C": "#0072b2",
    "TTTS": "#56b4e9",
    "EB-TC": "#8c8c8c",
    "EB-TCI": "#009e73",
    "TTEI": "#cc79a7",
    "TTPS": "#e69f00",
    "TT-IMED": "#7f6d5f",
    "TT-MOSS": "#b2a15e",
    "uniform": "#bdbdbd",
}
"""One colour per algorithm in every figure (Okabe and Ito's palette, safe for colour-blind readers)."""


def colour(algorithm: str) -> str:
    """Return the colour of an algorithm, that of its base for a variant."""
    for name in (algorithm, algorithm.split("-", 1)[-1], algorithm.split("-", 2)[-1]):
        if name in COLOURS:
            return COLOURS[name]
    return "#999999"


def box_plot(comparison: Comparison, path: Path, title: str) -> Path:
    """Draw the stopping times as boxes: quartiles, whiskers to 5 % and 95 %, mean as a diamond; save as PNG."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.ticker import LogLocator, NullFormatter

    simulations = comparison.simulations
    figure = Figure(figsize=(8.0, 1.6 + 0.42 * len(simulations)), dpi=150, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    boxes: dict[str, Any] = axes.boxplot(
        [simulation.stopping_times for simulation in simulations],
        orientation="horizontal",
        whis=(5, 95),
        showfliers=False,
        showmeans=True,
        patch_artist=True,
        widths=0.62,
        tick_labels=[simulation.algorithm for simulation in simulations],
        medianprops={"color": "black", "linewidth": 1.4},
        meanprops={"marker": "D", "markerfacecolor": "white", "markeredgecolor": "black", "markersize": 4.5},
    )
    for box, simulation in zip(boxes["boxes"], simulations, strict=True):
        box.set(facecolor=colour(simulation.algorithm), alpha=0.85)
    axes.set_xscale("log")
    if comparison.lower_bound:
        label = f"lower bound {comparison.lower_bound:,.0f}"
        axes.axvline(comparison.lower_bound, color="black", linestyle="--", linewidth=1.0, label=label)
    axes.invert_yaxis()
    axes.set_xlabel("samples until an arm is returned (log scale)")
    axes.set_title(title, fontsize=10, loc="left")
    axes.grid(axis="x", which="major", alpha=0.35)
    axes.xaxis.set_major_locator(LogLocator(base=10.0, subs=(1.0, 2.0, 5.0)))
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.plot([], [], "D", markerfacecolor="white", markeredgecolor="black", markersize=4.5, label="mean")
    axes.plot([], [], color="black", linewidth=1.4, label="median, box of quartiles, whiskers 5 % to 95 %")
    capped = [simulation.algorithm for simulation in simulations if not simulation.decided.all()]
    if capped:
        axes.plot([], [], " ", label=f"given up at max_samples in some runs: {', '.join(capped)}")
    figure.legend(loc="outside lower left", frameon=False, fontsize=8, ncols=2)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)
    return path
