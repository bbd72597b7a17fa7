"""The report as Markdown, figures in a folder beside it; what stands above the mark is kept."""

import re
from collections.abc import Sequence
from pathlib import Path

from toptwo import __version__
from toptwo.experiments.experiment import Experiment
from toptwo.report.figures import figure_path
from toptwo.report.page import NOTE, Chapter, chapters, judge, tally
from toptwo.report.sections import FEW, TitledTable, sweep, tables
from toptwo.sweeps.files import write_whole

MARK = "<!-- What follows is written by toptwo reproduce --markdown. -->"


def write_markdown(path: Path, out: Path, experiments: Sequence[Experiment], size: str, seed: int) -> Path:
    """Write the report on what is in `out`; text above the mark of an existing file stays."""
    written = chapters(out, experiments, size, seed)
    judged = judge(written)
    head = path.read_text("utf-8").partition(MARK)[0] if path.is_file() else "# Reproduction of the paper\n\n"
    machine = written[0].provenance.get("machine", {}) if written else {}
    about = (
        f"Size {size}, seed {seed}, toptwo {__version__}, Python {machine.get('python')}, "
        f"NumPy {machine.get('numpy')}, {machine.get('processors')} processors ({machine.get('processor')})."
    )
    claims = [
        [entry.claim.sentence, entry.claim.where, entry.finding.number, entry.finding.judgement.value]
        for entry in judged
    ]
    parts = [about, "## Claims", f"{tally(judged)}. {NOTE}"]
    parts.append(_table(TitledTable("", ("sentence", "where", "our number", "verdict"), claims)))
    parts += [_chapter(chapter, path, out) for chapter in written]
    write_whole(path, (head + MARK + "\n\n" + "\n\n".join(parts) + "\n").encode())
    return path


def _chapter(chapter: Chapter, path: Path, out: Path) -> str:
    experiment = chapter.experiment
    parts = [
        f"## {_safe(experiment.title)}",
        f"`{experiment.name}`: {experiment.source}. {_safe(experiment.note)}".strip(),
    ]
    for figure in experiment.figures:
        source = figure_path(out, experiment, figure)
        copy = path.with_suffix("") / source.name
        write_whole(copy, source.read_bytes())
        parts += [f"![{figure.title}]({copy.parent.name}/{copy.name})", _safe(figure.caption)]
    found = tables(chapter.table)
    parts += [_table(titled) for titled in (found if len(found) <= FEW else [sweep(chapter.table)])]
    seconds = chapter.provenance["processor_seconds"]
    return "\n\n".join([*parts, f"Processor time: {seconds:,.0f} s."])


def _table(titled: TitledTable) -> str:
    lines = [f"{_safe(titled.title)}\n"] if titled.title else []
    lines.append("| " + " | ".join(map(_safe, titled.head)) + " |")
    lines.append("|" + "---|" * len(titled.head))
    lines += ["| " + " | ".join(map(_safe, row)) + " |" for row in titled.rows]
    return "\n".join(lines)


def _safe(text: str) -> str:
    r"""Return text in which Markdown sees no marks of its own.

    Examples
    --------
    >>> _safe("T*_½ | x")
    'T\\*\\_½ \\| x'
    """
    return re.sub(r"([*_|<>])", r"\\\1", text)
