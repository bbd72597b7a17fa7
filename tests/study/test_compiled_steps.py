"""A study of many arms goes on with compiled steps, and nobody can tell but by the clock."""

import random

import pytest

import toptwo as tt
from toptwo.engine.steps import Steps
from toptwo.study.designs import independent

ARMS = 70


def pulls_of(algorithm, family, *, compiled, monkeypatch, batch=1, direction="maximize"):
    """The arms asked for, and the verdict; with compiled steps from the 100th reward on, or never."""
    monkeypatch.setattr(independent, "SCANNED", 100 * ARMS if compiled else 10**12)
    study = tt.create_study(
        ARMS, algorithm=algorithm, family=family, delta=1e-6, epsilon=0.3, seed=2, max_samples=420, direction=direction
    )
    stream, asked = random.Random(4), []
    while study.running:
        try:
            pulls = study.ask(batch)
        except tt.StudyError:
            break
        asked += [pull.index for pull in pulls]
        for pull in reversed(pulls):
            mean = 0.2 + 0.6 * pull.index / ARMS
            study.tell(pull, float(stream.random() < mean) if family == "bernoulli" else stream.gauss(mean, 1.0))
    assert (type(study.design.steps) is Steps) != compiled
    return asked, study.verdict


@pytest.mark.parametrize(
    ("algorithm", "family", "batch", "direction"),
    [
        (None, "gaussian", 1, "maximize"),
        (None, "gaussian", 5, "maximize"),
        ("T3C", "bernoulli", 1, "minimize"),
        ("LUCB", "gaussian", 3, "maximize"),
    ],
)
def test_compiled_steps_ask_for_the_same_pulls(algorithm, family, batch, direction, monkeypatch):
    options = {"monkeypatch": monkeypatch, "batch": batch, "direction": direction}
    plain = pulls_of(algorithm, family, compiled=False, **options)
    assert pulls_of(algorithm, family, compiled=True, **options) == plain
    assert len(plain[0]) == 420


def test_few_arms_are_never_compiled(monkeypatch):
    monkeypatch.setattr(independent, "SCANNED", 0)
    study = tt.create_study(10, max_samples=30)
    for _ in range(30):
        study.tell(study.ask(), 1.0)
    assert type(study.design.steps) is Steps
