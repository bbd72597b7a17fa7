"""toptwo: find the best of K noisy options, wrong with probability at most δ, with as few measurements as possible.

Three doors: `simulate` compares algorithms on simulated rewards, `identify` and `create_study` find the best of your
own options, `theory` says how many samples it takes.

Everything is loaded when first used: importing toptwo loads neither NumPy, Numba, SciPy nor matplotlib.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from toptwo.version import __version__ as __version__

if TYPE_CHECKING:  # for tools that read code; `_HOME` and the registry of algorithms say what there is
    from toptwo import problems as problems
    from toptwo import rules as rules
    from toptwo import theory as theory
    from toptwo.algorithms import TopTwo as TopTwo
    from toptwo.algorithms import algorithms as algorithms
    from toptwo.algorithms.competitors import *  # noqa: F403
    from toptwo.algorithms.top_two_rules import *  # noqa: F403
    from toptwo.engine import Simulation as Simulation
    from toptwo.engine import Verification as Verification
    from toptwo.engine import simulate as simulate
    from toptwo.engine import verify as verify
    from toptwo.errors import InputError as InputError
    from toptwo.errors import MeasurementError as MeasurementError
    from toptwo.errors import StudyError as StudyError
    from toptwo.families import Bernoulli as Bernoulli
    from toptwo.families import Bounded as Bounded
    from toptwo.families import Exponential as Exponential
    from toptwo.families import Gamma as Gamma
    from toptwo.families import Gaussian as Gaussian
    from toptwo.families import GaussianUnknownVariance as GaussianUnknownVariance
    from toptwo.families import Poisson as Poisson
    from toptwo.racing import RaceResult as RaceResult
    from toptwo.racing import race as race
    from toptwo.study import Study as Study
    from toptwo.study import Verdict as Verdict
    from toptwo.study import create_study as create_study
    from toptwo.study import delete_study as delete_study
    from toptwo.study import get_all_study_names as get_all_study_names
    from toptwo.study import identify as identify
    from toptwo.study import load_study as load_study
    from toptwo.sweeps.comparison import Comparison as Comparison
    from toptwo.sweeps.comparison import compare as compare
    from toptwo.sweeps.results import SweepTable as SweepTable
    from toptwo.sweeps.sweep import sweep as sweep
    from toptwo.theory import plan as plan

_HOME = {
    "toptwo.algorithms": "TopTwo algorithms",
    "toptwo.engine": "Simulation Verification simulate verify",
    "toptwo.errors": "InputError MeasurementError StudyError",
    "toptwo.families": "Bernoulli Bounded Exponential Gamma Gaussian GaussianUnknownVariance Poisson",
    "toptwo.racing": "RaceResult race",
    "toptwo.study": "Study Verdict create_study delete_study get_all_study_names identify load_study",
    "toptwo.sweeps.comparison": "Comparison compare",
    "toptwo.sweeps.results": "SweepTable",
    "toptwo.sweeps.sweep": "sweep",
    "toptwo.theory": "plan",
}
_WHERE = {name: module for module, names in _HOME.items() for name in names.split()}
_MODULES = ("problems", "rules", "theory")


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"toptwo.{name}")
    if name in _WHERE:
        return getattr(import_module(_WHERE[name]), name)
    if name == "__all__":
        return sorted([*_WHERE, *_MODULES, *_constructors()])
    if name[0].isupper() and name in _constructors():  # modules, which importing asks for too, are in lower case
        return _constructors()[name]
    raise AttributeError(f"module 'toptwo' has no attribute {name!r}")


def _constructors() -> dict[str, Any]:
    """Return the algorithms of the registry by their names in Python."""
    return dict(import_module("toptwo.algorithms.registry").CONSTRUCTORS)


def __dir__() -> list[str]:
    return [*__getattr__("__all__"), "__version__"]
