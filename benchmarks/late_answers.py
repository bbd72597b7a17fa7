"""What late answers do to two readings of the same rewards: the table of docs/mixture.md, "Late answers".

Two arms of equal mean, all pulls asked in advance and in turn. In ask order, the counts stay equal. Arm by arm,
delays that depend on the values can show any pair of prefixes: the table takes the worst pair.
"""

import math
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from toptwo.families.gaussian import LOG_WEIGHTS, PRECISIONS

SEED = 1
RUNS = 100_000
BATCH = 500
PULLS = np.unique(np.geomspace(1.0, 1e5, 60).astype(int))
"""Numbers of pulls at which an arm is looked at; more looks would only raise the numbers a little."""


def walks(rng: np.random.Generator) -> Any:
    """Return the sum of an arm's rewards at each look, (runs, looks)."""
    steps = np.sqrt(np.diff(PULLS, prepend=0))
    return (steps * rng.normal(size=(BATCH, len(PULLS)))).cumsum(axis=1)


def log_products(a: Any, b: Any, count_a: Any, count_b: Any) -> tuple[Any, Any]:
    """Return ln of the mixture of products at the true means, and the evidence, for sums and counts of two arms."""
    at_truth, least = 0.0, 0.0
    gap = np.maximum(0.0, a / count_a - b / count_b)
    for rho, weight in zip(PRECISIONS, np.exp(LOG_WEIGHTS), strict=True):
        scale = weight / np.sqrt((1.0 + count_a / rho) * (1.0 + count_b / rho))
        at_truth = at_truth + scale * np.exp(0.5 * (a * a / (count_a + rho) + b * b / (count_b + rho)))
        spread = (count_a + rho) / count_a**2 + (count_b + rho) / count_b**2
        least = least + scale * np.exp(0.5 * gap * gap / spread)
    return np.log(at_truth), np.log(least)


def suprema() -> Any:
    """Return, for each run, the highest values: at the true means and evidence, each in ask order and arm by arm."""
    rng, rows = np.random.default_rng(SEED), []
    pulls = PULLS.astype(float)
    for _ in range(RUNS // BATCH):
        a, b = walks(rng), walks(rng)
        path = log_products(a, b, pulls, pulls)
        pairs = log_products(a[:, :, None], b[:, None, :], pulls[:, None], pulls[None, :])
        rows.append(
            np.stack([part.reshape(BATCH, -1).max(axis=1) for part in (path[0], pairs[0], path[1], pairs[1])], axis=1)
        )
    return np.concatenate(rows)


def main() -> None:
    """Print how often each reading reaches x, relative to e^−x."""
    highest = suprema()
    entropy = -float(np.exp(LOG_WEIGHTS) @ np.asarray(LOG_WEIGHTS))
    table = Table(
        "x", "e^−x", "martingale, ask order", "martingale, arm by arm", "evidence, ask order", "evidence, arm by arm",
        "proven arm by arm",
    )  # fmt: skip
    for x in (1.0, 2.0, 3.0, 4.0, 5.0, 6.0):
        rates = (highest >= x).mean(axis=0) * math.exp(x)
        table.add_row(f"{x:g}", f"{math.exp(-x):.4f}", *(f"{rate:.3f}" for rate in rates), f"{1.0 + x + entropy:.2f}")
    console = Console(width=150)
    console.print(f"Probability to reach x at some time, as a multiple of e^−x; {RUNS:,} runs, seed {SEED}.")
    console.print(table)


if __name__ == "__main__":
    main()
