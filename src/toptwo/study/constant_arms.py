"""Arms whose values are all equal, under a family that asks for their variance: they would be measured for ever."""

from typing import TYPE_CHECKING

from toptwo.errors import MeasurementError
from toptwo.study.fold import Fold

if TYPE_CHECKING:
    from toptwo.study.study import Study

ENOUGH = 100
"""Equal values of an arm that are no chance."""


class ConstantArms:
    """Looks for them each time the pulls of a study have doubled."""

    def __init__(self, study: "Study") -> None:
        self._study = study
        self._doublings = study._journal.fold.pulls.bit_length()

    def refuse(self) -> None:
        """Raise MeasurementError if it is time to look and there are some."""
        fold = self._study._journal.fold
        if (doublings := fold.pulls.bit_length()) > self._doublings:
            self._doublings = doublings
            if (problem := constant_arms(fold)) is not None:
                problem.study = self._study
                raise problem


def constant_arms(fold: Fold) -> MeasurementError | None:
    """Return what is wrong with a study without a budget in which an arm's values are all equal.

    To be asked now and then.
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
