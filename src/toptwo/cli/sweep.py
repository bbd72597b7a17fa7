"""`toptwo sweep`: algorithms at every point of a grid."""

from pathlib import Path
from typing import Any

import click

from toptwo.cli.common import check_figure, numbers, print_json
from toptwo.cli.families import law_options, take_law
from toptwo.cli.places import place_options, say_what_is_there, take_engine, take_place, watched
from toptwo.errors import InputError
from toptwo.rules.thresholds import DEFAULT_THRESHOLD


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
    from toptwo.sweeps.points import CHUNK
    from toptwo.sweeps.results import AXES
    from toptwo.sweeps.sweep import planned

    if plot is not None:
        check_figure("--plot", plot)
    if x is not None:
        x = one_of("--x", x, {axis: axis for axis in AXES})
    engine, axes = take_engine(options), {"problem": _problem(options), **_axes(options)}
    where = take_place(options, engine)
    run = planned(list(algorithm), axes, chunk=CHUNK, engine=engine, **options)
    say_what_is_there(run.cells, err=as_json)
    with watched(run.cells, run.out, err=as_json) as progress:
        run.compute(where, progress.show)
    table = run.table()
    if as_json:
        print_json({"rows": list(table.rows)})
    elif table.rows:
        _show(table)
    click.echo(f"Cells{', table and runs' * (not table.cells.left_to_others)}: {run.out}", err=as_json)
    if plot is not None:
        click.echo(f"Figure: {table.plot(plot, x)}", err=as_json)


def _show(table: Any) -> None:
    """Print the rows."""
    from rich.console import Console

    from toptwo.report.grids import sweep_table

    Console().print(sweep_table(table))


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
    axes["arms"] = None
    if arms is not None:
        counts = numbers("--arms", arms)
        if any(count != int(count) for count in counts):
            raise InputError(f"--arms must be whole numbers, not {arms!r}.")
        axes["arms"] = [int(count) for count in counts]
    return axes | {"family": take_law(options), "threshold": list(options.pop("threshold")) or DEFAULT_THRESHOLD}
