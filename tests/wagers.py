"""Moments of runs of the betting rule, for every family and direction."""

import random

import toptwo as tt
from toptwo.engine.question import make_setup
from toptwo.engine.rounds import Decision, absorb, first_pull, knowledge, look
from toptwo.families.base import mirrored
from toptwo.rules.betting import wager_against

LAWS = {
    "gaussian": (tt.Gaussian(), (0.1, 0.9, 0.5)),
    "one σ per arm": (tt.Gaussian(sigma=(1.0, 0.5, 2.0)), (0.1, 0.9, 0.5)),
    "bernoulli": (tt.Bernoulli(), (0.3, 0.6, 0.45)),
    "poisson": (tt.Poisson(), (1.0, 2.0, 1.5)),
    "exponential": (tt.Exponential(), (1.0, 2.0, 1.5)),
    "gamma": (tt.Gamma(shape=3.0), (1.0, 2.0, 1.5)),
    "bounded": (tt.Bounded(-1.0, 3.0), (0.1, 1.4, 0.8)),
}
STUDIED = LAWS | {"unknown variance": (tt.GaussianUnknownVariance(sigma=(1.0, 0.5, 2.0)), (0.1, 0.9, 0.5))}
"""With the law that has a rule of its own."""

SIDES = {"highest": 1.0, "lowest": -1.0}


def setup_of(law, side="highest", epsilon=0.0, delta=0.1):
    family = LAWS[law][0] if side == "highest" else mirrored(LAWS[law][0].for_arms(3) if "σ" in law else LAWS[law][0])
    return make_setup("uniform", 3, delta=delta, threshold="betting", family=family, epsilon=epsilon, max_samples=None)


def played(setup, pulls, seed, side="highest", law="gaussian"):
    """Return what is known after some pulls in turn, and the last round."""
    noise, known = random.Random(seed), knowledge(setup, 3)
    means = [SIDES[side] * mean for mean in LAWS[law][1]]
    now = None
    for pull in range(pulls):
        arm = pull % 3
        decision = first_pull(arm) if now is None else Decision(-1, arm, 1, now.best, now.cost)
        absorb(decision, float(setup.family.reward(arm, means[arm], noise.getrandbits(64))), setup, known)
        if pull >= 2:
            best = max(range(3), key=lambda i: known.state.means[i])
            now = look(pull + 1, best, setup, known).by(known.stopping)
    return now


def wagered(arm, setup, now):
    """Return what the wealth against an arm rests on, and the scratch with what the family works out beforehand."""
    if hasattr(setup.family, "prepare_bets"):
        setup.family.prepare_bets(arm, now.best, now.mine.seen, now.mine.since, now.state, now.mine.scratch)
    return wager_against(arm, now), now.mine.scratch
