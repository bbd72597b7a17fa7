"""The compile cache: a second process compiles nothing, an edited rule is never stale, and user rules count too."""

import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import toptwo

GUIDE = Path(__file__).parents[2] / "docs" / "write-your-own-rule.md"


def python(code, folder, cache):
    path = os.pathsep.join([str(folder), str(Path(toptwo.__file__).parents[1])])
    environment = os.environ | {"NUMBA_CACHE_DIR": str(cache), "PYTHONPATH": path}
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


RUN = """
    import json, toptwo as tt
    from mine import Mine
    result = tt.simulate(tt.TopTwo(leader=Mine()), [0.2, 0.9, 0.5], threshold="heuristic", runs=20, seed=1, threads=1)
    import gc
    from numba.core.registry import CPUDispatcher
    runs = [d for d in gc.get_objects() if type(d) is CPUDispatcher and d.py_func.__name__ == "run"]
    hits = sum(sum(d.stats.cache_hits.values()) for d in runs)
    misses = sum(sum(d.stats.cache_misses.values()) for d in runs)
    print(json.dumps([result.stopping_times.tolist(), hits, misses]))
"""

FILES = {
    "mine.py": """
from typing import NamedTuple
from helper import choose

class Mine(NamedTuple):
    def lead(self, now, random):
        return choose(now)
""",
    "helper.py": """
import package.settings

def choose(now, every=3):
    return now.rival if now.number % every == 0 and now.number < package.settings.LATEST else now.best
""",
    "package/settings.py": "LATEST = 1000\n",
}

EDITS = {
    "mine.py": ("return choose(now)", "return now.best"),
    "helper.py": ("every=3", "every=2"),
    "package/settings.py": ("1000", "10"),
}


def test_user_rule_is_cached_and_never_stale(tmp_path):
    """Rule, helper and constant in three files: the next process hits the cache; editing any of them recompiles."""
    cache = tmp_path / "cache"
    (tmp_path / "package").mkdir()
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    first, hits, misses = json.loads(python(RUN, tmp_path, cache))
    assert (hits, misses) == (0, 1)
    again, hits, misses = json.loads(python(RUN, tmp_path, cache))
    assert (hits, misses) == (1, 0)
    assert again == first
    for name, (old, new) in EDITS.items():
        (tmp_path / name).write_text(FILES[name].replace(old, new))
        edited, hits, misses = json.loads(python(RUN, tmp_path, cache))
        assert (hits, misses) == (0, 1), name
        assert edited != first, name
        (tmp_path / name).write_text(FILES[name])
    (tmp_path / "mine.py").unlink()
    without_mine = "import toptwo as tt; tt.simulate('uniform', [0.0, 1.0], threshold='heuristic', runs=5)"
    python(without_mine, tmp_path, cache)


def test_editing_a_packaged_rule_changes_results(tmp_path):
    """In a copy of the package, an edit of a rule file shows in the next process."""
    shutil.copytree(Path(toptwo.__file__).parent, tmp_path / "toptwo", ignore=shutil.ignore_patterns("__pycache__"))
    code = """
        import toptwo as tt
        assert "site-packages" not in tt.__file__
        question = {"threshold": "heuristic", "runs": 20, "seed": 1, "max_samples": 5000}
        print(tt.simulate("T-EB-TC", [0.2, 0.9, 0.5], **question).stopping_times.tolist())
    """
    first = python(code, tmp_path, tmp_path / "cache")
    assert python(code, tmp_path, tmp_path / "cache") == first
    rule = tmp_path / "toptwo" / "rules" / "challengers.py"
    rule.write_text(rule.read_text().replace("            return now.rival", "            return (now.best + 1) % 3"))
    assert python(code, tmp_path, tmp_path / "cache") != first


def test_the_guide_works_as_written(tmp_path):
    """The skeleton of docs/write-your-own-rule.md, pasted into a module, runs compiled and passes the contract."""
    text = GUIDE.read_text()
    blocks = re.findall(r"<!-- (\S+).*?-->\n```python\n(.*?)```", text, re.DOTALL)
    skeleton, usage, check = (dict(blocks)[name] for name in ("skeleton:", "usage", "check"))
    (tmp_path / "greedy.py").write_text(skeleton)
    output = python(usage + check, tmp_path, tmp_path / "cache")
    assert re.match(r"TopTwo\(EpsilonGreedy, .*\): [\d,.]+ ± [\d.]+ samples .*wrong in \d+ of 1,000 runs", output)
