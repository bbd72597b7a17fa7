"""Rules that remember: each of the five parts keeps what it declares, and wrong declarations are refused."""

import re
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from states import same_trace

import toptwo as tt
from toptwo.memory import per_arm
from toptwo.testing import check_algorithm

GUIDE = (Path(__file__).parents[2] / "docs" / "write-your-own-rule.md").read_text()
MEANS = [[0.1, 0.4, 1.4, -0.3], [2.0, 0.0, 0.3, 0.5], [0.0, 0.3, 0.2, 0.9]]


@pytest.fixture(scope="module")
def rules(tmp_path_factory):
    """The five rules of docs/write-your-own-rule.md, as a module of a user's own."""
    folder = tmp_path_factory.mktemp("own")
    blocks = dict(re.findall(r"<!-- (\w+) -->\n```python\n(.*?)```", GUIDE, re.DOTALL))
    (folder / "remembering.py").write_text(blocks["remembering"])
    sys.path.insert(0, str(folder))
    import remembering

    yield remembering
    sys.path.remove(str(folder))
    del sys.modules["remembering"]


def question_of(part, rules):
    """TTUCB with one part of our own, or all five."""
    parts = {
        "leader": rules.BestOfLate(0.2),
        "challenger": rules.LeastPulledAgainst(),
        "proportion": rules.CalmShare(),
        "choice": rules.Alternating(),
    }
    threshold = rules.Unchanged if part in ("stopping", "all") else "heuristic"
    chosen = parts if part == "all" else {name: rule for name, rule in parts.items() if name == part}
    return tt.TopTwo(**chosen), threshold


@pytest.mark.parametrize("part", ["leader", "challenger", "proportion", "choice", "stopping", "all"])
def test_compiled_is_interpreted_and_memory_starts_anew_in_every_run(part, rules):
    algorithm, threshold = question_of(part, rules)
    options: dict[str, Any] = {"threshold": threshold, "seed": 4, "max_samples": 400, "trace": [5, 20, 80, 200]}
    compiled, plain = (tt.simulate(algorithm, MEANS, engine=engine, **options) for engine in ("cpu", "python"))
    assert compiled.counts.tolist() == plain.counts.tolist()
    assert compiled.recommended.tolist() == plain.recommended.tolist()
    assert same_trace(compiled, plain)
    alone = tt.simulate(algorithm, [MEANS[0]], engine="cpu", **options)
    assert alone.counts.tolist() == compiled.counts[:1].tolist()
    usual = tt.simulate(tt.TopTwo(), MEANS, engine="python", **{**options, "threshold": "heuristic"})
    assert usual.counts.tolist() != plain.counts.tolist(), "the rule of our own must make a difference"


def test_what_is_remembered_is_what_was_seen(rules):
    """The leader's fading averages, recomputed from the trace of one run told by hand."""
    study = tt.create_study(3, algorithm=tt.TopTwo(leader=rules.BestOfLate(0.5)), threshold="heuristic", max_samples=60)
    averages, stream = np.zeros(3), np.random.default_rng(2)
    for _ in range(60):
        if not study.running:
            break
        pull = study.ask()
        value = float(stream.normal(0.1 * pull.index))
        study.tell(pull, value)
        averages[pull.index] += 0.5 * (value - averages[pull.index])
        kept = study.design.settled.sampling.leader.average
        assert kept == pytest.approx(averages.tolist())


def test_the_contract_suite_runs_them_too(rules):
    algorithm, _ = question_of("all", rules)
    check_algorithm(algorithm, compiled=False, max_samples=300)


class Average(NamedTuple):
    average: Any = per_arm()


class DeclaresAFloat(NamedTuple):
    def memory(self):
        return 1.0

    def lead(self, now, random):
        return now.best


class DeclaresNumbers(NamedTuple):
    def memory(self):
        return Average(0.5)

    def lead(self, now, random):
        return now.best


class MisspellsARow(NamedTuple):
    def memory(self):
        return Average()

    def lead(self, now, random):
        return now.best if now.mine.averages[0] >= 0.0 else 0


class MisspellsWhenLearning(NamedTuple):
    def memory(self):
        return Average()

    def learn(self, seen):
        seen.mine.averages[0] += 1.0

    def lead(self, now, random):
        return now.best


class DeclaresNothing(NamedTuple):
    def lead(self, now, random):
        return now.best if now.mine.average[0] >= 0.0 else 0


DOORS = {
    "compiled": lambda algorithm: tt.simulate(algorithm, MEANS, engine="cpu"),
    "interpreted": lambda algorithm: tt.simulate(algorithm, MEANS, engine="python"),
    "study": lambda algorithm: tt.create_study(3, algorithm=algorithm),
    "contract": check_algorithm,
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(
    ("rule", "said"),
    [
        (
            DeclaresAFloat(),
            r"DeclaresAFloat\.memory\(\) must return a NamedTuple whose fields are per_arm\(\).*not 1\.0",
        ),
        (DeclaresNumbers(), r"DeclaresNumbers\.memory\(\) must return a NamedTuple.*not Average\(average=0\.5\)"),
        (MisspellsARow(), r"MisspellsARow\.lead \(test_memory\.py, line \d+\) fails: AttributeError.*'averages'"),
        (MisspellsWhenLearning(), r"MisspellsWhenLearning\.learn \(test_memory\.py, line \d+\) fails.*'averages'"),
        (DeclaresNothing(), r"DeclaresNothing\.lead \(test_memory\.py, line \d+\) fails: AttributeError.*'average'"),
    ],
)
def test_wrong_declarations_are_refused_alike_by_every_door(rule, said, door):
    with pytest.raises(tt.InputError, match=said):
        DOORS[door](tt.TopTwo(leader=rule))
