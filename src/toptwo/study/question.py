"""The question that a study answers: everything that was fixed when it was created."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from toptwo import checks
from toptwo.engine.question import UNLIMITED
from toptwo.errors import InputError, StudyError
from toptwo.study.defaults import default_algorithm, default_family, default_threshold
from toptwo.study.designs import DESIGNS
from toptwo.study.recipes import decode, encode

DIRECTIONS: dict[str, Literal["maximize", "minimize"]] = {"maximize": "maximize", "minimize": "minimize"}

POLICIES = {"abort": "abort", "worst": "worst", "drop": "drop"}
"""What a failed pull leads to."""


class StudyQuestion(NamedTuple):
    """What is asked; `make_question` fills in defaults and checks."""

    arms: tuple[Hashable, ...]
    delta: float
    epsilon: float
    algorithm: Any
    threshold: Any
    family: Any
    direction: Literal["maximize", "minimize"]
    max_samples: int | None
    seed: int
    design: str
    compare: Any
    items: Any
    failures: str
    worst: float | None
    lease: float | None
    more_arms: bool = False
    conditions: Any = None
    """Under which conditions its measurements are made: texts by name."""
    budget_in: str = "pulls"
    """What `max_samples` counts: "samples", or "pulls" in studies made when a batch counted as one."""

    @property
    def sign(self) -> float:
        """Return −1 if the lowest mean is looked for."""
        return 1.0 if self.direction == "maximize" else -1.0

    @property
    def budget(self) -> int:
        """Return how many pulls may be asked."""
        return UNLIMITED if self.max_samples is None else self.max_samples

    def encoded(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {name: encode(value, name) for name, value in zip(self._fields, self, strict=True)}


def make_question(arms: int | Sequence[Hashable], **options: Any) -> StudyQuestion:
    """Return the question for the arguments of `create_study`; what a design knows better is checked there."""
    names = arm_names(arms)
    failures = checks.one_of("failures", options.pop("failures"), POLICIES)
    worst, lease, family = options.pop("worst"), options.pop("lease"), options["family"]
    if (failures == "worst") != (worst is not None):
        raise InputError(
            'worst must be a number if failures="worst", and is not used otherwise: failed pulls count as it.'
        )
    if worst is not None and not (checks.is_number(worst) and abs(worst) <= checks.FARTHEST):
        raise InputError(f"worst must be a finite number {checks.WITHIN}, not {worst!r}.")
    options["conditions"] = conditions_of(options["conditions"])
    if not isinstance(options["more_arms"], bool):
        raise InputError(f"more_arms must be True or False, not {options['more_arms']!r}.")
    for part, decides in (("algorithm", "chooses rows"), ("threshold", "stops")):
        if options["design"] == "blocks" and options[part] is not None:  # kept questions name former defaults
            raise InputError(f'design="blocks" {decides} by a rule of its own: leave {part} out.')
    law = default_family() if family is None else family
    algorithm = default_algorithm(law, len(names)) if options["algorithm"] is None else options["algorithm"]
    threshold = default_threshold(law, algorithm, len(names)) if options["threshold"] is None else options["threshold"]
    return StudyQuestion(
        arms=names,
        delta=checks.probability("delta", options.pop("delta")),
        epsilon=checks.margin("epsilon", options.pop("epsilon")),
        direction=checks.one_of("direction", options.pop("direction"), DIRECTIONS),
        design=checks.one_of("design", options.pop("design"), {name: name for name in DESIGNS}),
        failures=failures,
        worst=worst,
        lease=None if lease is None else checks.at_least("lease", lease, 0.0, strict=True),
        **{
            **options,
            "family": law,
            "budget_in": "samples",
            "items": _kept_items(options["items"]),
            "seed": checks.whole("seed", options["seed"], 0),
            "algorithm": algorithm,
            "threshold": threshold,
        },
    )


def decoded(data: dict[str, Any]) -> StudyQuestion:
    """Return the question that was written down, or raise StudyError if this version does not know it."""
    try:
        return StudyQuestion(**{name: decode(value) for name, value in data.items()})
    except TypeError as problem:
        raise StudyError(
            f"the study was created by another version of toptwo ({problem}): open it with that one."
        ) from None


def differences(kept: StudyQuestion, wanted: StudyQuestion, given: set[str]) -> list[str]:
    """Return what differs between a kept question and one asked for, as far as it was given."""
    others = [
        name
        for name in StudyQuestion._fields
        if (name in given or name == "arms")
        and name != "conditions"
        and encode(getattr(kept, name), name) != encode(getattr(wanted, name), name)
    ]
    return others if "conditions" not in given else others + changed_conditions(kept.conditions, wanted.conditions)


def conditions_of(given: Any) -> tuple[tuple[str, str], ...] | None:
    """Return the conditions of measurements as sorted pairs of texts, or raise InputError."""
    if given is None:
        return None
    if not isinstance(given, Mapping) or not all(isinstance(text, str) for pair in given.items() for text in pair):
        raise InputError(f'conditions must be texts by name, such as {{"machine": "build-3"}}, not {given!r}.')
    return tuple(sorted(given.items()))


def changed_conditions(kept: Any, wanted: Any) -> list[str]:
    """Return the names of the conditions that are not what they were.

    Examples
    --------
    >>> changed_conditions((("commit", "a1"), ("machine", "x")), (("commit", "b2"), ("machine", "x")))
    ['commit']
    """
    before, now = dict(kept or ()), dict(wanted or ())
    return [name for name in sorted({*before, *now}) if before.get(name) != now.get(name)]


def _kept_items(items: Any) -> Any:
    """Return items that can be read more than once and stored: those of a range or an iterator as a list."""
    if isinstance(items, str | list | tuple) or not hasattr(items, "__iter__"):
        return items
    return list(items)


def arm_names(arms: Any) -> tuple[Hashable, ...]:
    """Return the names of the arms, or raise InputError."""
    if isinstance(arms, str):
        raise InputError(f"arms must be a list of options, not one text {arms!r}: write [{arms!r}, ...].")
    if isinstance(arms, set | frozenset):
        raise InputError(
            "arms must be in an order, which a set has anew in each process: write a list, or sorted(...)."
        )
    names = range(checks.room("arms", checks.whole("arms", arms, 2), 64 * arms)) if checks.is_whole(arms) else arms
    try:
        names = tuple(names)
        distinct = len(set(names))
    except TypeError:
        raise InputError(f"arms must be a number or a list of hashable options, such as names, not {arms!r}.") from None
    if len(names) < 2:
        raise InputError(f"arms must hold at least 2 options, not {len(names)}: there is nothing to choose.")
    if distinct < len(names):
        raise InputError("arms must be different from each other: give equal options different names.")
    return names
