"""The options by which several commands are told where to compute, and what such commands say on the way."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from toptwo.cli.common import workers_of
from toptwo.words import counted

OPTIONS = (
    click.option(
        "--workers",
        "--threads",
        "threads",
        type=int,
        help="Processes; one per processor by default. Results do not depend on it.",
    ),
    click.option("--dask", help="Compute on a Dask cluster: the address of its scheduler, such as tcp://host:8786."),
    click.option("--shard", help="Compute part i of n, as i/n; the same command without it puts the parts together."),
    click.option("--engine", default="cpu", show_default=True, help="cpu, cuda (an NVIDIA GPU) or python (slow)."),
)


def place_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options `--workers`, `--dask`, `--shard` and `--engine`."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command


def take_place(options: dict[str, Any]) -> Any:
    """Take out of the options of a command where to compute."""
    from toptwo.errors import InputError
    from toptwo.sweeps.executors import hire

    threads, cluster = options.pop("threads"), options.pop("dask")
    if cluster is not None and threads is not None:
        raise InputError("give --workers or --dask: a cluster has the workers it has.")
    return hire(None if threads is None else workers_of(threads), cluster=cluster, engine=options["engine"])


def take_shard(options: dict[str, Any]) -> Any:
    """Take out of the options of a command which part of the cells is to be computed; None for all."""
    from toptwo.sweeps.running import Shard

    text = options.pop("shard")
    return None if text is None else Shard.read(text)


def say_what_is_there(cells: Any) -> None:
    """Say what was found in a folder, and what is left to do."""
    for number, what in ((cells.outdated, "computed by other code than this"), (cells.spoilt, "damaged or altered")):
        if number:
            click.echo(f"{counted(number, 'cell')} found {what}: set aside in {cells.store.aside}, computed again.")
    if cells.kept and cells.missing:
        click.echo(f"Going on: {counted(cells.kept, 'cell')} there, {len(cells.missing)} to compute.")


@contextmanager
def watched(cells: Any, out: Path) -> Iterator[Any]:
    """Show the progress of cells while they are computed, and say at the end what was done."""
    from toptwo.sweeps.progress import ProgressDisplay, span

    try:
        with ProgressDisplay() as progress:
            yield progress
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"finished cells are in {out}; the same command goes on from there") from None
    if cells.missing:
        others = f"; {cells.shared} more by another run on the same folder" if cells.shared else ""
        click.echo(
            f"{counted(len(cells.missing) - cells.shared, 'cell')} computed in {span(progress.elapsed)}{others}."
        )
    if cells.shard is not None and cells.left_to_others:
        click.echo(
            f"Shard {cells.shard.number} of {cells.shard.of} is done; {counted(cells.left_to_others, 'cell')} of other "
            "shards missing here. When all are done, run the same command without --shard."
        )
