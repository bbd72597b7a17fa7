"""Shared by all tests: deterministic Hypothesis, and a seed that can be swept."""

import pytest
from hypothesis import settings

settings.register_profile("fixed", derandomize=True, deadline=None)
settings.load_profile("fixed")


def pytest_addoption(parser):
    parser.addoption("--seeds", default="0", help="seeds for tests that take one: '0', '0..99', ...")


def pytest_generate_tests(metafunc):
    own = any("seed" in str(mark.args[0]) for mark in metafunc.definition.iter_markers("parametrize"))
    if "seed" in metafunc.fixturenames and not own:
        first, _, last = metafunc.config.getoption("--seeds").partition("..")
        metafunc.parametrize("seed", range(int(first), int(last or first) + 1))


@pytest.fixture
def in_folder(tmp_path, monkeypatch):
    """An empty working folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path
