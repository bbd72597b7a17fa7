"""`toptwo algorithms`: the table of contents of the literature."""

import click

from toptwo.cli.common import print_json


@click.command(short_help="List the algorithms.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def algorithms(as_json: bool) -> None:
    """List the algorithms, what they are made of and what is proven of them."""
    from rich.console import Console

    from toptwo.report.catalogue import catalogue, catalogue_table

    if as_json:
        print_json(catalogue())
    else:
        Console(highlight=False).print(catalogue_table())
