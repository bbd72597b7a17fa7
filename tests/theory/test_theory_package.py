"""The package's surface: exported names, documented functions, and what importing it loads."""

import inspect
import subprocess
import sys

from toptwo import theory


def test_all_is_exactly_the_public_names():
    modules = {name for name, value in vars(theory).items() if inspect.ismodule(value)}
    assert set(theory.__all__) == {name for name in vars(theory) if not name.startswith("_")} - modules


def test_every_public_function_has_a_doctest():
    for name in theory.__all__:
        value = getattr(theory, name)
        if inspect.isfunction(value):
            assert ">>>" in (value.__doc__ or ""), name


def test_import_loads_nothing_heavy():
    code = (
        "import sys, toptwo.theory, toptwo.cli.theory\n"
        "heavy = {'scipy', 'numba', 'matplotlib', 'rich'} & set(sys.modules)\n"
        "raise SystemExit(f'loaded {sorted(heavy)}' if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
