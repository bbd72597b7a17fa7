"""Pieces of HTML: text escaped, tables, images inside the page."""

import base64
from collections.abc import Iterable, Sequence
from html import escape
from itertools import chain, repeat
from pathlib import Path

STYLE = """
:root { color-scheme: light dark; --ink: #1a1a1a; --paper: #fff; --quiet: #555; --line: #ddd; --edge: #888;
        --link: #0b5394; --holds: #00633f; --corrected: #7a4b00; --fails: #a11212; --open: #555; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e6e6; --paper: #161616; --quiet: #aaa; --line: #3a3a3a; --edge: #777;
          --link: #8ab8f0; --holds: #6fcf97; --corrected: #e0b060; --fails: #ff8a80; --open: #aaa; }
  img { background: #fff; border-radius: 4px; filter: brightness(.88); } }
body { font: 15px/1.5 system-ui, "Segoe UI", sans-serif; color: var(--ink); background: var(--paper); margin: 0 auto;
       max-width: 1060px; padding: 1.5rem; overflow-wrap: break-word; }
h1 { font-size: 1.6rem; margin: 0 0 .3rem; } h2 { font-size: 1.2rem; margin: 2.6rem 0 .3rem; }
h3 { font-size: 1rem; margin: 1.2rem 0 .3rem; }
a, summary { color: var(--link); } img { max-width: 100%; height: auto; display: block; margin: .8rem 0 .2rem; }
.quiet, .caption { color: var(--quiet); } .caption { font-size: .9rem; margin: 0 0 1rem; }
.wide, pre { overflow-x: auto; } table { border-collapse: collapse; font-size: .86rem; margin: .4rem 0 1rem; }
th, td { padding: .25rem .6rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
th { border-bottom: 2px solid var(--edge); white-space: nowrap; } .numbers td { white-space: nowrap; }
.numbers td + td, .numbers th + th { text-align: right; font-variant-numeric: tabular-nums; }
.numbers td:first-child, .numbers th:first-child { position: sticky; left: 0; background: var(--paper); }
.claims { table-layout: fixed; width: 100%; } .claims td { overflow-wrap: anywhere; }
.claims th:nth-child(1) { width: 32%; } .claims th:nth-child(2) { width: 17%; } .claims th:nth-child(4) { width: 13%; }
summary, .choice label { cursor: pointer; } .verdict, .choice label { font-weight: 600; }
.holds .verdict, label.holds { color: var(--holds); } .corrected .verdict, label.corrected { color: var(--corrected); }
.fails .verdict, label.fails { color: var(--fails); } .open .verdict, label.open { color: var(--open); }
.choice input { position: absolute; opacity: 0; }
.choice input:focus-visible + label { outline: 2px solid var(--link); }
.choice label { display: inline-block; margin: 0 .4rem .4rem 0; padding: .1rem .6rem; font-size: .9rem;
                border: 1px solid var(--line); border-radius: 1rem; }
.choice input:checked + label { border-color: currentColor; box-shadow: inset 0 0 0 1px currentColor; }
#show-fails:checked ~ .wide tbody tr:not(.fails), #show-corrected:checked ~ .wide tbody tr:not(.corrected),
#show-open:checked ~ .wide tbody tr:not(.open), #show-holds:checked ~ .wide tbody tr:not(.holds) { display: none; }
nav a { margin-right: .9rem; white-space: nowrap; }
@media (max-width: 640px) {
  body { padding: .8rem; }
  .claims, .claims tbody, .claims tr, .claims td { display: block; } .claims thead { display: none; }
  .claims tr { border-bottom: 1px solid var(--line); padding: .5rem 0; } .claims td { border: 0; padding: .1rem 0; }
  .claims td:first-child { font-size: .95rem; }
  .claims td + td::before { content: attr(data-name) ": "; color: var(--quiet); } }
@media print { details { display: block; } body { max-width: none; } .choice label { display: none; } }
"""


def tag(name: str, content: str, **attributes: str) -> str:
    """Return an element around content that is HTML already.

    Examples
    --------
    >>> tag("a", "up", href="#top")
    '<a href="#top">up</a>'
    """
    given = {key.rstrip("_").replace("_", "-"): value for key, value in attributes.items() if value}
    inside = "".join(f' {key}="{escape(value)}"' for key, value in given.items())
    return f"<{name}{inside}>{content}</{name}>"


def text(value: object) -> str:
    """Return text that is safe inside HTML."""
    return escape(str(value), quote=False)


def table_of(head: Sequence[str], rows: Iterable[Sequence[str]], kind: str, marks: Iterable[str] = ()) -> str:
    """Return a table of cells that are HTML already; marks are the kinds of the rows, by which they can be chosen."""
    top = tag("tr", "".join(tag("th", text(name)) for name in head))
    body = "\n".join(
        tag("tr", "".join(tag("td", cell, data_name=name) for name, cell in zip(head, row, strict=True)), class_=mark)
        for row, mark in zip(rows, chain(marks, repeat("")), strict=False)
    )
    return tag("div", tag("table", f"<thead>{top}</thead>\n<tbody>{body}</tbody>", class_=kind), class_="wide")


def choice(options: Sequence[tuple[str, str]], table: str) -> str:
    """Return a table with buttons above it that show its rows of one kind only, or all; options are kinds and words."""
    buttons = "".join(
        f'<input type="radio" name="shown" id="show-{kind}"{"" if place else " checked"}>'
        + tag("label", text(words), for_=f"show-{kind}", class_=kind)
        for place, (kind, words) in enumerate(options)
    )
    return tag("div", buttons + table, class_="choice")


def image(path: Path, description: str) -> str:
    """Return a picture that travels inside the page."""
    data = base64.b64encode(path.read_bytes()).decode()
    return f'<img alt="{escape(description)}" src="data:image/png;base64,{data}">'


def folded(title: str, content: str) -> str:
    """Return content behind a line to click on."""
    return tag("details", tag("summary", text(title)) + content)


def page(title: str, content: str) -> str:
    """Return a whole page that needs nothing from outside."""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{text(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n{content}\n</body>\n</html>\n"
    )
