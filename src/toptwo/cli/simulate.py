"""`toptwo simulate`: algorithms compared on simulated rewards."""

from pathlib import Path
from typing import Any

import click

from toptwo import checks
from toptwo.cli.common import check_figure, numbers, print_json
from toptwo.cli.families import law_options, take_law
from toptwo.cli.stopping import stopping_options
from toptwo.errors import InputError


@click.command(short_help="Compare algorithms on simulated rewards.")
@click.argument("algorithm", nargs=-1, required=True)
@click.option("--means", help="True means, separated by spaces or commas: '0.6 0.5 0.4'.")
@click.option("--problem", help="An instance of the paper: random, one-sparse, alpha-0.3, alpha-0.6, equal-means, …")
@click.option("--arms", type=int, help="Number of arms of the problem.")
@click.option("--runs", type=int, default=1000, show_default=True)
@stopping_options
@law_options
@click.option("--max-samples", type=int, help="Give a run up after so many samples (reported as undecided).")
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--threads", type=int, help="Workers; one per processor by default.")
@click.option("--engine", default="cpu", show_default=True, help="cpu, cuda (an NVIDIA GPU), auto or python (slow).")
@click.option("--plot", type=click.Path(path_type=Path, dir_okay=False), help="Save a box plot as PNG.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def simulate(
    algorithm: tuple[str, ...], means: str | None, problem: str | None, plot: Path | None, as_json: bool, **options: Any
) -> None:
    """Run algorithms on simulated rewards and compare them.

    Example: toptwo simulate TTUCB T3C uniform --problem random --runs 1000
    """
    from rich.console import Console

    from toptwo.report.result_tables import comparison_dict, comparison_tables
    from toptwo.sweeps.comparison import compare

    if plot is not None:
        check_figure("--plot", plot)
    options["family"] = take_law(options)
    comparison = compare(list(algorithm), _problem(means, problem), **options)
    if as_json:
        print_json(comparison_dict(comparison))
    else:
        for table in comparison_tables(comparison):
            Console().print(table)
        if checks.fold(options["threshold"]) == "heuristic":
            click.echo("The heuristic threshold has no proof: the error rate above is measured, not guaranteed.")
    if plot is not None:
        from toptwo.report.plots import box_plot

        box_plot(comparison, plot, f"{problem or 'given means'}, δ = {options['delta']:g}, {options['threshold']}")
        click.echo(f"Figure: {plot}", err=as_json)
    _say_if_interrupted(comparison, list(algorithm), options["runs"])


def _say_if_interrupted(comparison: Any, names: list[str], runs: int) -> None:
    """Say what is missing after Ctrl-C, and end with the usual exit status."""
    if comparison.interrupted:
        last, missing = comparison.simulations[-1], names[len(comparison.simulations) :]
        left = f"; not run: {', '.join(missing)}" if missing else ""
        raise KeyboardInterrupt(f"{last.algorithm} after {last.runs:,} of {runs:,} runs{left}")


def _problem(means: str | None, problem: str | None) -> Any:
    """Return what is to be simulated."""
    if (means is None) == (problem is None):
        raise InputError("give either --means or --problem, for example --means '0.6 0.5 0.4' or --problem random.")
    return problem if means is None else numbers("--means", means)
