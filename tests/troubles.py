"""Studies with some told pulls, and errors that are one sentence: for tests of what goes wrong in storages."""

import pytest

import toptwo as tt


def told(url, pulls=5, name="bread"):
    """A study with some told pulls."""
    study = tt.create_study(["a", "b"], storage=url, study_name=name, family=tt.Gaussian(1.0), delta=1e-9)
    for _ in range(pulls):
        study.tell(study.ask(), 1.0)
    return study


def refused(call, words, kind=tt.StudyError):
    with pytest.raises(kind, match=words) as caught:
        call()
    assert "\n" not in str(caught.value)
    return str(caught.value)
