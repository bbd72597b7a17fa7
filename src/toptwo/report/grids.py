"""What a sweep found, as a table in a terminal and as curves."""

from pathlib import Path
from typing import Any

from rich.console import Console

from toptwo.errors import InputError
from toptwo.report.drawing import canvas, counts_axis, headline, save
from toptwo.report.result_tables import known
from toptwo.report.style import style
from toptwo.report.terminal import Fitted
from toptwo.sweeps.results import AXES, SweepTable
from toptwo.words import counted

SHOWN = {
    "problem": "problem",
    "arms": "K",
    "family": "family",
    "delta": "δ",
    "epsilon": "ε",
    "threshold": "threshold",
}
NUMBERS, LOGARITHMIC = ("arms", "delta", "epsilon"), ("arms", "delta")
LINES = ("-", "--", ":", "-.")


def sweep_table(table: SweepTable) -> Fitted:
    """Return a table of the axes along which points differ, and what each algorithm did there."""
    varied = table.varied()
    head = [*(SHOWN[name] for name in varied), "algorithm", "mean ± error", "99 %", "% wrong [95 %]", "× bound"]
    rows = []
    for row in table.rows:
        bound = "≥ " if row["undecided"] else ""
        multiple = row["multiple_of_lower_bound"]
        rows.append(
            [
                *(_text(row[name]) for name in varied),
                row["algorithm"],
                f"{bound}{row['mean']:,.0f} ± {known(row['standard_error'])}",
                known(row["quantile_99"]),
                f"{100 * row['wrong'] / row['runs']:.2f} [{100 * row['error_low']:.2f}, {100 * row['error_high']:.2f}]",
                "–" if multiple is None else f"{bound}{multiple:.2f}",
            ]
        )
    left = f" {counted(table.cells.left_to_others, 'cell')} of other shards not there yet." * bool(
        table.cells.left_to_others
    )
    same = ", ".join(
        f"{SHOWN[name]} = {_text(table.rows[0][name])}" for name in AXES if name not in varied and table.rows
    )
    words = tuple(
        place for place, name in enumerate([*varied, "algorithm"]) if name not in ("arms", "delta", "epsilon")
    )
    return Fitted(head, rows, caption=f"Samples until an answer; {same}.{left}", words=words)


def sweep_text(table: SweepTable) -> str:
    """Return the table as plain text."""
    console = Console(width=140, color_system=None, force_terminal=False)
    with console.capture() as capture:
        console.print(sweep_table(table))
    return capture.get().rstrip()


def _text(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def draw_grid(table: SweepTable, path: Path, x: str | None = None, y: str = "mean") -> Path:
    """Draw a column over an axis, one colour per algorithm, one kind of line per value of the other axes."""
    if not table.rows:
        raise InputError("there is nothing to draw: no point is complete.")
    axis = x or next((name for name in ("arms", "delta", "epsilon") if name in table.varied()), "arms")
    if axis not in AXES:
        raise InputError(f"x must be one of {', '.join(AXES)}, not {axis!r}.")
    if not isinstance(table.rows[0].get(y), int | float):
        raise InputError(f"y must be a column of numbers, such as mean or quantile_99, not {y!r}.")
    others = [name for name in table.varied() if name != axis]
    curves: dict[tuple[str, tuple[str, ...]], list[tuple[Any, float, float]]] = {}
    for row in table.rows:
        error = row["standard_error"] if y == "mean" else 0.0
        group = tuple(_text(row[name]) for name in others)
        curves.setdefault((row["algorithm"], group), []).append((row[axis], row[y], error))
    groups = list(dict.fromkeys(group for _, group in curves))
    figure, axes = canvas(4.2)
    for (algorithm, group), places in curves.items():
        look = style(algorithm)
        across, values, errors = zip(*sorted(places, key=lambda place: place[0]), strict=True)
        named = ", ".join([algorithm, *(f"{SHOWN[name]} = {value}" for name, value in zip(others, group, strict=True))])
        line = LINES[groups.index(group) % len(LINES)]
        axes.errorbar(across, values, errors, color=look.colour, marker=look.marker, linestyle=line, label=named)
    if all(not isinstance(row[axis], str) for row in table.rows):
        if axis in LOGARITHMIC:
            axes.set_xscale("log")
        axes.set_xticks(sorted({row[axis] for row in table.rows}), minor=False)
        axes.set_xticklabels([_text(value) for value in sorted({row[axis] for row in table.rows})])
        axes.minorticks_off()
    axes.set_yscale("log")
    axes.set_xlabel(SHOWN[axis])
    axes.set_ylabel(
        "samples until an answer (log scale)" if y in ("mean", "median", "longest") else y.replace("_", " ")
    )
    counts_axis(axes.yaxis)
    axes.grid(which="major", alpha=0.35)
    headline(figure, f"{y.replace('_', ' ')} over {SHOWN[axis]}")
    figure.legend(loc="outside right upper", frameon=False, fontsize=8)
    return save(figure, path)
