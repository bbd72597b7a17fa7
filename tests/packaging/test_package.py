"""The package from outside: light imports, exactly the promised names, documents that say what the code does."""

import ast
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

import toptwo as tt
from toptwo.algorithms.registry import CONSTRUCTORS
from toptwo.rules.thresholds import stopping_rule

HEAVY = ("numba", "scipy", "matplotlib", "sqlalchemy", "alembic", "psycopg", "pandas", "polars")


@pytest.mark.parametrize(
    "code", ["import toptwo", "from toptwo.cli import main; main(['--help'], standalone_mode=False)"]
)
def test_light_imports(code):
    script = f"import sys\n{code}\nprint([m for m in {HEAVY!r} if m in sys.modules], file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"


def test_studies_need_no_compiler():
    """Ask/tell runs without loading Numba."""
    script = (
        "import sys, toptwo as tt\n"
        "s = tt.create_study(3); s.tell(s.ask(), 1.0); s.verdict\n"
        "assert 'numba' not in sys.modules and 'scipy' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_public_names_are_exactly_all():
    assert sorted(tt.__all__) == sorted(name for name in dir(tt) if not name.startswith("_"))
    for name in tt.__all__:
        assert getattr(tt, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        tt.nothing  # noqa: B018


def test_exports_follow_the_registry():
    """A row in algorithms/registry.py is enough: what is exported, and what tools that read code see, is the same."""
    listed = set(tt.algorithms.top_two_rules.__all__) | set(tt.algorithms.competitors.__all__)
    assert set(CONSTRUCTORS) == listed == set(tt.__all__) & set(dir(tt.algorithms)) - {"TopTwo", "algorithms"}
    assert all(getattr(tt, name) is build for name, build in CONSTRUCTORS.items())


def test_every_module_has_its_names_sorted_and_real():
    for module in (tt.rules, tt.theory):
        assert all(hasattr(module, name) for name in module.__all__)


def test_files_stay_small():
    for path in Path(tt.__file__).parent.rglob("*.py"):
        assert len(path.read_text().splitlines()) <= 400, path


def named_twice(folder):
    """The names that several classes in a folder have, and the files that these are in."""
    homes = defaultdict(list)
    for path in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef):
                homes[node.name].append(str(path.relative_to(folder)))
    return {name: files for name, files in homes.items() if len(files) > 1}


def test_the_name_of_a_class_never_means_two_things():
    assert named_twice(Path(tt.__file__).parent) == {}


def test_a_name_that_two_classes_have_is_found(tmp_path):
    shutil.copytree(
        Path(tt.__file__).parent, tmp_path, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__")
    )
    with (tmp_path / "racing" / "options.py").open("a") as options:
        options.write("\n\nclass Plan:\n    pass\n")
    assert named_twice(tmp_path) == {"Plan": ["racing/options.py", "theory/planning.py"]}


ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    "page", [str(path.relative_to(ROOT)) for path in sorted([*ROOT.glob("*.md"), *ROOT.glob("*/*.md")])]
)
def test_links_lead_somewhere(page):
    text = (ROOT / page).read_text()
    for target in re.findall(r"\]\(([^)#]+)\)", text):
        if "://" not in target:
            assert (ROOT / page).parent.joinpath(target).exists(), f"{page} links to {target}"


def test_theory_and_rules_agree_on_thresholds():
    for samples, delta, arms in ((10, 0.1, 2), (1000, 0.01, 10), (10**6, 0.3, 100)):
        proven, heuristic = (stopping_rule(name, delta, arms).level.at(samples) for name in ("proven", "heuristic"))
        assert proven == pytest.approx(tt.theory.threshold_proven(samples, delta, arms), rel=1e-12)
        assert heuristic == pytest.approx(tt.theory.threshold_heuristic(samples, delta), rel=1e-12)
