"""`identify`: hand over a function that measures, get a verdict."""

from collections.abc import Callable, Hashable, Sequence
from typing import Any

from toptwo.study.creation import create_study
from toptwo.study.pulls import Pull
from toptwo.study.study import Study
from toptwo.study.verdict import Verdict


def identify(
    measure: Callable[..., float],
    arms: int | Sequence[Hashable],
    delta: float = 0.05,
    epsilon: float = 0.0,
    *,
    timeout: float | None = None,
    n_jobs: int = 1,
    callbacks: Sequence[Callable[[Study, Pull], None]] = (),
    progress: bool | None = None,
    **options: Any,
) -> Verdict:
    """Measure arms until the best is known, wrong with probability at most δ.

    Parameters
    ----------
    measure
        Called with an arm, returns one noisy measurement of it; with an arm and an item where rows have `items`.
    arms, delta, epsilon
        As in `create_study`.
    timeout, n_jobs, callbacks, progress
        As in `Study.optimize`.
    options
        More of `create_study`: family, algorithm, threshold, direction, max_samples, seed, storage, study_name, …

    Returns
    -------
    Verdict
        The winner; "undecided" if `max_samples` was reached; "running" after Ctrl-C or `timeout`, with what was
        measured.

    Raises
    ------
    MeasurementError
        If `measure` raises, or returns something that is not a finite number; its `study` holds what was measured.
        Unless `failures` says what failed measurements count as.

    Examples
    --------
    >>> import toptwo as tt, random
    >>> noise = random.Random(1)
    >>> verdict = tt.identify(lambda arm: arm + noise.gauss(0, 1), arms=[0.0, 2.0, 1.0], delta=0.05)
    >>> verdict.arm, verdict.decided
    (2.0, True)
    """
    study = create_study(arms, delta=delta, epsilon=epsilon, **options)
    return study.optimize(measure, timeout=timeout, n_jobs=n_jobs, callbacks=callbacks, progress=progress)
