"""The question that a simulation or a study answers: validated, with defaults filled in."""

import hashlib
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toptwo import checks
from toptwo.algorithms import algorithms, resolve
from toptwo.algorithms.base import Question, bind
from toptwo.engine.code import lasting
from toptwo.engine.rehearsal import rehearse
from toptwo.engine.rounds import Setup
from toptwo.errors import InputError
from toptwo.families import make_family
from toptwo.families.base import for_arms, is_constant, refusal
from toptwo.optional import answers
from toptwo.records import components, is_record, prepared
from toptwo.rules.parts import requires
from toptwo.rules.thresholds import stopping_rule

UNLIMITED = 1 << 62

NOT_A_SHARE = "algorithm has a proportion that returned a share outside 0 to 1: check what its rules return."


def not_an_arm(arms: int) -> str:
    """Return what is wrong with an algorithm that chose something else."""
    return (
        f"algorithm chose something that is not one of the {arms} arms (0 to {arms - 1}), or a challenger that is the "
        "leader: check what its rules return."
    )


def make_setup(
    algorithm: Any,
    arms: int,
    *,
    delta: float,
    threshold: Any,
    family: Any,
    epsilon: float,
    max_samples: int | None,
) -> Setup:
    """Return the setup for a question about `arms` arms, or raise InputError."""
    delta = checks.probability("delta", delta)
    law = make_family(family)
    check_extent(law)
    law = for_arms(law, arms)
    question = Question(
        delta=delta,
        arms=arms,
        epsilon=checks.margin("epsilon", epsilon),
        family=law,
        stopping=prepared(stopping_rule(threshold, delta, arms, law)),
    )
    sampler, stopping = bind(_recipe(algorithm), question)
    check_answers(sampler, stopping, question)
    setup = Setup(
        algorithm=prepared(sampler),
        stopping=prepared(stopping),
        family=question.family,
        epsilon=question.epsilon,
        max_samples=UNLIMITED if max_samples is None else checks.whole("max_samples", max_samples, arms, UNLIMITED),
    )
    rehearse(setup, arms)
    return setup


def stops_by(algorithm: Any, threshold: str, arms: int, family: Any) -> bool:
    """Return whether studies of an algorithm stop by the rule of a threshold, not by one of their own."""
    law = for_arms(make_family(family), arms)
    question = Question(0.1, arms, 0.0, law, stopping_rule(threshold, 0.1, arms, law))
    return bind(_recipe(algorithm), question)[1] is question.stopping


def check_answers(sampler: Any, stopping: Any, question: Question) -> None:
    """Refuse rules that ask the family what makes no sense under its law, and name algorithms that do not."""
    for rule, reason in unanswered(question.family, sampler, stopping):
        good = ", ".join(name for name in algorithms() if _runs(name, question))
        raise InputError(f"algorithm cannot run: {rule} is refused, because {reason}. Use {good}.")


def unanswered(family: Any, *rules: Any) -> Iterator[tuple[str, str]]:
    """Yield each rule that asks for something the family refuses, with the reason.

    A rule names what it asks for in `requires`.
    """
    for rule in components(*rules):
        for need in requires(rule):
            if reason := refusal(family, need):
                yield type(rule).__name__, reason


def _runs(name: str, question: Question) -> bool:
    """Return whether an algorithm of the registry can answer a question."""
    try:
        return not any(unanswered(question.family, *bind(_recipe(name), question)))
    except InputError:
        return False


def _recipe(algorithm: Any) -> Any:
    """Return an algorithm given by name or as an object, checked and not yet bound to a question."""
    recipe = prepared(resolve(algorithm))
    if not is_record(recipe):
        raise InputError(f"algorithm must be a NamedTuple of rules, not {type(recipe).__name__}.")
    return recipe


def check_single_best(means: NDArray[np.float64], epsilon: float) -> None:
    """Refuse instances with several best arms unless a margin makes the question answerable."""
    ties = (means == means.max(axis=-1, keepdims=True)).sum(axis=-1)
    if epsilon == 0.0 and (ties > 1).any():
        where = f" in instance {int(np.argmax(ties > 1))}" if means.shape[0] > 1 else ""
        raise InputError(
            f"means has {int(ties.max())} equal best arms{where}, which no number of samples tells apart: "
            "give a margin epsilon > 0 within which either is a right answer, or max_samples to give up after."
        )


def check_range(means: NDArray[np.float64]) -> None:
    """Refuse means whose squares are no floats."""
    if np.abs(means).max() > checks.FARTHEST:
        raise InputError(f"means must lie {checks.WITHIN}: squares of others are no floats.")


APART = 1e30
"""Largest quotient of two arms' standard deviations: pulls count for its square."""


def check_extent(family: Any) -> None:
    """Refuse a family whose parameters are so large, small or far apart that squares of them are no floats."""
    for name in ("low", "high"):
        if abs(end := getattr(family, name, 0.0)) > checks.FARTHEST:
            raise InputError(f"{name} must lie {checks.WITHIN}, not at {end!r}.")
    given = getattr(family, "sigma", ())
    deviations = [checks.deviation("sigma", sigma) for sigma in (given if isinstance(given, Iterable) else (given,))]
    if deviations and max(deviations) > APART * min(deviations):
        raise InputError(
            f"sigma must not differ by more than a factor of {APART:g} between arms: from {min(deviations):g} to "
            f"{max(deviations):g} is too far for the precision of floats."
        )


def check_noise(family: Any, means: NDArray[np.float64]) -> None:
    """Refuse means, measured from their origin, beside which noise that matters is lost."""
    estimated = answers(family, is_constant)  # the variance: without noise, nothing would ever be known
    if estimated and (np.spacing(np.abs(means)) > 2.0 * np.asarray(family.sigma)).any():
        far = float(np.abs(means).max())
        raise InputError(f"means that lie {far:g} apart swallow the noise of sigma: bring them closer or raise sigma.")


def algorithm_name(algorithm: Any) -> str:
    """Return how an algorithm is called in tables: its name in the registry, or what it is made of.

    Examples
    --------
    >>> from toptwo.algorithms import TTUCB
    >>> algorithm_name(TTUCB()), algorithm_name(TTUCB(beta=0.3))
    ('TTUCB', 'TopTwo(UpperConfidenceBound, TransportationCost, Fixed, Tracking)')
    """
    if isinstance(algorithm, str):
        return algorithm
    known = {repr(resolve(name)): name for name in algorithms()}
    parts = ", ".join(type(part).__name__ for part in algorithm if is_record(part))
    return known.get(repr(algorithm), f"{type(algorithm).__name__}({parts})" if parts else type(algorithm).__name__)


def stream_label(algorithm: Any) -> int:
    """Return a number that stands for the algorithm, whatever the question, for a random stream of its own."""
    return int.from_bytes(hashlib.sha256(lasting(repr(_recipe(algorithm))).encode()).digest()[:7], "big")
