"""A result on the terminal: the sentence, the table, what it rests on."""

from collections.abc import Sequence
from typing import Any

from toptwo.racing.result import RaceResult
from toptwo.racing.sentences import cells, headline


def show(result: RaceResult, console: Any, suffix: str | None = None, by_command: bool = False) -> None:
    """Print a result."""
    from rich.text import Text

    from toptwo.report.terminal import Fitted

    console.print(Text(headline(result), style="" if result.status == "failed" else "bold"))
    if result.runs:
        order: Sequence[int] = range(len(result.commands)) if by_command else result.ranked()
        console.print()
        console.print(Fitted(head(result), [cells(result, arm, suffix) for arm in order]))
        console.print()
    if result.standing.assumption and result.runs:
        console.print(Text(f"Assumes {result.standing.assumption}.", style="dim"))
    for note in result.notes:
        console.print(Text(f"Note: {note}", style="dim"))


def head(result: RaceResult) -> tuple[str, str, str, str, str]:
    """Return the names of the columns."""
    against = f"against {result.leader}" if result.leader and len(result.leader) <= 16 else "against the leader"
    return "command", f"{result.question.metric.label}, mean ± σ", "range", against, "runs"
