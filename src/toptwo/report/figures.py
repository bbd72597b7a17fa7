"""The kinds of figures, and drawing those of an experiment from its table."""

from collections.abc import Callable
from pathlib import Path

from toptwo import checks
from toptwo.experiments.experiment import Experiment, Figure
from toptwo.report.panels import draw_bounds, draw_ratio, draw_thresholds, draw_times
from toptwo.report.plots import boxes_of_table
from toptwo.report.sweeps import draw_curves, draw_errors
from toptwo.sweeps.tables import Table

KINDS: dict[str, Callable[[Figure, Table, Path], Path]] = {
    "boxes": boxes_of_table,
    "curves": draw_curves,
    "errors": draw_errors,
    "times": draw_times,
    "thresholds": draw_thresholds,
    "bounds": draw_bounds,
    "ratio": draw_ratio,
}


def draw(experiment: Experiment, table: Table, out: Path) -> list[Path]:
    """Draw the figures of an experiment into its folder."""
    return [
        checks.one_of("kind of figure", figure.kind, KINDS)(figure, table, figure_path(out, experiment, figure))
        for figure in experiment.figures
    ]


def figure_path(out: Path, experiment: Experiment, figure: Figure) -> Path:
    """Return where a figure is kept."""
    return out / experiment.name / f"{figure.name}.png"
