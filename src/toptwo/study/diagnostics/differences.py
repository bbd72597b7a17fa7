"""What is said of differences between two arms that were measured side by side: the tests of values, in other words."""

from toptwo.study.diagnostics.drift import Drift
from toptwo.study.diagnostics.memory import Memory
from toptwo.study.diagnostics.outliers import Outliers
from toptwo.study.diagnostics.skew import Skew
from toptwo.study.diagnostics.tally import Tally
from toptwo.words import number_text

BOUNDED = (
    'If values have bounds, family=tt.Bounded(low, high) holds whatever their law; compare="wins" needs no bounds.'
)

REMEMBERED = (
    "the confidence assumes that they do not, so take it with care. Let time pass between blocks, or begin each one "
    "afresh (restart what is measured, draw another item)."
)


class OutlyingDifferences(Outliers):
    """A difference that is far from those of the blocks before."""

    def _words(self, value: float, times: float) -> str:
        return (
            f"A difference between {{arm}} and {{other}} is {number_text(times, 2)} times their spread from the mean "
            f"of those before: rare large values move a mean and are hardly seen. {BOUNDED}"
        )


class SkewOfDifferences(Skew):
    """Differences that are not as often above their mean as below it."""

    values = "the differences between {arm} and {other}"
    remedy = f"they are skewed, or they drift, and the guarantee is for Gaussian differences. {BOUNDED}"


class DriftOfDifferences(Drift):
    """Differences that grow or shrink with the number of the block."""

    def _words(self, rise: float, tally: Tally) -> str:
        return (
            f"The differences between {{arm}} and {{other}} drift over the first {tally.count:,} blocks that hold "
            "both: one of the two changes more than the other, so that there is no one difference to be known. Measure "
            "what they are after the change, or fix how long the measuring lasts and take its average."
        )


class MemoryOfDifferences(Memory):
    """Differences that resemble those of the block before."""

    words = f"The differences between {{arm}} and {{other}} resemble those of the block before: {REMEMBERED}"
