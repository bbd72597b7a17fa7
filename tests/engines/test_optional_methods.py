"""Optional behaviour is asked for by its declaration, never by the name of a method written out once more."""

import re
from pathlib import Path

import toptwo
from toptwo.optional import OPTIONAL, answers
from toptwo.rules.parts import batch_size

SOURCE = Path(toptwo.__file__).parent


def test_no_optional_method_is_looked_up_by_its_name():
    names = {ask.__name__ for ask in OPTIONAL}
    assert {"batch_size", "least_wealth", "certified", "is_constant"} <= names
    found = [
        (path.name, name)
        for path in SOURCE.rglob("*.py")
        for name in re.findall(r"hasattr\([^()]*, \"(\w+)\"\)", path.read_text(encoding="utf-8"))
        if name in names
    ]
    assert not [place for place in found if place[0] != "registry.py"]  # asks whether anything is an algorithm at all


def test_a_method_that_is_none_answers_nothing():
    class Without:
        batch_size = None

    class With:
        def batch_size(self, arm, now):
            return 2

    assert answers(With(), batch_size)
    assert not answers(Without(), batch_size)
    assert not answers(3, batch_size)
