"""Digests of results that must stay as they are: every algorithm on every family, and studies pull for pull.

`python tests/digests.py` writes tests/data/results.json anew, for changes that are meant to change results.
"""

import hashlib
import json
import random
from pathlib import Path

import toptwo as tt
from toptwo.algorithms import variants
from toptwo.families import FAMILIES
from toptwo.report.catalogue import runs_on

KEPT = Path(__file__).parent / "data" / "results.json"

MEANS = (0.35, 0.2, 0.75, 0.5)
"""Inside the range of every family; the best arm is neither first nor last."""

SLOW = ("TTPS", "TTEI")
"""Rules that integrate: fewer samples."""

NO_MARGIN = ("Exp-Gap", "lilUCB", "lilUCB-heuristic")
"""Methods that take no margin."""

LAWS = {**{name: name for name in FAMILIES}, "gaussian-per-arm": tt.Gaussian(sigma=[0.5, 1.0, 0.7, 0.3])}


def digest(*parts):
    """A short digest of numbers."""
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]


def cases():
    """All (algorithm, family) pairs: variants on Gaussian rewards, the registry on the others."""
    for name in variants():
        yield name, "gaussian"
    for name in tt.algorithms():
        for family in runs_on(name):
            if family != "gaussian":
                yield name, family
    yield from ((name, "gaussian-per-arm") for name in ("TTUCB", "A-T3C", "TTTS", "TTEI", "LUCB", "TT-IMED"))


def of_simulation(name, family, engine="python", seeds=(0, 1)):
    """Digest of stopping times, answers and counts."""
    slow = any(rule in name for rule in SLOW) and family != "gaussian"
    parts = []
    for seed in seeds:
        for epsilon in (0.0,) if name in NO_MARGIN else (0.0, 0.1):
            result = tt.simulate(
                name,
                MEANS,
                family=LAWS[family],
                threshold="mixture",
                runs=1 if slow else 2,
                seed=seed,
                epsilon=epsilon,
                max_samples=40 if slow else 200,
                engine=engine,
                progress=False,
            )
            parts += [result.stopping_times.tolist(), result.recommended.tolist(), result.counts.tolist()]
    return digest(*parts)


VALUES = {
    "gaussian": lambda mean, stream: stream.gauss(mean, 1.0),
    "unknown-variance": lambda mean, stream: stream.gauss(mean, 0.7),
    "bernoulli": lambda mean, stream: float(stream.random() < mean),
    "poisson": lambda mean, stream: float(stream.randrange(0, 2) + (stream.random() < mean)),
    "exponential": lambda mean, stream: stream.expovariate(1.0 / mean),
    "bounded": lambda mean, stream: stream.betavariate(4.0 * mean, 4.0 * (1.0 - mean)),
}
"""Values to tell a study, made without the families."""


def of_study(name, family, direction):
    """Digest of the pulls of a study: first one by one, then in batches of four told in reverse."""
    value, margin = VALUES[family], 0.0 if name in NO_MARGIN else 0.05
    study = tt.create_study(
        4,
        algorithm=name,
        family=family,
        direction=direction,
        delta=0.1,
        epsilon=margin,
        threshold="mixture",
        max_samples=160,
        seed=3,
    )
    stream, asked = random.Random(5), []
    while study.running and len(asked) < 60:
        pull = study.ask()
        asked.append(pull.index)
        study.tell(pull, value(MEANS[pull.index], stream))
    while study.running:
        try:
            pulls = study.ask(4)
        except tt.StudyError:
            break
        asked += [pull.index for pull in pulls]
        for pull in reversed(pulls):
            study.tell(pull, value(MEANS[pull.index], stream))
    verdict = study.verdict
    return digest(asked, verdict.status, verdict.arm, verdict.pulls)


def studies():
    """Samplers of every kind, on families of every kind, both ways round."""
    for name in ("TTUCB", "A-T-T3C", "TTTS", "EB-TCI", "TT-IMED", "TaS", "FWS", "LUCB", "uniform"):
        for family in ("gaussian", "bernoulli", "unknown-variance", "bounded", "exponential"):
            if family in runs_on(name):
                yield name, family, "maximize"
    for name in ("TTUCB", "LUCB", "T3C"):
        for family in ("gaussian", "poisson", "bounded"):
            yield name, family, "minimize"
    for name in ("Exp-Gap", "Peace", "SE"):
        yield name, "gaussian", "maximize"


def all_digests(first=""):
    """Return every digest by a readable key that starts so."""
    found = {}
    if "simulate".startswith(first):
        found |= {f"simulate {name} {family}": of_simulation(name, family) for name, family in cases()}
    if "study".startswith(first):
        found |= {f"study {' '.join(case)}": of_study(*case) for case in studies()}
    return found


if __name__ == "__main__":
    KEPT.parent.mkdir(exist_ok=True)
    KEPT.write_text(json.dumps(all_digests(), indent=0) + "\n")
