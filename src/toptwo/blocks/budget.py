"""How δ is divided among the ways of being wrong, so that arms may be added at any time (docs/blocks.md, section 2).

One arm is taken for better than another that is the best: of two arms only one can be the better one, and every arm
that is added brings its own part. Whatever arm is the best, and whenever it came, the parts that matter sum to one. So
do those by which a winner is found among equal arms.
"""

import math


def log_part(start: int, winner: int, loser: int) -> float:
    """Return ln of the part of δ that may be spent on a winner being wrongly taken for better than a loser.

    The first `start` arms were there from the start; the others were added in the order of their indexes.

    Examples
    --------
    >>> round(math.exp(log_part(10, 3, 4)), 6), round(math.exp(log_part(10, 10, 4)), 6)
    (0.1, 0.05)
    >>> round(math.exp(log_part(10, 4, 10)), 6)  # there are ten arms that the first one added could lose to
    0.005
    """
    latest = max(winner, loser)
    if latest < start:
        return -math.log(start)
    added = latest - start + 1
    part = 1.0 / (start * added * (added + 1))
    return math.log(part if latest == winner else part / latest)
