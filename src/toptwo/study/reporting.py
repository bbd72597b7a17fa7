"""The verdict of a study, from what its design found."""

from typing import Any

from toptwo.study.fold import Fold
from toptwo.study.verdict import ArmReport, Verdict
from toptwo.words import counted, one_line


def report(fold: Fold, *, changed: bool) -> Verdict:
    """Return the state of the answer; once it is settled, as it was written then, whatever a changed rule says."""
    question, kept = fold.question, fold.concluded
    found: Any = fold.design.findings()
    if kept is not None and (changed or (found.status, found.arm) != (kept.status, kept.arm)):
        found = found._replace(**{name: getattr(kept, name) for name in found._fields if hasattr(kept, name)})
        found = found._replace(remaining=0.0, waiting=0)
    return Verdict(
        status=found.status,
        arm=fold.arms[max(found.arm, 0)],
        confidence=found.confidence,
        pulls=found.pulls,
        remaining=found.remaining,
        delta=question.delta,
        epsilon=question.epsilon,
        direction=question.direction,
        threshold=found.threshold,
        proven=found.proven,
        assumption=found.assumption + condition(fold),
        waiting=found.waiting,
        arms=tuple(
            ArmReport(name, mean, pulls, arm, found.bounds)
            for arm, (name, mean, pulls) in enumerate(zip(fold.arms, found.means, found.counts, strict=False))
        ),
        constant=tuple(fold.arms[arm] for arm in found.constant),
        diagnostics=tuple(diagnosis.sentence(fold.arms) for diagnosis in found.diagnostics),
        failed=failure(fold) if found.status == "running" else "",
    )


def failure(fold: Fold) -> str:
    """Return which pull failed, and what to do, where everything waits for that."""
    if not fold.failed:
        return ""
    (number, reason), *others = fold.failed.items()
    more = f", and so did {len(others):,} more" if others else ""
    arm = one_line(fold.arms[fold.leases[number].arm])
    return f"Pull {number} of {arm} failed ({one_line(reason)}){more}: study.retry(), or tell its value."


def condition(fold: Fold) -> str:
    """Return what the guarantee rests on besides, where measurements failed or results were brought along."""
    said = ""
    if fold.brought:
        chosen = "was not chosen by its value" if fold.brought == 1 else "were not chosen by their values"
        said += f"; and that the {counted(fold.brought, 'result')} brought along {chosen}"
    if fold.lost and fold.question.failures == "drop":
        said += f"; and that the {counted(fold.lost, 'measurement')} that failed would have been like the others"
    return said
