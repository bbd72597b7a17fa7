"""`python -m benchmarks.verify [shard/shards] [--engine cuda]`: the error rates of all proven rules at near ties."""

import argparse

import toptwo as tt
from toptwo.engine.verification import Verification
from toptwo.rules.thresholds import THRESHOLDS

ALGORITHM = "TTUCB"
DELTAS = (0.1, 0.01)
ARMS = (2, 5)
RUNS = 200_000
SAMPLES = 1000
LAWS = {
    "gaussian": tt.Gaussian(),
    "bernoulli": tt.Bernoulli(),
    "poisson": tt.Poisson(),
    "exponential": tt.Exponential(),
    "gamma": tt.Gamma(2.0),
    "bounded": tt.Bounded(0.0, 1.0),
    "unknown variance": tt.GaussianUnknownVariance(),
}


def proven() -> list[tuple[str, str]]:
    """Return every family with every threshold that has a proof under it."""
    pairs = []
    for law, family in LAWS.items():
        for threshold in THRESHOLDS:
            if threshold != "heuristic":
                try:
                    tt.simulate(ALGORITHM, [0.3, 0.6], threshold=threshold, family=family, runs=1, engine="python")
                except tt.InputError:  # no proof under this family
                    continue
                pairs.append((law, threshold))
    return pairs


def row(law: str, found: Verification) -> str:
    """Return a row of the table."""
    low, high = found.interval
    cells = (
        law,
        found.threshold,
        str(len(found.means)),
        f"{found.delta:g}",
        f"{found.runs:,}",
        f"{found.wrong:,}",
        f"{low:.2g} to {high:.2g}",
        found.verdict,
        f"{found.seconds:.1f}",
    )
    return "| " + " | ".join(cells) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.verify", description=__doc__)
    parser.add_argument("shard", nargs="?", default="0/1")
    parser.add_argument("--engine", default="cpu")
    options = parser.parse_args()
    shard, shards = map(int, options.shard.split("/"))
    for law, threshold in proven()[shard::shards]:
        for arms in ARMS:
            for delta in DELTAS:
                found = tt.verify(
                    ALGORITHM,
                    delta=delta,
                    threshold=threshold,
                    arms=arms,
                    runs=RUNS,
                    max_samples=SAMPLES,
                    family=LAWS[law],
                    seed=11,
                    engine=options.engine,
                )
                print(row(law, found), flush=True)


if __name__ == "__main__":
    main()
