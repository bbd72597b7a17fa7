"""Characteristic times, optimal allocations, thresholds and bounds: NumPy in, NumPy out, each citing its theorem.

Importing this package loads NumPy only; SciPy is loaded by the functions that need it.
"""

from toptwo.theory.bound import Bound
from toptwo.theory.complexity import (
    allocation_time,
    characteristic_time,
    hardness,
    hardness_one,
    lower_bound,
    optimal_allocation,
)
from toptwo.theory.functions import (
    bonus_mixture,
    bonus_union,
    calibration_exponential,
    calibration_gaussian,
    lambert_bar,
)
from toptwo.theory.implicit import explicit_mixture_time, idealised_time
from toptwo.theory.leadership import wrong_leaderships
from toptwo.theory.planning import Plan, PlanRow, plan
from toptwo.theory.ratios import (
    TimeRange,
    characteristic_time_range,
    robust_share,
    time_ratio,
    time_ratio_bound,
    worst_time_ratio,
)
from toptwo.theory.stopping_levels import (
    mixture_loss,
    threshold_exponential,
    threshold_heuristic,
    threshold_mixture,
    threshold_proven,
)
from toptwo.theory.upper_bounds import (
    upper_bound,
    upper_bound_half,
    upper_bound_lucb1,
    upper_bound_mixture,
    upper_bound_uniform,
)

__all__ = [
    "Bound",
    "Plan",
    "PlanRow",
    "TimeRange",
    "allocation_time",
    "bonus_mixture",
    "bonus_union",
    "calibration_exponential",
    "calibration_gaussian",
    "characteristic_time",
    "characteristic_time_range",
    "explicit_mixture_time",
    "hardness",
    "hardness_one",
    "idealised_time",
    "lambert_bar",
    "lower_bound",
    "mixture_loss",
    "optimal_allocation",
    "plan",
    "robust_share",
    "threshold_exponential",
    "threshold_heuristic",
    "threshold_mixture",
    "threshold_proven",
    "time_ratio",
    "time_ratio_bound",
    "upper_bound",
    "upper_bound_half",
    "upper_bound_lucb1",
    "upper_bound_mixture",
    "upper_bound_uniform",
    "worst_time_ratio",
    "wrong_leaderships",
]
