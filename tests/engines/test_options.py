"""Where Numba's inside is not as expected, its public interface gives the same results, to the last bit.

Each situation is a change to Numba that Numba itself survives, made in a process of its own before toptwo is imported.
"""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import toptwo as tt

SITUATIONS = {
    "as expected": "",
    # A class lives elsewhere.
    "moved": "import numba.core.codegen; del numba.core.codegen.JITCodeLibrary",
    # A method of it has another name.
    "renamed": """
from numba.core.codegen import CPUCodeLibrary as Library
old, new = "_finalize_dynamic_globals", "_note_dynamic_globals"
code = Library._finalize_final_module.__code__
names = tuple(new if name == old else name for name in code.co_names)
Library._finalize_final_module.__code__ = code.replace(co_names=names)
setattr(Library, new, Library.__dict__[old])
delattr(Library, old)
""",
    # All names are there, but it wants one more argument.
    "called otherwise": """
from numba.core.codegen import JITCodeLibrary as Library, JITCPUCodegen
make = Library.__init__
def make_of_a_kind(self, codegen, name, *, kind):
    make(self, codegen, name)
class Usual(Library):
    def __init__(self, codegen, name):
        make_of_a_kind(self, codegen, name, kind="usual")
Library.__init__ = make_of_a_kind
JITCPUCodegen._library_class = Usual
""",
    # It has moved, and the options that Numba does not promise are gone too.
    "bare": """
import numba.core.codegen; del numba.core.codegen.JITCodeLibrary
from numba.core.cpu import CPUTargetOptions
for owner in CPUTargetOptions.__mro__:
    for name in {"_nrt", "forceinline", "no_cfunc_wrapper"} & set(vars(owner)):
        delattr(owner, name)
""",
}

FOUND = """
from toptwo.engine.options import PART
tried = "pipeline_class" in PART
if tried:
    from toptwo.engine import parts
print(json.dumps([sorted(PART), tried and parts.works()]))
"""

RESULTS = """
from test_options import digest
print(json.dumps([digest(*question) for question in {questions}]))
"""

TTUCB, UNIFORM = ("TTUCB", "gaussian"), ("uniform", "bernoulli")

UNPROMISED = {"_nrt", "forceinline", "no_cfunc_wrapper", "pipeline_class"}


def digest(name, family):
    """A digest of all that a compiled simulation returns."""
    options = {"runs": 40, "seed": 5, "max_samples": 300, "trace": [4, 9, 40, 150], "threads": 1}
    result = tt.simulate(name, [0.35, 0.2, 0.75, 0.5], family=family, threshold="heuristic", **options)
    tables = [result.stopping_times, result.recommended, result.decided, result.counts, *result.trace]
    return hashlib.sha256(b"".join(table.tobytes() for table in tables)).hexdigest()


def process(situation, code, tmp_path):
    """What code prints in a process with such a Numba and nothing compiled yet."""
    done = subprocess.run(
        [sys.executable, "-c", "import json\n" + SITUATIONS[situation] + code],
        cwd=Path(__file__).parent,
        env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize(
    ("situation", "missing", "works"),
    [
        ("as expected", set(), True),
        ("moved", {"pipeline_class"}, False),
        ("renamed", set(), False),
        ("called otherwise", set(), False),
        ("bare", UNPROMISED, False),
    ],
)
def test_changes_are_noticed(situation, missing, works, tmp_path):
    [[options, found]] = process(situation, FOUND, tmp_path)
    assert set(options) & UNPROMISED == UNPROMISED - missing
    assert found == works


@pytest.mark.parametrize(("situation", "questions"), [("called otherwise", [UNIFORM]), ("bare", [TTUCB, UNIFORM])])
def test_results_are_the_same(situation, questions, tmp_path):
    """With Numba's own compiler, with and without its unpromised options; other situations end in one of these."""
    [_, found] = process(situation, FOUND + RESULTS.format(questions=questions), tmp_path)
    assert found == [digest(*question) for question in questions]
    assert digest(*TTUCB) != digest(*UNIFORM)


DEEP = """
import resource
import toptwo as tt
from typing import NamedTuple

def first(now): return second(now)
def second(now): return third(now)
def third(now): return fourth(now)
def fourth(now): return fifth(now)
def fifth(now): return 1 if now.state == 0.5 else 0

class Mistaken(NamedTuple):
    def lead(self, now, random):
        return first(now)
    def learn(self, seen):
        first(seen)

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

def simulate(leader):
    tt.simulate(tt.TopTwo(leader=leader), [0.2, 0.9, 0.5], runs=2, max_samples=10, threads=1)

simulate(tt.rules.EmpiricalBest())
before = peak()
try:
    simulate(Mistaken())
except tt.InputError as problem:
    print(json.dumps([str(problem), peak() / before]))
"""


def test_a_mistake_deep_in_a_rule_takes_little_memory(tmp_path):
    """Before 0.62, Numba's report of an error doubled with every call on the way to it: here 3 GB, 15 times as much."""
    [[problem, growth]] = process("as expected", DEEP, tmp_path)
    assert "Mistaken" in problem
    assert growth < 3.0
