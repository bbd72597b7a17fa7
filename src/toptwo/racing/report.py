"""A result on the terminal: the sentence, the table, what it rests on."""

from collections.abc import Sequence
from typing import Any

from toptwo.racing.result import RaceResult
from toptwo.racing.sentences import cells, headline
from toptwo.words import counted


def show(result: RaceResult, console: Any, suffix: str | None = None, by_command: bool = False) -> None:
    """Print a result."""
    from rich.text import Text

    from toptwo.report.terminal import Fitted

    def say(sentence: str, style: str) -> None:
        console.print(Text(sentence, style=style), soft_wrap=not console.is_terminal)  # in a file, one line each

    if result.status == "failed":  # why is said with the errors
        say(f"The race ended early, after {counted(len(result.runs), 'run')}.", "")
    else:
        say(headline(result), "bold")
    if result.runs:
        order: Sequence[int] = range(len(result.commands)) if by_command else result.ranked()
        console.print()
        rows = [cells(result, arm, suffix) for arm in order]
        names = head(result)
        brief = Fitted((*names[:2], *names[3:]), [(*row[:2], *row[3:]) for row in rows])
        console.print(Fitted(names, rows, narrow=brief))
        console.print()
    if result.standing.assumption and result.runs:
        say(f"Assumes {result.standing.assumption}.", "dim")
    for note in result.notes:
        say(f"Note: {note}", "dim")


def head(result: RaceResult) -> tuple[str, str, str, str, str]:
    """Return the names of the columns."""
    against = f"against {result.leader}" if result.leader and len(result.leader) <= 16 else "against the leader"
    return "command", f"{result.question.metric.label}, mean ± σ", "range", against, "runs"
