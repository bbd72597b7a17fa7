"""`python -m benchmarks`: measure, print, and with --save write benchmarks/results.md."""

import argparse
import platform
import sys
import time
from importlib import import_module
from importlib.metadata import version
from os import cpu_count, getloadavg
from pathlib import Path

from rich.console import Console
from rich.table import Table as RichTable

from benchmarks.measure import Table

TOPICS = ("rounds", "families", "threads", "start", "memory", "asktell", "theory")
RESULTS = Path(__file__).with_name("results.md")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Speed, start-up and memory of toptwo.")
    parser.add_argument("topics", nargs="*", metavar="topic", help=f"some of {', '.join(TOPICS)}; all by default")
    parser.add_argument("--quick", action="store_true", help="fewer repetitions: less time, more noise")
    parser.add_argument("--save", action="store_true", help=f"write {RESULTS.name}")
    options = parser.parse_args()
    unknown = sorted(set(options.topics) - set(TOPICS))
    if unknown:
        parser.error(f"unknown topic {', '.join(unknown)}: choose from {', '.join(TOPICS)}")
    console = Console()
    started = time.perf_counter()
    found: list[Table] = []
    for topic in options.topics or TOPICS:
        with console.status(f"measuring {topic}"):
            tables = import_module(f"benchmarks.{topic}").tables(options.quick)
        for table in tables:
            show(table, console)
        found += tables
    console.print(f"[dim]{machine()}; {time.perf_counter() - started:.0f} s[/dim]")
    if options.save:
        RESULTS.write_text(markdown(found), encoding="utf-8")
        console.print(f"saved {RESULTS}")


def show(table: Table, console: Console) -> None:
    """Print a table."""
    rich = RichTable(title=table.title, caption=table.note, title_justify="left", caption_justify="left", min_width=60)
    for k, column in enumerate(table.columns):
        rich.add_column(column, justify="left" if k == 0 else "right")
    for row in table.rows:
        rich.add_row(*(f"[red]{cell}[/red]" if cell.startswith(("misses", "NO")) else cell for cell in row))
    console.print(rich)


def machine() -> str:
    """Return what the figures were measured on and with."""
    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "numba", "llvmlite"))
    return f"{_processor()}, {cpu_count()} processors; Python {platform.python_version()}, {packages}"


def command() -> str:
    """Return what was called, as it would be typed again."""
    called = Path(sys.argv[0]).stem
    return " ".join([f"python -m benchmarks{'' if called == '__main__' else '.' + called}", *sys.argv[1:]])


def load() -> str:
    """Return how many processes wanted a processor lately, the benchmark's own among them."""
    return ", ".join(f"{average:.1f}" for average in getloadavg()) + " (means of 1, 5 and 15 minutes)"


def _processor() -> str:
    """Return the processor's name."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def markdown(tables: list[Table]) -> str:
    """Return the page of results."""
    lines = [
        "# Results",
        "",
        f"Measured on {time.strftime('%Y-%m-%d')} by `{command()}`: {machine()}; load {load()}.",
        "How: see [README.md](README.md). Only ratios compare across machines.",
    ]
    for table in tables:
        lines += ["", f"## {table.title}", "", "| " + " | ".join(table.columns) + " |"]
        lines.append("|" + "---|" * len(table.columns))
        lines += ["| " + " | ".join(row) + " |" for row in table.rows]
        lines += ["", table.note] if table.note else []
    return "\n".join(lines) + "\n"


def keep(table: Table, path: Path) -> None:
    """Put a table on a page, with where it was measured; the other tables stay as they are."""
    old = path.read_text(encoding="utf-8").split("\n## ")[1:] if path.exists() else []
    sections = {section.split("\n", 1)[0]: section.split("\n", 1)[1] for section in old}
    head, _, section = markdown([table]).partition("\n## ")
    measured = next(line for line in head.split("\n") if line.startswith("Measured"))
    title, _, rows = section.partition("\n")
    sections[title] = f"{rows}\n{measured}"
    page = "".join(f"\n## {title}\n\n{section.strip()}\n" for title, section in sections.items())
    path.write_text(f"# Results\n\nHow: see [README.md](README.md).\n{page}", encoding="utf-8")


if __name__ == "__main__":
    main()
