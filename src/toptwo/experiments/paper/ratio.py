"""The ratio T*_½/T*: what a fixed share of one half costs at most."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from toptwo import theory
from toptwo.experiments.experiment import Claim, Experiment, Figure, Finding, Point
from toptwo.sweeps.statistics import Judgement, every, exactly
from toptwo.sweeps.tables import Table

FARTHEST = 4.0
"""Largest gap drawn, as a multiple of the smallest."""

GRID = {"smoke": 61, "paper": 121}
SEARCH = {"smoke": 2000, "paper": 100_000}
SEARCHED = (3, 4, 5, 10, 35, 100)
SHARES = (0.1, 0.25, 0.375, 0.5, 0.9)
"""Fixed shares β for which the theorem on T*_β/T* is tried."""
STEP = 1e-4
NEAR = 1.02
"""A ratio that counts as close to 1."""


def points(size: str) -> tuple[Point, ...]:
    """Return nothing: this needs no simulation."""
    return ()


def means_of(gaps: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return instances whose best arm is 0, the next −1 and the others −x."""
    ones = np.ones((*gaps.shape[:-1], 1))
    return -np.concatenate([0.0 * ones, ones, gaps], axis=-1)


def surfaces(size: str, seed: int) -> dict[str, Any]:
    """Return the ratio on grids for K = 3 and 4, and a random search for larger K."""
    axis = np.linspace(1.0, FARTHEST, GRID[size])
    first, second = np.meshgrid(axis, axis, indexing="ij")
    square = np.column_stack([first.ravel(), second.ravel()])
    plane = np.asarray(theory.time_ratio(means_of(square))).reshape(first.shape)
    return {
        "axis": axis.tolist(),
        "three": np.asarray(theory.time_ratio(means_of(axis[:, None]))).tolist(),
        "four": plane.tolist(),
        "search": [_search(arms, SEARCH[size] // max(1, arms // 10), seed) for arms in SEARCHED],
    }


def _search(arms: int, instances: int, seed: int) -> dict[str, Any]:
    """Return extremes over random instances, near and far from equal means."""
    random = np.random.default_rng(seed + arms)
    scale = 10.0 ** random.uniform(-3.0, 1.0, (instances, 1))
    means = means_of(1.0 + scale * random.exponential(size=(instances, arms - 2)))
    fastest = np.asarray(theory.characteristic_time(means))
    ratio = np.asarray(theory.time_ratio(means))
    hardness = np.asarray(theory.hardness(means))
    share = theory.optimal_allocation(means)[:, 0]
    span = theory.characteristic_time_range(means)
    step = means_of(np.ones((1, arms - 2)) + STEP * (np.arange(arms - 2) == 0))
    worst = float(theory.worst_time_ratio(arms))
    return {
        "arms": arms,
        "instances": instances,
        "worst_known": worst,
        "largest": float(ratio.max()),
        "at_equal_means": float(theory.time_ratio(means_of(np.ones(arms - 2)))),
        "slope_at_equal_means": float((np.asarray(theory.time_ratio(step))[0] - worst) / STEP),
        "largest_over_worst": max(
            float((np.asarray(theory.time_ratio(means, beta)) / theory.worst_time_ratio(arms, beta)).max())
            for beta in SHARES
        ),
        "worst_reached": min(_reach(arms, beta) for beta in SHARES),
        "excess_over_robust_bound": float((ratio - np.asarray(theory.time_ratio_bound(means))).max()),
        "least_share": float(share.min() * (1.0 + np.sqrt(arms - 1.0))),
        "largest_share": float(share.max()),
        "least_over_hardness": float((fastest / hardness).min()),
        "largest_over_hardness": float((fastest / hardness).max()),
        "below_range": float((np.asarray(span.low) / fastest).max()),
        "above_range": float((fastest / np.asarray(span.high)).max()),
    }


def _reach(arms: int, beta: float) -> float:
    """Return T*_β/T* over its proven bound at equal means or with all but two arms far behind, whichever is larger."""
    extremes = means_of(np.stack([np.ones(arms - 2), np.full(arms - 2, 1e9)]))
    return float(np.asarray(theory.time_ratio(extremes, beta)).max() / float(theory.worst_time_ratio(arms, beta)))


def _theorem(table: Table) -> Finding:
    found = table.theory["search"]
    largest, least = max(entry["largest_over_worst"] for entry in found), min(entry["worst_reached"] for entry in found)
    text = (
        f"β = {SHARES[0]} to {SHARES[-1]}: largest T*_β/(r(K, β) T*) {largest:.6f} on the random instances, "
        f"at least {least:.6f} at equal means or two arms"
    )
    return Finding(text, exactly(largest <= 1.0 + 1e-9 and least >= 1.0 - 1e-6))


def _conjecture(table: Table) -> Finding:
    found = table.theory["search"]
    slack = max(entry["largest"] / entry["worst_known"] for entry in found)
    grid = max(max(table.theory["three"]) / found[0]["worst_known"], _largest_four(table) / found[1]["worst_known"])
    instances = sum(entry["instances"] for entry in found)
    text = f"largest ratio/r_K: {grid:.6f} on the grids, {slack:.6f} over {instances:,} random instances, K = 3 to 100"
    return Finding(text, exactly(max(slack, grid) <= 1.0 + 1e-9))


def _largest_four(table: Table) -> float:
    return float(max(max(row) for row in table.theory["four"]))


def _reached(table: Table) -> Finding:
    found = table.theory["search"]
    off = max(abs(entry["at_equal_means"] - entry["worst_known"]) for entry in found)
    steepest = max(abs(entry["slope_at_equal_means"]) for entry in found)
    text = f"|Ω(1) − r_K| ≤ {off:.0e}, slope at equal means ≤ {steepest:.0e}"
    return Finding(text, exactly(off < 1e-9 and steepest < 1e-3))


def _often(table: Table) -> Finding:
    planes = {"K = 3": np.array(table.theory["three"]), "K = 4": np.array(table.theory["four"])}
    shares = {name: float((plane < NEAR).mean()) for name, plane in planes.items()}
    text = ", ".join(f"{name}: {share:.0%} of the figure below {NEAR}" for name, share in shares.items())
    return Finding(text, every(exactly(share > 0.5) for share in shares.values()))


def _caption(table: Table) -> Finding:
    three, four = (entry["worst_known"] for entry in table.theory["search"][:2])
    text = f"6/(1+√2)² = {three:.4f} and 8/(1+√3)² = {four:.4f} are r₃ and r₄"
    return Finding(text, Judgement.CORRECTED)


def _robust(table: Table) -> Finding:
    found = table.theory["search"]
    text = (
        f"largest T*_½/T* {max(entry['largest'] for entry in found):.3f}; over the bound by at most "
        f"{max(entry['excess_over_robust_bound'] for entry in found):.0e}"
    )
    good = all(entry["largest"] <= 2.0 and entry["excess_over_robust_bound"] <= 1e-9 for entry in found)
    return Finding(text, exactly(good))


def _proposition(table: Table) -> Finding:
    found = table.theory["search"]
    least, most = min(entry["least_share"] for entry in found), max(entry["largest_share"] for entry in found)
    text = (
        f"w*·(1+√(K−1)) ≥ {least:.6f}, w* ≤ {most:.4f}, T* within its printed range "
        f"[{max(entry['below_range'] for entry in found):.4f}, {max(entry['above_range'] for entry in found):.6f}]"
    )
    good = least >= 1.0 - 1e-9 and most <= 0.5 + 1e-9
    inside = all(entry["below_range"] <= 1 + 1e-9 and entry["above_range"] <= 1 + 1e-9 for entry in found)
    return Finding(text, exactly(good and inside))


def _hardness(table: Table) -> Finding:
    found = table.theory["search"]
    low, high = (
        pick(entry[name] for entry in found)
        for pick, name in ((min, "least_over_hardness"), (max, "largest_over_hardness"))
    )
    return Finding(f"T*/H from {low:.3f} to {high:.3f}", every([exactly(low >= 1 - 1e-9), exactly(high <= 2 + 1e-9)]))


EXPERIMENT = Experiment(
    name="ratio",
    source="appendix, characteristic times",
    title="Ratio T*_½/T* for K = 3 and K = 4",
    points=points,
    theory=surfaces,
    figures=(
        Figure(
            "ratio",
            "ratio",
            "What the fixed share β = ½ costs at most: ratio of characteristic times",
            "x: gaps of the other arms as multiples of the smallest. Left K = 3, right K = 4; r_K marked.",
        ),
    ),
    claims=(
        Claim("T*_½ ≤ r_K T*, the conjecture, is validated empirically.", "appendix", _conjecture),
        Claim("It is a theorem, with the best constant r(K, β) for every share β.", "docs/theory.md", _theorem),
        Claim("Ω(1) = r_K and the gradient of Ω vanishes there.", "lemma", _reached),
        Claim("T*_½/T* is often close to 1 [below 1.02 on over half of the figure].", "appendix", _often),
        Claim("The figure's marks are r₂ = 6/(1+√2)² and r₃ = 8/(1+√3)².", "figure caption", _caption),
        Claim("T*_½ ≤ 2 T*, and T*_β/T* ≤ max{β*/β, (1−β*)/(1−β)}.", "lemma", _robust),
        Claim("1/(√(K−1)+1) ≤ w*_best ≤ ½, and T* lies in its printed range (K ≥ 3).", "lemma", _proposition),
        Claim("H(μ) ≤ T*(μ) ≤ 2 H(μ).", "section 1", _hardness),
    ),
)
