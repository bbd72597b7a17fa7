"""`toptwo reproduce`: the paper's experiments, run, drawn and judged."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from toptwo import checks
from toptwo.cli.common import check_writable
from toptwo.cli.places import place_options, say_what_is_there, take_engine, take_place, watched
from toptwo.errors import InputError

RESULTS = Path("out") / "reproduce"


@click.command(short_help="Run the paper's experiments and check its claims.")
@click.argument("name", nargs=-1)
@click.option("--list", "as_list", is_flag=True, help="List the experiments.")
@click.option("--size", default="smoke", show_default=True, help="smoke (minutes) or paper (an hour).")
@click.option("--seed", type=int, default=1, show_default=True)
@place_options
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    help=f"Folder for tables, figures and report.  [default: {RESULTS}-SIZE]",
)
@click.option(
    "--markdown",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the report as Markdown too, to this file.",
)
@click.option("--replot", is_flag=True, help="Draw figures and report again from the tables; run nothing.")
def reproduce(
    name: tuple[str, ...],
    as_list: bool,
    size: str,
    seed: int,
    out: Path | None,
    markdown: Path | None,
    replot: bool,
    **place: Any,
) -> None:
    """Run experiments of the paper by NAME, or `all`; write tables, figures and one HTML report.

    Interrupted or killed, the same command goes on where it stopped.

    Example: toptwo reproduce fig1a --size paper
    """
    if as_list:
        _list()
        return
    from toptwo.sweeps.running import Shard

    engine, shard = take_engine(place), place.pop("shard")
    job, where = _job(name, size, seed, out), take_place(place, engine)
    job = replace(job, shard=None if shard is None else Shard.read(shard), engine=engine)
    if markdown is not None:
        check_writable("--markdown", markdown)
    click.echo(f"Report: {report_path(job)}")
    if replot:
        _replot(job)
    else:
        run_job(job, where)
    if markdown is not None:
        _write_markdown(job, markdown)
    if _say_verdicts(job):
        click.echo(f"Report: {report_path(job)}")


def _list() -> None:
    from toptwo.experiments.registry import REGISTRY

    width = max(map(len, REGISTRY))
    for experiment in REGISTRY.values():
        click.echo(f"{experiment.name:{width}}  {experiment.title} ({experiment.source})")


def _job(names: Sequence[str], size: str, seed: int, out: Path | None) -> Any:
    from toptwo.experiments.experiment import SIZES
    from toptwo.experiments.registry import find
    from toptwo.experiments.runner import Job

    if not names:
        raise InputError("name the experiments to run, or all; toptwo reproduce --list shows them.")
    known = checks.one_of("size", size, {name: name for name in SIZES})
    folder = out if out is not None else RESULTS.with_name(f"{RESULTS.name}-{known}")
    return Job(find(names), known, checks.whole("seed", seed, 0), folder)


def report_path(job: Any) -> Path:
    """Return where the report of a job is."""
    from toptwo.report.page import REPORT

    return Path(job.out / REPORT).absolute()


def run_job(job: Any, where: Any) -> None:
    """Run what is missing of a job; draw and report after each experiment; end with status 130 if interrupted."""
    from toptwo.experiments.runner import JobUnderWay

    run = JobUnderWay(job)
    say_what_is_there(run.cells)
    with watched(run.cells, job.out) as progress:

        def finish(experiment: Any, table: Any) -> None:
            _finish(job, experiment, table)
            progress.say(_line(experiment))

        run.finish(where, finish, progress.show)


def _finish(job: Any, experiment: Any, table: Any) -> None:
    """Draw an experiment that has just been finished, and renew the report."""
    from toptwo.experiments.registry import REGISTRY
    from toptwo.report.figures import draw
    from toptwo.report.page import write_report

    draw(experiment, table, job.out)
    write_report(job.out, list(REGISTRY.values()), job.size, job.seed)


def _line(experiment: Any) -> str:
    return f"  {experiment.name}: {experiment.title}"


def _write_markdown(job: Any, path: Path) -> None:
    from toptwo.experiments.registry import REGISTRY
    from toptwo.report.markdown import write_markdown

    click.echo(f"Markdown: {write_markdown(path, job.out, list(REGISTRY.values()), job.size, job.seed)}")


def _replot(job: Any) -> None:
    from toptwo.sweeps.tables import read_table

    for experiment in job.experiments:
        table = read_table(job.out / experiment.name)
        if table is None or (table.content["size"], table.content["seed"]) != (job.size, job.seed):
            raise InputError(
                f"there is no table of {experiment.name} for size {job.size} and seed {job.seed} in {job.out}: "
                "run it first, without --replot."
            )
        _finish(job, experiment, table)
        click.echo(_line(experiment))


def _say_verdicts(job: Any) -> bool:
    """Say what became of the claims; return whether anything is in the report."""
    from toptwo.report.page import chapters, judge, tally

    found = chapters(job.out, job.experiments, job.size, job.seed)
    there = {chapter.experiment.name for chapter in found}
    if missing := [experiment.name for experiment in job.experiments if experiment.name not in there]:
        click.echo(f"Without a table until all shards are there: {', '.join(missing)}.")
    if judged := judge(found):
        click.echo(f"{tally(judged)}.")
    return bool(found)
