"""The report: one page with claims, figures, numbers and where they come from, made from tables alone."""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from toptwo import __version__
from toptwo.experiments.experiment import Claim, Experiment, Finding
from toptwo.json_text import json_text
from toptwo.report.figures import figure_path
from toptwo.report.html import choice, folded, image, page, table_of, tag, text
from toptwo.report.sections import FEW, TitledTable, sweep, tables
from toptwo.sweeps.files import write_whole
from toptwo.sweeps.progress import span
from toptwo.sweeps.statistics import Judgement
from toptwo.sweeps.tables import Table, read_table
from toptwo.words import counted

REPORT = "report.html"
KINDS = {
    Judgement.FAILS: "fails",
    Judgement.CORRECTED: "corrected",
    Judgement.OPEN: "open",
    Judgement.HOLDS: "holds",
}
NOTE = (
    "What a word such as “slightly” is taken to mean stands in [brackets]. Verdicts on simulated numbers need a 99.9 % "
    "interval on one side of the limit, otherwise this size does not decide. Ratios are geometric means over runs with "
    "the same rewards, which rare endless runs do not decide; ratios of mean samples stand beside them."
)


OUTDATED = "the table is of an earlier version, which did not look at this: run the experiment again"


class Judged(NamedTuple):
    """A claim and what was found."""

    experiment: Experiment
    claim: Claim
    finding: Finding


class Chapter(NamedTuple):
    """An experiment that has been run."""

    experiment: Experiment
    table: Table
    provenance: dict[str, Any]


def chapters(out: Path, experiments: Sequence[Experiment], size: str, seed: int) -> list[Chapter]:
    """Return the experiments of this size and seed whose tables are in a folder."""
    found = []
    for experiment in experiments:
        table = read_table(out / experiment.name)
        if table is not None and (table.content["size"], table.content["seed"]) == (size, seed):
            origin = json.loads((out / experiment.name / "provenance.json").read_text("utf-8"))
            found.append(Chapter(experiment, table, origin))
    return found


def judge(found: Sequence[Chapter]) -> list[Judged]:
    """Return every claim of some experiments with its finding."""
    return [
        Judged(chapter.experiment, claim, _finding(claim, chapter.table))
        for chapter in found
        for claim in chapter.experiment.claims
    ]


def _finding(claim: Claim, table: Table) -> Finding:
    try:
        return claim.judge(table)
    except LookupError:
        return Finding(OUTDATED, Judgement.OPEN)


def tally(judged: Sequence[Judged]) -> str:
    """Return how many claims have each judgement."""
    counts = Counter(entry.finding.judgement for entry in judged)
    found = (many(judgement, counts[judgement]) for judgement in Judgement if counts[judgement])
    return f"Of {counted(len(judged), 'claim')}: {', '.join(found)}"


def many(judgement: Judgement, number: int) -> str:
    """Return so many claims of one judgement in words.

    Examples
    --------
    >>> many(Judgement.HOLDS, 1), many(Judgement.CORRECTED, 24), many(Judgement.FAILS, 2)
    ('1 holds', '24 hold with a correction', '2 do not hold')
    """
    words = judgement.value
    return f"{number} {words if number == 1 else words.replace('holds', 'hold').replace('does', 'do')}"


def write_report(out: Path, experiments: Sequence[Experiment], size: str, seed: int) -> Path:
    """Write the report on all experiments of this size and seed that are in a folder."""
    found = chapters(out, experiments, size, seed)
    done = {chapter.experiment.name for chapter in found}
    missing = [experiment.name for experiment in experiments if experiment.name not in done]
    content = "\n".join(
        [
            _opening(found, missing, size, seed),
            _claims(judge(found)),
            *(_chapter(chapter, out) for chapter in found),
        ]
    )
    path = out / REPORT
    write_whole(path, page(f"toptwo: the paper reproduced ({size})", content).encode())
    return path


def _opening(found: Sequence[Chapter], missing: Sequence[str], size: str, seed: int) -> str:
    seconds = sum(chapter.provenance["processor_seconds"] for chapter in found)
    lines = [
        tag("h1", "Does toptwo do what the paper says?"),
        tag(
            "p",
            "Every figure, table and checkable sentence of the experiments and appendices of <em>Non-Asymptotic "
            "Analysis of a UCB-based Top Two Algorithm</em> (Jourdan and Degenne, 2023), run again with toptwo. "
            "All algorithms of an experiment see the same instances and rewards.",
        ),
        tag(
            "p",
            text(
                f"Size: {size}. Seed: {seed}. toptwo {__version__}. "
                f"Cells shown took {span(seconds)} of processor time (some serve several experiments)."
            ),
            class_="quiet",
        ),
    ]
    if missing:
        lines.append(tag("p", text(f"Not run at this size and seed: {', '.join(missing)}."), class_="quiet"))
    links = [tag("a", text(c.experiment.name), href=f"#{c.experiment.name}") for c in found]
    return "\n".join([*lines, tag("nav", " ".join(links))])


def _claims(judged: Sequence[Judged]) -> str:
    """Return the claims in the order of the experiments, and buttons that pick those of one verdict."""
    kinds = [KINDS[entry.finding.judgement] for entry in judged]
    rows = [
        (
            text(entry.claim.sentence),
            f"{text(entry.claim.where)} ({tag('a', text(entry.experiment.name), href=f'#{entry.experiment.name}')})",
            text(entry.finding.number),
            tag("span", text(entry.finding.judgement.value), class_="verdict"),
        )
        for entry in judged
    ]
    options = [(kind, many(judgement, kinds.count(kind))) for judgement, kind in KINDS.items() if kind in kinds]
    table = table_of(("sentence", "where", "our number", "verdict"), rows, "claims", kinds)
    return "\n".join(
        [
            tag("h2", "Claims", id="claims"),
            tag("p", text(NOTE), class_="quiet"),
            choice([("all", f"all {counted(len(judged), 'claim')}"), *options], table),
        ]
    )


def _chapter(chapter: Chapter, out: Path) -> str:
    experiment, table = chapter.experiment, chapter.table
    parts = [
        tag("h2", text(experiment.title), id=experiment.name),
        tag("p", f"{text(experiment.name)} — {text(experiment.source)}. {text(experiment.note)}", class_="quiet"),
    ]
    for figure in experiment.figures:
        path = figure_path(out, experiment, figure)
        if path.is_file():
            parts += [image(path, figure.caption), tag("p", text(figure.caption), class_="caption")]
    found = [tag("h3", text(titled.title)) + _table(titled) for titled in tables(table)]
    if len(found) > FEW:
        summary = sweep(table)
        parts += [tag("h3", text(summary.title)) + _table(summary), folded("All numbers", "\n".join(found))]
    else:
        parts += found
    origin = json_text(chapter.provenance)
    parts.append(folded("Provenance", tag("pre", text(origin))))
    return "\n".join(parts)


def _table(titled: TitledTable) -> str:
    return table_of(titled.head, [[text(cell) for cell in row] for row in titled.rows], "numbers")
