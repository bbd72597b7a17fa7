"""Arms whose values are all equal, under a family that asks for their variance: they would be measured for ever."""

from toptwo.errors import MeasurementError
from toptwo.study.fold import Fold

ENOUGH = 100
"""Equal values of an arm that are no chance."""


def constant_arms(fold: Fold) -> MeasurementError | None:
    """Return what is wrong with a study without a budget in which an arm's values are all equal.

    To be asked now and then: each time the pulls have doubled.
    """
    if fold.question.max_samples is not None or fold.pulls < len(fold.arms) * ENOUGH or fold.over:
        return None
    found = fold.design.findings()
    for arm in found.constant:
        if found.counts[arm] >= ENOUGH:
            return MeasurementError(
                f"all {found.counts[arm]:,} values of arm {fold.arms[arm]!r} are equal, so that nothing can be said of "
                "their variance: give max_samples, or a family that does not ask for it, such as tt.Bounded(low, high)."
            )
    return None
