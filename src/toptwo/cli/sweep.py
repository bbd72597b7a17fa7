"""`toptwo sweep`: algorithms at every point of a grid."""

from pathlib import Path
from typing import Any

import click

from toptwo.cli.common import check_figure, numbers, print_json
from toptwo.cli.families import law_options, take_law
from toptwo.cli.places import place_options
from toptwo.errors import InputError
from toptwo.rules.thresholds import DEFAULT_THRESHOLD
from toptwo.words import counted


@click.command(short_help="Compare algorithms at every point of a grid, here or on a cluster.")
@click.argument("algorithm", nargs=-1, required=True)
@click.option("--problem", multiple=True, help="An instance of the paper, as in toptwo simulate; several are an axis.")
@click.option("--means", help="True means, separated by spaces or commas, in place of a problem.")
@click.option("--arms", help="Numbers of arms: '10 20 50'.")
@click.option("--delta", default="0.1", show_default=True, help="Error probabilities aimed at: '0.1 0.01'.")
@click.option("--epsilon", default="0", show_default=True, help="Margins: '0 0.1'.")
@click.option("--threshold", multiple=True, help=f"Stopping rules; {DEFAULT_THRESHOLD} by default.")
@law_options
@click.option("--runs", type=int, default=1000, show_default=True)
@click.option("--max-samples", type=int, default=10_000_000, show_default=True, help="Give a run up after so many.")
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), default=Path("out/sweep"), show_default=True)
@place_options
@click.option("--plot", type=click.Path(path_type=Path, dir_okay=False), help="Draw the means over an axis, as PNG.")
@click.option("--x", help="Axis of the figure: arms, delta, epsilon, …; by default the first that varies.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def sweep(algorithm: tuple[str, ...], plot: Path | None, x: str | None, as_json: bool, **options: Any) -> None:
    """Simulate algorithms at every point of a grid, all on the same rewards.

    Interrupted or killed, the same command goes on where it stopped.

    Example: toptwo sweep TTUCB T3C --problem one-sparse --arms '10 20 50' --delta '0.1 0.01' --runs 200 --plot k.png
    """
    from toptwo.checks import one_of
    from toptwo.sweeps.results import AXES
    from toptwo.sweeps.sweep import sweep as run

    if plot is not None:
        check_figure("--plot", plot)
    if x is not None:
        x = one_of("--x", x, {axis: axis for axis in AXES})
    table = run(list(algorithm), _problem(options), **_axes(options), **_place(options), **options)
    if as_json:
        print_json({"rows": list(table.rows)})
    else:
        _show(table, options["out"])
    if plot is not None:
        click.echo(f"Figure: {table.plot(plot, x)}", err=as_json)


def _show(table: Any, out: Path) -> None:
    """Print the rows, and how they came about."""
    from rich.console import Console

    from toptwo.report.grids import sweep_table

    cells = table.cells
    if table.rows:
        Console().print(sweep_table(table))
    aside = f", {counted(cells.outdated + cells.spoilt, 'cell')} set aside" if cells.outdated + cells.spoilt else ""
    click.echo(f"{counted(cells.computed, 'cell')} computed, {cells.kept:,} kept{aside}: {out}")
    if cells.left_to_others:
        click.echo(
            f"{counted(cells.left_to_others, 'cell')} of other shards missing here: when all shards are done, run the "
            "same command without --shard."
        )


def _problem(options: dict[str, Any]) -> Any:
    """Take out of the options what is to be simulated."""
    means, problems = options.pop("means"), list(options.pop("problem"))
    if (means is None) == (not problems):
        raise InputError("give either --means or --problem, for example --problem random.")
    return problems if means is None else numbers("--means", means)


def _axes(options: dict[str, Any]) -> dict[str, Any]:
    """Take the axes of the grid out of the options."""
    arms = options.pop("arms")
    axes: dict[str, Any] = {name: numbers(f"--{name}", options.pop(name)) for name in ("delta", "epsilon")}
    if arms is not None:
        counts = numbers("--arms", arms)
        if any(count != int(count) for count in counts):
            raise InputError(f"--arms must be whole numbers, not {arms!r}.")
        axes["arms"] = [int(count) for count in counts]
    return axes | {"family": take_law(options), "threshold": list(options.pop("threshold")) or DEFAULT_THRESHOLD}


def _place(options: dict[str, Any]) -> dict[str, Any]:
    """Take out of the options where to compute."""
    return {"workers": options.pop("threads")} | {name: options.pop(name) for name in ("dask", "shard", "engine")}
