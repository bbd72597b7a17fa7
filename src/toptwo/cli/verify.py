"""`toptwo verify`: how often an algorithm is wrong."""

from dataclasses import asdict
from typing import Any

import click

from toptwo import checks
from toptwo.cli.common import numbers, print_json
from toptwo.cli.families import law_options, take_law
from toptwo.cli.stopping import stopping_options


@click.command(short_help="Count how often an algorithm is wrong.")
@click.argument("algorithm", nargs=-1, required=True)
@click.option("--means", help="True means; by default a near tie, where errors are easiest.")
@click.option("--arms", type=int, default=2, show_default=True, help="Number of arms of the near tie.")
@click.option("--runs", type=int, default=100_000, show_default=True, help="As many as the claim needs: 10/δ and more.")
@stopping_options
@click.option("--confidence", type=float, default=0.95, show_default=True, help="Of the exact interval.")
@law_options
@click.option("--max-samples", type=int, help="Give a run up after so many samples; 2000 by default at a near tie.")
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--threads", type=int, help="Workers; one per processor by default.")
@click.option("--engine", default="cpu", show_default=True, help="cpu, cuda (an NVIDIA GPU), auto or python.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def verify(algorithm: tuple[str, ...], means: str | None, as_json: bool, **options: Any) -> None:
    """Count how often an algorithm is wrong, with an exact (Clopper–Pearson) interval.

    Example: toptwo verify TTUCB --threshold betting --delta 0.01 --runs 1000000
    """
    from toptwo.engine.verification import verify as count

    options["family"] = take_law(options)
    instance = None if means is None else numbers("--means", means)
    for name in algorithm:
        found = count(name, instance, **options)
        if as_json:
            low, high = found.interval
            print_json(asdict(found) | {"interval": [low, high], "verdict": found.verdict})
        else:
            click.echo(str(found))
        if found.interrupted:
            raise KeyboardInterrupt(f"{found.algorithm} after {found.runs:,} of {options['runs']:,} runs")
    if not as_json and checks.fold(options["threshold"]) == "heuristic":
        click.echo("The heuristic threshold has no proof: its error rates are measured, not guaranteed.")
