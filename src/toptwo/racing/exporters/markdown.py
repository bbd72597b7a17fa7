"""A table for a README or a pull request, in hyperfine's columns, with the verdict below it."""

from toptwo.racing.result import RaceResult
from toptwo.racing.sentences import headline, relative
from toptwo.racing.units import SCALES, scale_of, significant


def markdown_text(result: RaceResult, suffix: str | None = None, by_value: bool = False) -> str:
    """Return the table, in the order of the commands or from the best to the worst."""
    unit = result.question.metric.unit
    summaries = [result.summary(arm) for arm in range(len(result.commands))]
    largest = max((abs(summary.mean) for summary in summaries if summary is not None), default=0.0)
    chosen = scale_of(largest, unit, suffix)
    shown = f" [{chosen}]" if chosen else ""
    label = result.question.metric.label
    lines = [
        f"| Command | Mean {label}{shown} | Min{shown} | Max{shown} | Relative | Runs |",
        "|:---|---:|---:|---:|---:|---:|",
    ]
    scale = SCALES[unit][chosen]
    for arm in result.ranked() if by_value else range(len(result.commands)):
        summary = summaries[arm]
        name = result.commands[arm].name.replace("|", "\\|")
        if summary is None:
            lines.append(f"| `{name}` | | | | | 0 |")
            continue
        spread = f" ± {significant(summary.stddev / scale, 2)}" if summary.stddev is not None else ""
        numbers = [f"{significant(summary.mean / scale)}{spread}"]
        numbers += [significant(value / scale) for value in (summary.min, summary.max)]
        lines.append(f"| `{name}` | {' | '.join(numbers)} | {relative(result, arm)} | {summary.number} |")
    return "\n".join([*lines, "", headline(result), ""])
