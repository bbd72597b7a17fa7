"""`toptwo race`: which command is fastest, told by interleaved runs until it is certain."""

import os
import sys
from pathlib import Path
from typing import Any

import click

from toptwo.errors import InputError
from toptwo.interrupts import EndingSignals

STYLES = ("auto", "basic", "full", "nocolor", "color", "none")
TIME_UNITS = {"microsecond": "µs", "millisecond": "ms", "second": "s"}
INTERRUPTED = 130
FILE = click.Path(path_type=Path, dir_okay=False, allow_dash=True)


class Race(click.Command):
    """A command whose `-i` takes a value only after an equals sign, as hyperfine's does."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments."""
        end = args.index("--") if "--" in args else len(args)
        bare = {"-i", "--ignore-failure"}
        return super().parse_args(
            ctx, [*("--ignore-failure=all-non-zero" if word in bare else word for word in args[:end]), *args[end:]]
        )


@click.command(cls=Race, short_help="Find the fastest of several commands, with confidence.")
@click.argument("commands", nargs=-1)
@click.option("-n", "--command-name", "names", multiple=True, metavar="NAME", help="Name of a command; once for each.")
@click.option("--delta", type=float, help="Probability with which the answer may be wrong.  [default: 0.05]")
@click.option("--confidence", metavar="SHARE", help="The same said the other way round: 95%.")
@click.option("--margin", metavar="2%|5ms", help="How much better counts as better.  [default: 2% for ratios]")
@click.option(
    "--metric",
    default="time",
    show_default=True,
    metavar="METRIC",
    help="time (or wall), cpu, user, system, "
    "memory, instructions, cycles, stdout, json:KEY, or a command that prints the number.",
)
@click.option("--maximize", is_flag=True, help="The highest is best.")
@click.option("--compare", metavar="log|mean|wins", help="Ratios (for times), differences, or who wins how often.")
@click.option("--max-time", metavar="TIME", help="Time for the whole race: 10s, 2min.")
@click.option(
    "--timeout", metavar="TIME", help="Time for one run; what takes longer is killed and counts as the limit."
)
@click.option("-w", "--warmup", type=int, default=0, metavar="N", help="Runs of each command before any counts.")
@click.option("-m", "--min-runs", type=int, default=0, metavar="N", help="Runs of each command at least.")
@click.option("-M", "--max-runs", type=int, metavar="N", help="Runs of each command at most.")
@click.option("-r", "--runs", type=int, metavar="N", help="Exactly so many runs of each command: no racing.")
@click.option("-s", "--setup", metavar="CMD", help="Shell command before the first run of each command.")
@click.option("-p", "--prepare", multiple=True, metavar="CMD", help="Before each run: one for all, or one for each.")
@click.option("-C", "--conclude", multiple=True, metavar="CMD", help="After each run: one for all, or one for each.")
@click.option("-c", "--cleanup", metavar="CMD", help="Shell command after the last run of each command.")
@click.option(
    "-P",
    "--parameter-scan",
    nargs=3,
    multiple=True,
    metavar="VAR MIN MAX",
    help="Replace {VAR} by MIN, MIN + 1, … MAX.",
)
@click.option("-D", "--parameter-step-size", metavar="STEP", help="Step of the scans.")
@click.option(
    "-L", "--parameter-list", nargs=2, multiple=True, metavar="VAR A,B,…", help="Replace {VAR} by each value."
)
@click.option(
    "--items",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Replace {item} by a line of the file, the same for all commands of a block.",
)
@click.option(
    "-S", "--shell", metavar="SHELL", help="Run commands by this shell, its start subtracted; none: directly."
)
@click.option("-N", "no_shell", is_flag=True, help="Run commands directly, which is the default.")
@click.option(
    "-i", "--ignore-failure", metavar="[=CODES]", help="Exit codes that are no failure; all, if none is named."
)
@click.option("--env", "environment", multiple=True, metavar="NAME=VALUE", help="Environment of the commands.")
@click.option("--input", "source", default="null", metavar="FILE", help="Standard input of the commands.")
@click.option("--output", "target", metavar="WHERE", help="null (the default), pipe, inherit, or a file.")
@click.option("--show-output", is_flag=True, help="Let the commands write to the terminal.")
@click.option("--reference", metavar="CMD", help="A command more, named first.")
@click.option("--style", type=click.Choice(STYLES), default="auto", show_default=True, help="What the terminal shows.")
@click.option(
    "--sort", type=click.Choice(("auto", "command", "mean-time")), default="auto", help="Order of the tables."
)
@click.option("-u", "--time-unit", type=click.Choice(tuple(TIME_UNITS)), help="Unit of times in tables.")
@click.option(
    "--export-json", type=FILE, metavar="FILE", help="Write every run as JSON, hyperfine's schema 2; -: print."
)
@click.option(
    "--json-schema", type=click.Choice(("1", "2")), default="2", help="1 for scripts written for hyperfine 1."
)
@click.option("--export-csv", type=FILE, metavar="FILE", help="Write the table as CSV.")
@click.option("--export-markdown", type=FILE, metavar="FILE", help="Write the table as Markdown.")
@click.option("--import", "imported", type=click.Path(path_type=Path), metavar="FILE", help="Read such a JSON file.")
@click.option("--storage", metavar="URL", help="Keep the race in a study: sqlite:///races.db. The same line goes on.")
@click.option("--study-name", metavar="NAME", help="Name of that study.")
@click.option("--seed", type=int, help="Seed of all that is drawn; drawn itself if none is given.")
@click.option("--self-test", is_flag=True, help="Race the first command against itself: are there false winners here?")
def race(**options: Any) -> None:
    """Find the best of several COMMANDS: interleaved runs until it is certain, then the verdict.

    Exit status: 0 a winner, 3 a tie within the margin, 4 undecided when the budget ended, 2 usage, 1 a failure.

    Example: toptwo race 'sort data' 'sort -S 1G data' --margin 5%

    With parameters: toptwo race -L level 1,6,9 'gzip -{level} -c data'
    """
    style = options.pop("style")
    if options["imported"] is not None:
        _import(options, style)
        return
    if not options["commands"]:
        raise InputError("name the commands to race, for example: toptwo race 'sleep 0.1' 'sleep 0.2'.")
    with EndingSignals() as ending:
        try:
            status = _self_test(options, style) if options["self_test"] else _race(options, style)
        except KeyboardInterrupt:
            click.echo("Interrupted: there is nothing to show yet.", err=True)
            status = INTERRUPTED
        except OSError:
            if ending.number is None:
                raise
            _say_nothing_more()
            status = INTERRUPTED
    sys.exit(ending.status(status))


def _race(options: dict[str, Any], style: str) -> int:
    """Race, say what was found, and return the exit status."""
    from toptwo.cli.race_options import console_of, make_race
    from toptwo.racing.report import show

    suffix = TIME_UNITS.get(options["time_unit"])
    result, lost = make_race(options, style)
    if result.status == "failed":
        click.echo(f"Error: {result.why}", err=True)
    if style != "none" and (result.status != "failed" or result.runs):
        show(result, console_of(style, error=_stdout_is_taken(options)), suffix, options["sort"] == "command")
    for sentence in lost:
        click.echo(f"Error: {sentence}", err=True)
    sys.stdout.flush()
    return 1 if lost and result.exit_status != INTERRUPTED else result.exit_status


def _say_nothing_more() -> None:
    """Print into the void: the terminal has gone, whose end was told by a signal."""
    void = os.open(os.devnull, os.O_WRONLY)
    for number in (1, 2):
        os.dup2(void, number)


def _stdout_is_taken(options: dict[str, Any]) -> bool:
    """Return whether a file is printed on standard output, where nothing else may go then."""
    return any(str(options[f"export_{kind}"]) == "-" for kind in ("json", "csv", "markdown"))


def _import(options: dict[str, Any], style: str) -> None:
    """Say what follows from a file of measurements."""
    from toptwo.cli.race_options import UNUSED_IN_IMPORTS, console_of, refuse_unused
    from toptwo.racing.importer import read_file, show_import

    if options["commands"]:
        raise InputError("--import reads measurements that were made: leave the commands out.")
    refuse_unused(options, "--import", "measurements that were made are read", UNUSED_IN_IMPORTS)
    show_import(read_file(options["imported"]), console_of(style))


def _self_test(options: dict[str, Any], style: str) -> int:
    """Race a command against itself, again and again, and return the exit status."""
    from toptwo.cli.race_options import UNUSED_IN_SELF_TESTS, console_of, make_settings, progress_of, refuse_unused
    from toptwo.racing.self_test import self_test

    commands, settings = make_settings(options)
    refuse_unused(options, "--self-test", "one command races against itself", UNUSED_IN_SELF_TESTS)
    if len(commands) > 1:
        raise InputError(f"--self-test races one command against itself: leave the other {len(commands) - 1} out.")
    console = console_of(style)
    if style == "none":
        found = self_test(commands[0], settings, options["shell"])
    else:
        with progress_of(console_of(style, error=True)) as tell:
            found = self_test(commands[0], settings, options["shell"], tell=tell)
    console.print(found.text, markup=False, highlight=False, soft_wrap=not console.is_terminal)
    return found.exit_status
