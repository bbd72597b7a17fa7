"""`toptwo study`: what is kept in a storage, from the shell."""

import csv
import io
import json
import sys
import time
from pathlib import Path
from typing import Any

import click

from toptwo.cli.common import check_writable
from toptwo.errors import InputError, StudyError
from toptwo.words import one_line

STORAGE = click.option(
    "--storage",
    required=True,
    envvar="TOPTWO_STORAGE",
    show_envvar=True,
    help="sqlite:///studies.db or postgresql+psycopg://user@host/database.",
)


@click.group(short_help="List, show, watch and export stored studies.")
def study() -> None:
    """Look after studies that are kept in a database (docs/studies.md)."""


@study.command("list", short_help="List the studies of a storage.")
@STORAGE
def list_studies(storage: str) -> None:
    """List the studies of a storage, with how they stand; status 1 if one of them cannot be read."""
    from toptwo.study import load_study
    from toptwo.study.storages import get_storage

    place, unread = get_storage(storage, existing=True), False
    names = place.names()
    for name in names:
        try:
            line = str(load_study(name, place).verdict).splitlines()[0]
        except (InputError, StudyError) as problem:
            line, unread = str(problem), True
        except Exception as problem:  # a rule of one's own that fails hides no other study
            line, unread = one_line(f"cannot be read ({type(problem).__name__}: {problem})."), True
        click.echo(f"{one_line(name)}: {line}")
    if not names:
        click.echo("No studies yet.", err=True)
    if unread:
        sys.exit(1)


@study.command(short_help="Show how a study stands.")
@click.argument("name")
@STORAGE
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--replay", is_flag=True, help="Decide everything once more from the journal, and compare.")
def show(name: str, storage: str, as_json: bool, replay: bool) -> None:
    """Show the verdict of a study, pulls under way, and failures."""
    from toptwo.study import load_study
    from toptwo.study.waiting import failed_pulls, pulls_under_way

    found = load_study(name, storage)
    if as_json:
        click.echo(found.verdict.to_json())
    else:
        click.echo("\n".join([str(found.verdict), *failed_pulls(found), *pulls_under_way(found)]))
    if replay:
        difference = found.replay()
        click.echo(f"Replayed: {difference or 'every decision is the same.'}", err=as_json)
        sys.exit(1 if difference else 0)


@study.command(short_help="Show a study live until it is over.")
@click.argument("name")
@STORAGE
@click.option("--every", type=click.FloatRange(0.05), default=1.0, show_default=True, help="Seconds between looks.")
def watch(name: str, storage: str, every: float) -> None:
    """Show a study that others work on: a table on a terminal, a line when something changed elsewhere."""
    from toptwo.study import load_study
    from toptwo.study.live import LiveView
    from toptwo.study.waiting import failed_pulls

    found, said, stuck = load_study(name, storage), "", [""]
    with LiveView(found, None) as view:
        while True:
            verdict = found.verdict
            line = str(verdict).splitlines()[0]
            view.show()
            if not sys.stderr.isatty() and line != said:
                click.echo(line)
                said = line
            if verdict.status != "running":
                break
            if (failed := failed_pulls(found)) and failed != stuck:
                click.echo("\n".join(["Nothing more is asked until somebody decides:", *failed]), err=True)
            stuck = failed
            time.sleep(every)
    if sys.stderr.isatty():
        click.echo(str(found.verdict))


@study.command(short_help="Write the history of a study to a file.")
@click.argument("name")
@STORAGE
@click.option("--format", "form", type=click.Choice(["csv", "json"]), default="csv", show_default=True)
@click.option("--output", "-o", type=click.Path(path_type=Path, dir_okay=False), help="A file; else it is printed.")
def export(name: str, storage: str, form: str, output: Path | None) -> None:
    """Write every pull of a study: arm, value, who measured it and when."""
    from toptwo.racing.exporters import write
    from toptwo.study import load_study
    from toptwo.study.frames import columns_of

    if output is not None:
        if not output.absolute().parent.is_dir():
            raise InputError(f"--output must lie in a folder that exists, not {output}.")
        check_writable("--output", output)
    found = load_study(name, storage)
    text = _written(columns_of(found.pulls), found.verdict.as_dict(), form)
    if output is None:
        click.echo(text, nl=False)
    else:
        if output.exists() and not output.is_file():  # a pipe, say, in whose place there can be no file
            output.write_text(text, encoding="utf-8")
        else:
            write(output.resolve() if output.is_symlink() else output, text)
        click.echo(f"{output}", err=True)


def _written(columns: dict[str, list[Any]], verdict: dict[str, Any], form: str) -> str:
    """Return a table as CSV, or with the verdict as JSON."""
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    if form == "json":
        from toptwo.json_text import json_text

        return json_text({"verdict": verdict, "pulls": rows}) + "\n"
    text = io.StringIO()
    writer = csv.DictWriter(text, list(columns), lineterminator="\n")
    writer.writeheader()
    for row in rows:
        item = row["item"]
        writer.writerow({**row, "item": json.dumps(item) if isinstance(item, dict | list) else item})
    return text.getvalue()


@study.command(short_help="Bring a database of an older version up to date.")
@STORAGE
def upgrade(storage: str) -> None:
    """Bring the tables of a database to this version; keep a copy of it before."""
    from toptwo.study.storages import upgrade_storage

    before, after = upgrade_storage(storage)
    click.echo("Nothing to do." if before == after else f"Upgraded from revision {before} to {after}.")
