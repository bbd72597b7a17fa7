"""What a guarantee costs: every threshold and the default on the paper's instances (docs/what-a-guarantee-costs.md).

All entrants see the same rewards, so ratios are paired run by run. `--runs 0.1` takes a tenth of the runs, `--save`
writes benchmarks/guarantee.md and the figure of the page.
"""

import argparse
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console

import toptwo as tt
from benchmarks.__main__ import machine, markdown, show
from benchmarks.betting import ratio
from benchmarks.measure import Table
from toptwo.report.drawing import canvas, headline, save
from toptwo.study.defaults import default_algorithm

SEED = 7
RESULTS = Path(__file__).with_name("guarantee.md")
FIGURE = Path(__file__).parent.parent / "docs" / "what-a-guarantee-costs.png"


BEHIND = {"facecolor": "white", "edgecolor": "none", "pad": 0.6}
"""The ground of a number in the figure."""


class Entrant(NamedTuple):
    """A sampler and a threshold, and how the figure shows them."""

    label: str
    algorithm: Any
    threshold: str
    colour: str


FAMILY = tt.Gaussian()
ENTRANTS = (
    Entrant("heuristic (no proof)", tt.TTUCB(), "heuristic", "#999999"),
    Entrant("betting", tt.TTUCB(), "betting", "#d55e00"),
    Entrant("default: A-TTUCB, betting", default_algorithm(FAMILY, 10), "betting", "#009e73"),
    Entrant("mixture", tt.TTUCB(), "mixture", "#0072b2"),
    Entrant("proven (the paper's)", tt.TTUCB(), "proven", "#332288"),
)


class Instance(NamedTuple):
    """A problem of the paper: one row of means per run, the best arm last."""

    label: str
    means: Any
    delta: float


def instances(share: float) -> list[Instance]:
    """Return the paper's problems with this share of the runs."""

    def of(runs: int) -> int:
        return max(20, round(share * runs))

    def repeated(means: Any, runs: int) -> Any:
        return np.tile(np.roll(means, -1), (of(runs), 1))

    random = np.roll(tt.problems.random_gaussian(of(5000), seed=SEED), -1, axis=1)
    return [
        Instance("random, K = 10", random, 0.1),
        Instance("random, K = 10", random, 0.01),
        Instance("equal means, K = 35", repeated(tt.problems.equal_means(), 1000), 0.1),
        Instance("α = 0.3, K = 20", repeated(tt.problems.alpha(20, 0.3), 1000), 0.1),
        Instance("α = 0.6, K = 20", repeated(tt.problems.alpha(20, 0.6), 1000), 0.1),
        Instance("1-sparse, K = 30", repeated(tt.problems.one_sparse(30), 500), 0.1),
    ]


def stopping_times(instance: Instance, entrant: Entrant) -> Any:
    """Return the pulls of every run."""
    options = {"delta": instance.delta, "threshold": entrant.threshold, "seed": SEED, "progress": False}
    return tt.simulate(entrant.algorithm, instance.means, family=FAMILY, **options).stopping_times


def pulls_table(problems: list[Instance], found: list[list[Any]]) -> Table:
    """Return mean pulls of the heuristic, and those of the others relative to it."""
    first, *others = ENTRANTS
    table = Table(
        "Pulls until an arm is returned",
        ("instance", "δ", "runs", f"pulls, {first.label}", *(f"{entrant.label} / heuristic" for entrant in others)),
        note="TTUCB with random ties but for the default; ± is one standard error of the paired ratio.",
    )
    for instance, (reference, *times) in zip(problems, found, strict=True):
        row = (instance.label, f"{instance.delta:g}", str(len(reference)), f"{reference.mean():,.0f}")
        table.rows.append((*row, *(ratio(one, reference) for one in times)))
    return table


def draw(problems: list[Instance], found: list[list[Any]], path: Path) -> Path:
    """Draw mean pulls relative to the heuristic's, a group of bars for every problem."""
    figure, axes = canvas(0.8 + 0.95 * len(problems))
    thickness = 0.82 / len(ENTRANTS)
    for place, entrant in enumerate(ENTRANTS):
        relative = [times[place].mean() / times[0].mean() for times in found]
        heights = [row + (place - 0.5 * (len(ENTRANTS) - 1)) * thickness for row in range(len(problems))]
        axes.barh(heights, relative, 0.92 * thickness, color=entrant.colour, label=entrant.label)
        for height, value in zip(heights, relative, strict=True):
            axes.text(value + 0.03, height, f"{value:.2f}", va="center", fontsize=7, bbox=BEHIND)
    axes.set_yticks(range(len(problems)), [f"{one.label}\nδ = {one.delta:g}" for one in problems])
    axes.invert_yaxis()
    axes.axvline(1.0, color="black", linewidth=0.8, zorder=0)
    axes.margins(x=0.08)
    axes.set_xlabel("mean pulls, relative to the unproven heuristic's")
    figure.legend(loc="outside lower center", ncols=3, fontsize=8, frameon=False)
    headline(figure, "What a guarantee costs: five ways to stop on the paper's instances")
    return save(figure, path)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.guarantee", description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=float, default=1.0, help="share of the runs")
    parser.add_argument("--save", action="store_true", help=f"write {RESULTS.name} and {FIGURE.name}")
    options = parser.parse_args()
    console, problems = Console(width=170), instances(options.runs)
    found = [[stopping_times(instance, entrant) for entrant in ENTRANTS] for instance in problems]
    tables = [pulls_table(problems, found)]
    show(tables[0], console)
    console.print(machine())
    if options.save:
        page = markdown(tables).replace("-m benchmarks ", "-m benchmarks.guarantee ", 1)
        RESULTS.write_text(page, encoding="utf-8")
        console.print(f"wrote {draw(problems, found, FIGURE)}")


if __name__ == "__main__":
    main()
