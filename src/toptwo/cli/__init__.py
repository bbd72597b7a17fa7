"""The command line: parse, call, print. One module per command; what goes wrong ends alike in all of them."""

import sys
from importlib import import_module

import click

from toptwo import __version__
from toptwo.errors import InputError, MeasurementError, StudyError, WorkError

COMMANDS = ("algorithms", "demo", "race", "reproduce", "simulate", "study", "sweep", "theory", "verify")
"""Commands, each in the module of its name."""


class Doors(click.Group):
    """A group in which every error is one sentence: status 2 for what makes no sense, 130 after Ctrl-C, 1 otherwise.

    A command's module is loaded when it is called, so that none waits for what the others need.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command by its name."""
        if cmd_name not in COMMANDS:
            return None
        found: click.Command = getattr(import_module(f"toptwo.cli.{cmd_name}"), cmd_name)
        return found

    def invoke(self, ctx: click.Context) -> object:
        """Run a command."""
        try:
            result: object = super().invoke(ctx)
            sys.stdout.flush()  # here, where a closed pipe is still told from a failure
            return result
        except (InputError, MeasurementError, StudyError) as problem:
            raise click.UsageError(str(problem)) from None
        except WorkError as problem:
            raise click.ClickException(str(problem)) from None
        except BrokenPipeError:
            raise  # click ends quietly with status 1, as rich does
        except OSError as problem:
            raise click.UsageError(
                f"cannot write {problem.filename or 'what is printed'}: {problem.strerror}."
            ) from None
        except KeyboardInterrupt as stop:
            click.echo(f"Interrupted: {str(stop) or 'there is nothing to show yet'}.", err=True)
            sys.exit(130)


@click.group(cls=Doors, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__)
def main() -> None:
    """Find the best of K noisy options, wrong with probability at most δ, with as few measurements as possible."""
