"""`identify`: hand over a function that measures, get a verdict."""

from collections.abc import Callable, Hashable, Sequence
from typing import Any, Literal

from toptwo.errors import InputError, MeasurementError
from toptwo.interrupts import Interrupts
from toptwo.study.creation import create_study
from toptwo.study.live import LiveView
from toptwo.study.study import Study
from toptwo.study.verdict import Verdict

ENOUGH = 100
"""Equal values of an arm that are no chance."""


def identify(
    measure: Callable[[Any], float],
    arms: int | Sequence[Hashable],
    delta: float = 0.05,
    epsilon: float = 0.0,
    *,
    family: Any = None,
    algorithm: Any = None,
    threshold: Any = None,
    direction: Literal["maximize", "minimize"] = "maximize",
    max_samples: int | None = None,
    seed: int = 0,
    progress: bool | None = None,
) -> Verdict:
    """Measure arms one at a time until the best is known, wrong with probability at most δ.

    Parameters
    ----------
    measure
        Called with an arm, returns one noisy measurement of it.
    arms, delta, epsilon, family, algorithm, threshold, direction, max_samples, seed
        As in `create_study`.
    progress
        Show the arms live; by default on a terminal.

    Returns
    -------
    Verdict
        The winner; "undecided" if `max_samples` was reached; "running" after Ctrl-C, with what was measured.

    Raises
    ------
    MeasurementError
        If `measure` raises, or returns something that is not a finite number; its `study` holds what was measured.

    Examples
    --------
    >>> import toptwo as tt, random
    >>> noise = random.Random(1)
    >>> verdict = tt.identify(lambda arm: arm + noise.gauss(0, 1), arms=[0.0, 2.0, 1.0], delta=0.05)
    >>> verdict.arm, verdict.decided
    (2.0, True)
    """
    if not callable(measure):
        raise InputError(f"measure must be a function of an arm that returns a number, not {measure!r}.")
    study = create_study(
        arms,
        delta=delta,
        epsilon=epsilon,
        algorithm=algorithm,
        threshold=threshold,
        family=family,
        direction=direction,
        max_samples=max_samples,
        seed=seed,
    )
    with LiveView(study, progress) as view:
        with Interrupts() as interrupts:
            try:
                while study.running:
                    pull = study.ask()
                    with interrupts.welcome():
                        value = _measured(measure, pull.arm, study)
                    study.tell(pull, value)
                    if max_samples is None:
                        _check_noise(study, pull.number + 1)
                    view.show()
            except KeyboardInterrupt:
                view.interrupted()
        view.show(last=True)
    return study.verdict


def _check_noise(study: Study, pulls: int) -> None:
    """Stop, at every power of two pulls, where an arm's values are all equal and their variance is asked for."""
    if pulls & (pulls - 1) or pulls < len(study.arms) * ENOUGH:
        return
    for report in study.verdict.arms:
        if report.arm in study.verdict.constant and report.pulls >= ENOUGH:
            failure = MeasurementError(
                f"all {report.pulls:,} values of arm {report.arm!r} are equal, so that nothing can be said of their "
                "variance: give max_samples, or a family that does not ask for it, such as tt.Bounded(low, high)."
            )
            failure.study = study
            raise failure


def _measured(measure: Callable[[Any], float], arm: Hashable, study: Study) -> float:
    """Return one measurement, or raise MeasurementError with the study attached."""
    try:
        return study.checked(measure(arm), arm)
    except InputError as problem:
        failure = MeasurementError(f"measure returned a bad value: {problem}")
    except Exception as problem:
        failure = MeasurementError(f"measure({arm!r}) raised {type(problem).__name__}: {problem}")
        failure.__cause__ = problem
    failure.study = study
    raise failure
