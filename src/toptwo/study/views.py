"""A study looked at: its history, as records, data frames and figures."""

from typing import TYPE_CHECKING, Any, Literal

from toptwo.study.damage import named
from toptwo.study.history import PullRecord, records_of
from toptwo.study.journal import Journal
from toptwo.study.pulls import Pull
from toptwo.study.replay import first_difference

if TYPE_CHECKING:
    from toptwo.study.verdict import Verdict


class Views:
    """What can be seen of a study; `Study` is one."""

    _journal: Journal

    if TYPE_CHECKING:

        @property
        def verdict(self) -> Verdict: ...  # noqa: D102

    @property
    def failures(self) -> str:
        """Return what a failed pull leads to."""
        return self._journal.question.failures

    @property
    def max_samples(self) -> int | None:
        """Return the budget."""
        return self._journal.question.max_samples

    @property
    def seed(self) -> int:
        """Return the seed of all that is drawn."""
        return self._journal.question.seed

    @property
    def conditions(self) -> dict[str, str]:
        """Return under which conditions measurements are made, as far as that was said."""
        return dict(self._journal.question.conditions or ())

    @property
    def given_up(self) -> int:
        """Return how many pulls count for nothing, since their rows were not measured back to back."""
        return len(self._journal.catch_up().given_up)

    def was_given_up(self, pull: Pull) -> bool:
        """Return whether a pull counts for nothing, since somebody gave its row up."""
        return pull.number in self._journal.catch_up().given_up

    @property
    def pulls(self) -> list[PullRecord]:
        """Return the history: every pull that was asked for, by whom and when, and what came of it."""
        journal = self._journal
        with named(journal.storage, journal.key):
            return records_of(journal.entries(), journal.question)

    def pulls_dataframe(self, library: Literal["pandas", "polars"] | None = None) -> Any:
        """Return the history as a data frame of pandas, or of polars if that is what is installed."""
        from toptwo.study.frames import dataframe

        return dataframe(self.pulls, library)

    def replay(self) -> str:
        """Decide everything once more from the journal; return what comes out differently, "" if nothing does."""
        journal = self._journal
        with named(journal.storage, journal.key):
            return first_difference(journal.entries(), journal.question)

    def plot_arms(self) -> Any:
        """Return a figure (matplotlib) of the means with their intervals."""
        from toptwo.study.plots import plot_arms

        return plot_arms(self.verdict)

    def plot_allocation(self) -> Any:
        """Return a figure of the share of pulls that each arm had, over time."""
        from toptwo.study.plots import plot_allocation

        return plot_allocation(self.pulls)

    def plot_confidence(self) -> Any:
        """Return a figure of the confidence in the leader, over time."""
        from toptwo.study.plots import confidence_over_time, plot_confidence

        journal = self._journal
        with named(journal.storage, journal.key):
            sure = confidence_over_time(journal.entries(), journal.question)
        return plot_confidence(sure, journal.question.delta)
