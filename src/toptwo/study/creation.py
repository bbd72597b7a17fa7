"""Studies by name: create, load, delete and list them."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Literal
from uuid import uuid4

from toptwo.errors import InputError, NameTakenError
from toptwo.study.journal import begin_study
from toptwo.study.question import differences, make_question
from toptwo.study.storages import Storage, get_storage
from toptwo.study.storages.memory import MemoryStorage
from toptwo.study.study import Study

__all__ = ["create_study", "delete_study", "get_all_study_names", "load_study"]


def create_study(
    arms: int | Sequence[Hashable],
    *,
    delta: float = 0.05,
    epsilon: float = 0.0,
    algorithm: Any = None,
    threshold: Any = None,
    family: Any = None,
    direction: Literal["maximize", "minimize"] = "maximize",
    max_samples: int | None = None,
    seed: int = 0,
    storage: str | Storage | None = None,
    study_name: str | None = None,
    load_if_exists: bool = False,
    design: Literal["independent", "blocks"] = "independent",
    compare: Literal["mean", "log", "wins"] | None = None,
    items: Any = None,
    failures: Literal["abort", "worst", "drop"] = "abort",
    worst: float | None = None,
    lease: float | None = None,
    more_arms: bool = False,
    conditions: Mapping[str, str] | None = None,
) -> Study:
    """Return a study that finds the best arm by asking for measurements.

    Parameters
    ----------
    arms
        The options: names or any other hashable objects, or their number.
    delta
        Probability that the verdict may be wrong.
    epsilon
        Margin: any arm within ε of the best is a right answer. Give one if two options may be equal: without it, equal
        options are measured for ever.
    algorithm
        A name or object; TTUCB with adaptive proportions and deterministic ties by default.
    threshold
        "betting" (proven) by default (study/defaults.py); see `tt.simulate`.
    family
        Law of the measurements; by default Gaussian of any variance, `tt.GaussianUnknownVariance()`. A law that knows
        more needs fewer measurements, and must be true: the guarantee rests on it (docs/families.md).
    direction
        "maximize" or "minimize".
    max_samples
        Budget of measurements; the verdict is then "undecided". A batch counts as its `trials`, and the last one may
        exceed what is left; under `design="blocks"`, where a batch is compared as one value, it counts as one.
    storage
        Where the study is kept: nothing for memory, "sqlite:///file.db", "postgresql+psycopg://user@host/database", or
        an object (docs/studies.md).
    study_name
        Its name there, made up if there is none.
    load_if_exists
        Go on with a study of that name if there is one; it must ask the same question.
    design
        "independent" measurements, or "blocks": rows of arms measured back to back.
    compare, items
        What a comparison in blocks is about, and what rows are measured on.
    failures, worst
        What a failed pull leads to (`Study.fail`): "abort", "worst" with the value that it counts as, or "drop".
    lease
        Seconds after which a pull without an answer is handed out again: an hour in a stored study unless told
        otherwise, never in memory. A late answer still counts, once.
    more_arms
        Keep a part of δ for arms that `add_arm` brings later, of which there may be any number. Under
        `design="blocks"` that is always so, at no cost.
    conditions
        Under which conditions measurements are made, by name: {"commit": "a1b2", "machine": "build-3"}. They are kept
        with the study; whoever goes on with it under others by `load_if_exists` is told which.

    Examples
    --------
    >>> import toptwo as tt
    >>> study = tt.create_study(["a", "b"], delta=0.05, family=tt.Gaussian(sigma=0.5))
    >>> while study.verdict.status == "running":
    ...     pull = study.ask()
    ...     study.tell(pull, {"a": 1.0, "b": 3.0}[pull.arm])
    >>> study.verdict.arm, study.verdict.pulls
    ('b', 5)
    """
    asked = {
        "delta": delta,
        "epsilon": epsilon,
        "algorithm": algorithm,
        "threshold": threshold,
        "family": family,
        "direction": direction,
        "max_samples": max_samples,
        "seed": seed,
        "design": design,
        "compare": compare,
        "items": items,
        "failures": failures,
        "worst": worst,
        "lease": lease,
        "more_arms": more_arms,
        "conditions": conditions,
    }
    question = make_question(arms, **asked)
    place = get_storage(storage)
    name = study_name if study_name is not None else f"study-{uuid4().hex[:12]}"
    if not isinstance(name, str) or not name:
        raise InputError(f"study_name must be a text, not {study_name!r}.")
    if not (load_if_exists and name in place.names()):
        try:
            key = begin_study(place, name, question, stored=not isinstance(place, MemoryStorage))
            return Study(place, key, name)
        except NameTakenError:
            if not load_if_exists:
                raise  # else another process has created it a moment ago
    study = Study(place, place.find(name), name)
    given = {field for field, value in asked.items() if value is not None}
    if differing := differences(study._journal.question, question, given):
        raise InputError(
            f"study_name {name!r} exists and asks another question ({', '.join(differing)} differ): "
            "choose another name, or load_study it as it is."
        )
    return study


def load_study(study_name: str, storage: str | Storage) -> Study:
    """Return a study that was created before, here or by somebody else, with all that it knows.

    Examples
    --------
    >>> import toptwo as tt, tempfile, os
    >>> url = f"sqlite:///{os.path.join(tempfile.mkdtemp(), 'bread.db')}"
    >>> study = tt.create_study(["rye", "spelt"], storage=url, study_name="bread", family=tt.Gaussian(0.5))
    >>> study.tell(study.ask(), 1.0)
    >>> tt.load_study("bread", url).verdict.pulls
    1
    """
    place = get_storage(storage, existing=True)
    return Study(place, place.find(study_name), study_name)


def delete_study(study_name: str, storage: str | Storage) -> None:
    """Delete a study with all that is kept of it."""
    place = get_storage(storage, existing=True)
    place.delete(place.find(study_name))


def get_all_study_names(storage: str | Storage) -> list[str]:
    """Return the names of all studies in a storage, sorted."""
    return get_storage(storage, existing=True).names()
