"""What a simulation returns: arrays with one entry per run, and their summary."""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toptwo.engine.runs import Trace
from toptwo.words import counted


def exact_interval(successes: int, trials: int, confidence: float = 0.95) -> tuple[float, float]:
    """Return the Clopper–Pearson interval of a probability.

    Examples
    --------
    >>> low, high = exact_interval(0, 100)
    >>> low, round(high, 4)
    (0.0, 0.0362)
    """
    from scipy.special import betaincinv

    if trials == 0:
        return 0.0, 1.0
    tail = (1.0 - confidence) / 2.0
    low = float(betaincinv(successes, trials - successes + 1, tail)) if successes else 0.0
    high = float(betaincinv(successes + 1, trials - successes, 1.0 - tail)) if successes < trials else 1.0
    return low, high


@dataclass(frozen=True)
class Summary:
    """A simulation in a few numbers.

    A run that ended undecided counts with the samples it took, so that mean and median are then lower bounds.
    """

    algorithm: str
    runs: int
    undecided: int
    mean: float
    standard_error: float
    median: float
    wrong: int
    error_interval: tuple[float, float]

    @property
    def error_rate(self) -> float:
        """Return the fraction of the runs that stopped on a wrong arm, out of all runs."""
        return self.wrong / self.runs if self.runs else math.nan

    def __str__(self) -> str:
        low, high = self.error_interval
        bound = "at least " if self.undecided else ""
        error = f"{self.standard_error:.1f}" if math.isfinite(self.standard_error) else "–"
        text = (
            f"{self.algorithm}: {bound}{self.mean:,.1f} ± {error} samples "
            f"(median {self.median:,.0f}), wrong in {self.wrong} of {counted(self.runs, 'run')} "
            f"(95 % interval {low:.2%} to {high:.2%})"
        )
        return text + (f", {self.undecided} undecided at max_samples" if self.undecided else "")


@dataclass(frozen=True, eq=False)
class Simulation:
    """The outcome of `simulate`, one entry per run.

    Attributes
    ----------
    stopping_times
        Samples taken; where `decided` is False, the run ended at `max_samples` without an answer.
    recommended
        The arm returned (or, undecided, the arm of highest empirical mean).
    decided
        Whether the stopping rule fired.
    counts
        Pulls of each arm, (runs, K).
    means
        The true means, (runs, K).
    numbers
        The runs' numbers, which with the seed determine their rewards; 0, 1, … unless the call was interrupted.
    trace
        How runs stood at the numbers of samples asked for: `times`, and for each run and time `recommended` (−1 after
        the run had ended), `leaders`, `statistics`, `counts` and `means`.
    interrupted
        Whether the call was cut short; then only finished runs are here.
    settings
        How it was run.
    """

    algorithm: str
    stopping_times: NDArray[np.int64]
    recommended: NDArray[np.int64]
    decided: NDArray[np.bool_]
    counts: NDArray[np.int64]
    means: NDArray[np.float64]
    numbers: NDArray[np.int64]
    epsilon: float
    trace: Trace
    interrupted: bool = False
    settings: dict[str, Any] = field(default_factory=dict, repr=False)

    @property
    def runs(self) -> int:
        """Return the number of finished runs."""
        return len(self.stopping_times)

    def _right(self, arms: NDArray[np.int64]) -> NDArray[np.bool_]:
        chosen = np.take_along_axis(self.means, arms.reshape(self.runs, -1), axis=1).reshape(arms.shape)
        best = self.means.max(axis=1).reshape(self.runs, *[1] * (arms.ndim - 1))
        # Strictly more than ε below the best is wrong, as the guarantee is stated.
        return np.asarray(chosen >= best - self.epsilon)

    @property
    def correct(self) -> NDArray[np.bool_]:
        """Return, for each run, whether it was decided for an arm within ε of the best."""
        return np.asarray(self.decided & self._right(self.recommended))

    @property
    def wrong(self) -> NDArray[np.bool_]:
        """Return, for each run, whether it was decided for an arm more than ε below the best."""
        return np.asarray(self.decided & ~self._right(self.recommended))

    @property
    def wrong_at(self) -> NDArray[np.bool_]:
        """Return whether the recommendation at each time of the trace was wrong; False after the run had ended."""
        found = self.trace.recommended
        return np.asarray((found >= 0) & ~self._right(np.maximum(found, 0)))

    def summary(self) -> Summary:
        """Return mean, median and error rate."""
        times = self.stopping_times
        wrong = int(self.wrong.sum())
        return Summary(
            algorithm=self.algorithm,
            runs=self.runs,
            undecided=int(self.runs - self.decided.sum()),
            mean=float(times.mean()) if self.runs else math.nan,
            standard_error=float(times.std(ddof=1) / math.sqrt(self.runs)) if self.runs > 1 else math.nan,
            median=float(np.median(times)) if self.runs else math.nan,
            wrong=wrong,
            error_interval=exact_interval(wrong, self.runs),
        )

    def __str__(self) -> str:
        return str(self.summary())

    def __repr__(self) -> str:
        return f"<Simulation {self.summary()}>"
