"""`python -m benchmarks.competitors`: every algorithm against TTUCB on the same rewards (docs/algorithms.md).

The paper's random instances (K = 10, δ = 0.1, heuristic threshold where the algorithm leaves stopping to it).
Differences of stopping times are paired: the s-th reward of an arm in a run is the same for everyone.
"""

import argparse

import numpy as np

import toptwo as tt

LEFT_OUT = {
    "EB-TC": "may need millions of samples",
    "TTPS": "the same, and slow",
    "Exp-Gap": "tens of millions and more",
}
"""Algorithms not compared, and why."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.competitors", description=__doc__)
    parser.add_argument("--runs", type=int, default=5000)
    runs = parser.parse_args().runs
    means = tt.problems.random_gaussian(runs, seed=1)
    reference = _times("TTUCB", means)
    print("| algorithm | mean | median | longest | wrong | difference of means to TTUCB | share of runs longer |")
    print("|---|---|---|---|---|---|---|")
    for name in tt.algorithms():
        if name not in LEFT_OUT:
            times, wrong = _times(name, means)
            difference = times - reference[0]
            error = 1.96 * difference.std(ddof=1) / np.sqrt(runs)
            shown = "–" if name == "TTUCB" else f"{difference.mean():+,.0f} ± {error:,.0f}"
            longer = "–" if name == "TTUCB" else f"{np.mean(difference > 0):.0%}"
            row = (f"{times.mean():,.0f}", f"{np.median(times):,.0f}", f"{times.max():,.0f}", str(wrong), shown, longer)
            print(f"| {name} | " + " | ".join(row) + " |", flush=True)


def _times(name, means):
    result = tt.simulate(name, means, delta=0.1, threshold="heuristic", seed=1)
    return result.stopping_times.astype(float), int(result.wrong.sum())


if __name__ == "__main__":
    main()
