"""A design of single pulls as plain data, and back."""

from typing import TYPE_CHECKING, Any

from toptwo.engine.rounds import Decision, Standing, knowledge
from toptwo.study.designs.added import fit
from toptwo.study.designs.keeping import fill, plain
from toptwo.study.designs.unread import UnreadPull

if TYPE_CHECKING:
    from toptwo.study.designs.independent import Independent


def snapshot_of(design: "Independent") -> Any:
    """Return all that a design has learnt, and the pulls that are not yet read."""
    waiting = design._open.items()
    return {
        "settled": plain(design.settled),
        "known": plain(design.known),
        "origin": design.origin,
        "early": [[[*decision, value] for decision, value in taken] for taken in design._early],
        "draws": int(design._random.position[0]),
        "pulls": design.pulls,
        "read": design.read,
        "in batches": design._in_batches,
        "unseen": design._unseen,
        "begun": design._begun,
        "best": int(design.best),
        "standing": [field.item() if hasattr(field, "item") else field for field in design.standing],
        "status": design._status,
        "diagnostics": design.diagnostics.snapshot(),
        "coming": list(design._coming),
        "open": [[pull, *unread.kept()] for pull, unread in waiting],
        "queued": [pull for pull, unread in waiting if unread in design._queues[unread.decision.arm]],
    }


def restore(design: "Independent", kept: Any) -> None:
    """Go on from a snapshot, with a design that knows of all arms already."""
    if coming := kept.get("coming"):  # former versions let the verdict know new arms at once
        design._coming.extend(coming)
        fit(design, design.added - len(coming))
        design.settled = knowledge(design.setup, design.arms - len(coming))
    fill(design.settled, kept["settled"])
    fill(design.known, kept["known"])
    design._random.position[0] = kept["draws"]
    design.origin = kept["origin"]
    design._early = [[(Decision(*decision), value) for *decision, value in taken] for taken in kept["early"]]
    design.pulls, design.read, design._unseen, design.best = (kept[key] for key in ("pulls", "read", "unseen", "best"))
    design._begun, design._in_batches = kept["begun"], kept.get("in batches", 0)
    design.standing, design._status = Standing(*kept["standing"]), kept["status"]
    design.over = design._status != "running"
    design.diagnostics.restore(kept["diagnostics"])
    queued = set(kept["queued"])
    for pull, *fields in kept["open"]:
        unread = design._open[pull] = UnreadPull.of(fields)
        if pull in queued:
            design._queues[unread.decision.arm].append(unread)
