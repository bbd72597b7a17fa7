"""toptwo: find the best of K noisy options, wrong with probability at most δ, with as few measurements as possible.

Three doors: `simulate` compares algorithms on simulated rewards, `identify` and `create_study` find the best of your
own options, `theory` says how many samples it takes.

Everything is loaded when first used: importing toptwo loads neither Numba, SciPy nor matplotlib.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toptwo import problems, rules, theory
    from toptwo.algorithms import (
        DKM,
        EBS,
        EBTC,
        EBTCI,
        FWS,
        KLLUCB,
        LUCB,
        LUCB1,
        T3C,
        TTEI,
        TTIMED,
        TTMOSS,
        TTPS,
        TTTS,
        TTUCB,
        BetaLUCB,
        ExpGap,
        LilUCB,
        Peace,
        SuccessiveElimination,
        TaS,
        TopTwo,
        UGapE,
        Uniform,
        algorithms,
    )
    from toptwo.engine import Simulation, simulate
    from toptwo.errors import InputError, MeasurementError, StudyError
    from toptwo.families import Bernoulli, Bounded, Exponential, Gaussian, GaussianUnknownVariance, Poisson
    from toptwo.study import Study, Verdict, create_study, identify
    from toptwo.theory import plan

__version__ = "0.1.0"

_HOME = {
    "toptwo.theory": ["plan"],
    "toptwo.algorithms": (
        "BetaLUCB DKM EBS EBTC EBTCI ExpGap FWS KLLUCB LUCB LUCB1 LilUCB Peace SuccessiveElimination T3C TTEI TTIMED "  # noqa: SIM905
        "TTMOSS TTPS TTTS TTUCB TaS TopTwo UGapE Uniform algorithms".split()
    ),
    "toptwo.engine": ["Simulation", "simulate"],
    "toptwo.errors": ["InputError", "MeasurementError", "StudyError"],
    "toptwo.families": ["Bernoulli", "Bounded", "Exponential", "Gaussian", "GaussianUnknownVariance", "Poisson"],
    "toptwo.study": ["Study", "Verdict", "create_study", "identify"],
}
_MODULES = ("problems", "rules", "theory")
_WHERE = {name: module for module, names in _HOME.items() for name in names}

__all__ = [
    "DKM",
    "EBS",
    "EBTC",
    "EBTCI",
    "FWS",
    "KLLUCB",
    "LUCB",
    "LUCB1",
    "T3C",
    "TTEI",
    "TTIMED",
    "TTMOSS",
    "TTPS",
    "TTTS",
    "TTUCB",
    "Bernoulli",
    "BetaLUCB",
    "Bounded",
    "ExpGap",
    "Exponential",
    "Gaussian",
    "GaussianUnknownVariance",
    "InputError",
    "LilUCB",
    "MeasurementError",
    "Peace",
    "Poisson",
    "Simulation",
    "Study",
    "StudyError",
    "SuccessiveElimination",
    "TaS",
    "TopTwo",
    "UGapE",
    "Uniform",
    "Verdict",
    "algorithms",
    "create_study",
    "identify",
    "plan",
    "problems",
    "rules",
    "simulate",
    "theory",
]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"toptwo.{name}")
    if name in _WHERE:
        return getattr(import_module(_WHERE[name]), name)
    raise AttributeError(f"module 'toptwo' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
