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
    click.option(
        "--engine", default="cpu", show_default=True, help="cpu, cuda (an NVIDIA GPU), auto or python (slow)."
    ),
)


def place_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options `--workers`, `--dask`, `--shard` and `--engine`."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command


def take_engine(options: dict[str, Any]) -> str:
    """Take out of the options of a command what plays the runs; refuse what this machine does not have."""
    from toptwo.sweeps.players import player_of

    return player_of(options.pop("engine"), elsewhere=options["dask"] is not None)


def take_place(options: dict[str, Any], engine: str) -> Any:
    """Take out of the options of a command where to compute."""
    from toptwo.errors import InputError
    from toptwo.sweeps.executors import hire

    threads, cluster = options.pop("threads"), options.pop("dask")
    if cluster is not None and threads is not None:
        raise InputError("give --workers or --dask: a cluster has the workers it has.")
    return hire(None if threads is None else workers_of(threads), cluster=cluster, engine=engine)


def say_what_is_there(cells: Any, err: bool = False) -> None:
    """Say what was found in a folder, and what is left to do; on the error stream if that is asked for."""
    for number, what in ((cells.outdated, "computed by other code than this"), (cells.spoilt, "damaged or altered")):
        if number:
            click.echo(
                f"{counted(number, 'cell')} found {what}: set aside in {cells.store.aside}, computed again.", err=err
            )
    if cells.kept and cells.missing:
        click.echo(f"Going on: {counted(cells.kept, 'cell')} there, {len(cells.missing)} to compute.", err=err)


@contextmanager
def watched(cells: Any, out: Path, err: bool = False) -> Iterator[Any]:
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
            f"{counted(len(cells.missing) - cells.shared, 'cell')} computed in {span(progress.elapsed)}{others}.",
            err=err,
        )
    if cells.shard is not None and cells.left_to_others:
        click.echo(
            f"Shard {cells.shard.number} of {cells.shard.of} is done; {counted(cells.left_to_others, 'cell')} of other "
            "shards missing here. When all are done, run the same command without --shard.",
            err=err,
        )
