"""What a study waits for, in lines: pulls that failed, and pulls under way with who has them and since when."""

from datetime import datetime

from toptwo.study.fold import Lease
from toptwo.study.journal import Journal
from toptwo.study.operations import GivenBack
from toptwo.study.study import Study
from toptwo.words import one_line

SHOWN = 20
"""Lines at most."""


def failed_pulls(study: Study) -> list[str]:
    """Return a line for each pull that failed and waits for a decision."""
    fold = study._journal.catch_up()
    lines = []
    for number, reason in fold.failed.items():
        arm = one_line(fold.arms[fold.leases[number].arm])
        lines.append(f"  failed: pull {number} of {arm} ({one_line(reason)}): study.retry() or tell it a value")
    return shortened(lines)


def pulls_under_way(study: Study) -> list[str]:
    """Return a line for each pull that somebody has, or had until the lease ran out, and for those given back."""
    journal = study._journal
    fold = journal.catch_up()
    under_way = sorted(lease for lease in fold.leases.values() if lease.number not in fold.failed)
    lines = [line_of(journal, lease, one_line(fold.arms[lease.arm])) for lease in under_way[:SHOWN]]
    return shortened(lines, len(under_way))


def line_of(journal: Journal, lease: Lease, arm: str) -> str:
    """Return who has a pull, and since when by the storage's clock."""
    pull = f"pull {lease.number} of {arm}"
    if isinstance(journal.storage.last_about(journal.key, lease.number), GivenBack):
        return f"  given back: {pull}, which is handed out next"
    (lent,) = journal.storage.read(journal.key, lease.token, lease.token + 1)
    since = datetime.fromtimestamp(lent.at).astimezone().strftime("%Y-%m-%d %H:%M:%S")
    return f"  under way: {pull}, with {one_line(lease.by)} since {since}"


def shortened(lines: list[str], count: int | None = None) -> list[str]:
    """Return the first lines, and how many more there are."""
    more = (len(lines) if count is None else count) - SHOWN
    return lines[:SHOWN] + ([f"  and {more} more"] if more > 0 else [])
