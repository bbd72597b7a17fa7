"""The command line: parse, call, print."""

import json
import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click

from toptwo import __version__, checks
from toptwo.cli_reproduce import reproduce
from toptwo.cli_theory import theory
from toptwo.errors import InputError, MeasurementError, StudyError

PACE = 0.0006
"""Seconds that a measurement of the demonstration takes on a terminal, for people to see it happen."""


def polite(command: Callable[..., Any]) -> Callable[..., Any]:
    """Turn errors of input into one line and exit status 2, as click does for its own."""

    @wraps(command)
    def run(*args: Any, **options: Any) -> Any:
        try:
            return command(*args, **options)
        except (InputError, MeasurementError, StudyError) as problem:
            raise click.UsageError(str(problem)) from None
        except OSError as problem:
            raise click.UsageError(f"cannot write {problem.filename}: {problem.strerror}.") from None

    return run


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__)
def main() -> None:
    """Find the best of K noisy options, wrong with probability at most δ, with as few measurements as possible."""


main.add_command(theory)
main.add_command(reproduce)


@main.command(short_help="List the algorithms.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def algorithms(as_json: bool) -> None:
    """List the algorithms, what they are made of and what is proven of them."""
    from rich.console import Console

    from toptwo.report.catalogue import catalogue, catalogue_table

    if as_json:
        click.echo(json.dumps(catalogue(), ensure_ascii=False, indent=2))
    else:
        Console().print(catalogue_table())


@main.command(short_help="Compare algorithms on simulated rewards.")
@click.argument("algorithm", nargs=-1, required=True)
@click.option("--means", help="True means, separated by spaces or commas: '0.6 0.5 0.4'.")
@click.option("--problem", help="An instance of the paper: random, one-sparse, alpha-0.3, alpha-0.6, equal-means, …")
@click.option("--arms", type=int, help="Number of arms of the problem.")
@click.option("--runs", type=int, default=1000, show_default=True)
@click.option("--delta", type=float, default=0.1, show_default=True, help="Error probability aimed at.")
@click.option(
    "--threshold", default="mixture", show_default=True, help="mixture or proven; heuristic has no proof of its error."
)
@click.option("--epsilon", type=float, default=0.0, help="Margin within which an arm is a right answer.")
@click.option("--family", default="gaussian", show_default=True, help="Law of the rewards.")
@click.option("--sigma", help="Standard deviation of Gaussian rewards, or one per arm: '1 2 0.5'.")
@click.option("--low", type=float, help="Least reward of the bounded family.")
@click.option("--high", type=float, help="Largest reward of the bounded family.")
@click.option("--max-samples", type=int, help="Give a run up after so many samples (reported as undecided).")
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--threads", type=int, help="Workers; one per processor by default.")
@click.option("--engine", default="cpu", show_default=True, help="cpu (compiled) or python (slow, for debugging).")
@click.option("--plot", type=click.Path(path_type=Path, dir_okay=False), help="Save a box plot as PNG.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@polite
def simulate(
    algorithm: tuple[str, ...], means: str | None, problem: str | None, plot: Path | None, as_json: bool, **options: Any
) -> None:
    """Run algorithms on simulated rewards and compare them.

    Example: toptwo simulate TTUCB T3C uniform --problem random --runs 1000
    """
    from rich.console import Console

    from toptwo.experiments.comparison import compare
    from toptwo.report.tables import comparison_dict, comparison_table

    if plot is not None and (plot.suffix.lower() != ".png" or not plot.absolute().parent.is_dir()):
        raise InputError(f"--plot must name a .png file in a folder that exists, not {plot}.")
    instances, runs = _instances(means, problem, options.pop("arms"), options.pop("runs"), options["seed"])
    parameters = {name: options.pop(name) for name in ("sigma", "low", "high")}
    options["family"] = _family(options["family"], parameters)
    comparison = compare(list(algorithm), instances, runs=runs, **options)
    if as_json:
        click.echo(json.dumps(comparison_dict(comparison), indent=2))
    else:
        Console().print(comparison_table(comparison))
        if checks.fold(options["threshold"]) == "heuristic":
            click.echo("The heuristic threshold has no proof: the error rate above is measured, not guaranteed.")
    if plot is not None:
        from toptwo.report.plots import box_plot

        box_plot(comparison, plot, f"{problem or 'given means'}, δ = {options['delta']:g}, {options['threshold']}")
        click.echo(f"Figure: {plot}", err=as_json)
    _say_if_interrupted(comparison, list(algorithm), runs or len(instances))


def _say_if_interrupted(comparison: Any, names: list[str], runs: int) -> None:
    """Say what is missing after Ctrl-C, and end with the usual exit status."""
    if comparison.interrupted:
        last, missing = comparison.simulations[-1], names[len(comparison.simulations) :]
        left = f"; not run: {', '.join(missing)}" if missing else ""
        click.echo(f"Interrupted: {last.algorithm} after {last.runs:,} of {runs:,} runs{left}.", err=True)
        sys.exit(130)


def _instances(
    means: str | None, problem: str | None, arms: int | None, runs: int, seed: int
) -> tuple[Any, int | None]:
    """Return the means, and the number of runs if they are to be repeated."""
    from toptwo import problems

    if (means is None) == (problem is None):
        raise InputError("give either --means or --problem, for example --means '0.6 0.5 0.4' or --problem random.")
    if means is None:
        assert problem is not None
        instances = problems.by_name(problem, runs, arms, seed)
        return instances, runs if instances.ndim == 1 else None
    return _numbers("--means", means), runs


def _numbers(option: str, text: str) -> list[float]:
    try:
        return [float(part) for part in text.replace(",", " ").split()]
    except ValueError:
        raise InputError(f"{option} must be numbers separated by spaces or commas, not {text!r}.") from None


def _family(name: str, parameters: dict[str, Any]) -> Any:
    """Return the family with the parameters that were given; each must belong to it."""
    from toptwo.families import FAMILIES

    family = checks.one_of("family", name, FAMILIES)
    given = {key: value for key, value in parameters.items() if value is not None}
    for key in given.keys() - set(family._fields):
        owners = " and ".join(other for other, kind in FAMILIES.items() if key in kind._fields)
        raise InputError(f"--{key} belongs to the family {owners}, not to {name}: leave it out.")
    if "sigma" in given:
        numbers = _numbers("--sigma", given["sigma"])
        given["sigma"] = numbers[0] if len(numbers) == 1 else tuple(numbers)
    return family(**given)


@main.command(short_help="Watch it work, then see ten algorithms compared.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), default=Path("out/demo"), show_default=True)
@click.option("--threads", type=int, help="Workers; one per processor by default.")
@polite
def demo(out: Path, threads: int | None) -> None:
    """Identify the best of ten options live, then compare ten algorithms on random instances of the paper."""
    from rich.console import Console

    from toptwo.cli_reproduce import report_path, run_job, workers_of
    from toptwo.experiments.demo import comparison_job, identify_live
    from toptwo.experiments.tables import read_table
    from toptwo.report.tables import point_table

    console, job = Console(), comparison_job(out)
    out.mkdir(parents=True, exist_ok=True)
    click.echo(f"The report will be in {report_path(job)}\n")
    console.print("[bold]1. Which of ten noisy options is best?[/bold] One measurement at a time, δ = 0.05, TTUCB:\n")
    verdict, truth = identify_live(pause=PACE if sys.stderr.isatty() else 0.0)
    console.print(str(verdict), highlight=False)
    console.print(
        f"\nThe truth: means {', '.join(f'{mean:g}' for mean in truth)}; the best is option G.\n", highlight=False
    )
    console.print(
        "[bold]2. The paper's figure 1(a) on 1,000 random instances[/bold] (K = 10, δ = 0.1, the paper's heuristic "
        "threshold; the first time, each algorithm takes a few seconds to compile):\n"
    )
    run_job(job, workers_of(threads))
    table = read_table(out / job.experiments[0].name)
    assert table is not None
    console.print(point_table(table.point()))
    click.echo(f"\nReport, with the figure and the claims it checks: {report_path(job)}")
