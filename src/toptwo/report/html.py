"""Pieces of HTML: text escaped, tables, images inside the page."""

import base64
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

STYLE = """
:root { color-scheme: light; }
body { font: 15px/1.5 system-ui, "Segoe UI", sans-serif; color: #1a1a1a; background: #fff; margin: 0 auto;
       max-width: 1060px; padding: 1.5rem; }
h1 { font-size: 1.6rem; margin: 0 0 .3rem; } h2 { font-size: 1.2rem; margin: 2.6rem 0 .3rem; }
h3 { font-size: 1rem; margin: 1.2rem 0 .3rem; }
a { color: #0b5394; } img { max-width: 100%; height: auto; display: block; margin: .8rem 0 .2rem; }
.quiet { color: #555; } .caption { color: #444; font-size: .9rem; margin: 0 0 1rem; }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-size: .86rem; margin: .4rem 0 1rem; }
th, td { padding: .25rem .6rem; border-bottom: 1px solid #ddd; text-align: left; vertical-align: top; }
th { border-bottom: 2px solid #888; white-space: nowrap; } .numbers td { white-space: nowrap; }
.numbers td + td, .numbers th + th { text-align: right; font-variant-numeric: tabular-nums; }
.claims td:nth-child(1) { min-width: 14rem; } .claims td:nth-child(3) { min-width: 18rem; }
.claims td:nth-child(4) { min-width: 8rem; } .claims td:nth-child(2) { overflow-wrap: anywhere; min-width: 7rem; }
.verdict { font-weight: 600; } .holds { color: #00633f; } .corrected { color: #7a4b00; }
.fails { color: #a11212; } .open { color: #555; }
nav a { margin-right: .9rem; white-space: nowrap; } summary { cursor: pointer; color: #0b5394; }
@media print { details { display: block; } body { max-width: none; } }
"""


def tag(name: str, content: str, **attributes: str) -> str:
    """Return an element around content that is HTML already.

    Examples
    --------
    >>> tag("a", "up", href="#top")
    '<a href="#top">up</a>'
    """
    inside = "".join(f' {key.rstrip("_")}="{escape(value)}"' for key, value in attributes.items())
    return f"<{name}{inside}>{content}</{name}>"


def text(value: object) -> str:
    """Return text that is safe inside HTML."""
    return escape(str(value), quote=False)


def table_of(head: Sequence[str], rows: Iterable[Sequence[str]], kind: str) -> str:
    """Return a table of cells that are HTML already."""
    top = tag("tr", "".join(tag("th", text(name)) for name in head))
    body = "\n".join(tag("tr", "".join(tag("td", cell) for cell in row)) for row in rows)
    return tag("div", tag("table", f"<thead>{top}</thead>\n<tbody>{body}</tbody>", class_=kind), class_="wide")


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
