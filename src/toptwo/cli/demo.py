"""`toptwo demo`: watch it work, then see ten algorithms compared."""

import sys
from pathlib import Path

import click

from toptwo.cli.common import workers_of
from toptwo.cli.reproduce import report_path, run_job

PACE = 0.0006
"""Seconds that a measurement takes on a terminal, for people to see it happen."""


@click.command(short_help="Watch it work, then see ten algorithms compared.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), default=Path("out/demo"), show_default=True)
@click.option("--threads", type=int, help="Workers; one per processor by default.")
def demo(out: Path, threads: int | None) -> None:
    """Identify the best of ten options live, then compare ten algorithms on random instances of the paper."""
    from rich.console import Console

    from toptwo.experiments.demo import comparison_job, identify_live
    from toptwo.report.result_tables import point_table
    from toptwo.sweeps.executors import hire
    from toptwo.sweeps.tables import read_table

    console, job, where = Console(highlight=False), comparison_job(out), hire(workers_of(threads))
    out.mkdir(parents=True, exist_ok=True)
    click.echo(f"The report will be in {report_path(job)}\n")
    console.print("[bold]1. Which of ten noisy options is best?[/bold] One measurement at a time, δ = 0.05, TTUCB:\n")
    verdict, truth = identify_live(pause=PACE if sys.stderr.isatty() else 0.0)
    console.print(str(verdict), markup=False)
    if not verdict.decided:
        raise KeyboardInterrupt("the comparison was not run")
    console.print(f"\nThe truth: means {', '.join(f'{mean:g}' for mean in truth)}; the best is option G.\n")
    console.print(
        "[bold]2. The paper's figure 1(a) on 1,000 random instances[/bold] (K = 10, δ = 0.1, the paper's heuristic "
        "threshold; the first time, each algorithm takes a few seconds to compile):\n"
    )
    run_job(job, where)
    table = read_table(out / job.experiments[0].name)
    assert table is not None
    console.print(point_table(table.point()))
    click.echo(f"\nReport, with the figure and the claims it checks: {report_path(job)}")
