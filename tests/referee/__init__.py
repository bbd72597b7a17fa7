"""A referee for the families: what separation, evidence, deviation and bounds are, worked out a second time.

Written from the definitions in docs/ (families.md, mixture.md, families/*.md), not from the code it judges; it shares
with that code the constants of the mixtures (grids of precisions and rates, weights) and nothing else. Per law:

- `exact(pair, slack)`: separation and evidence with at least 60 digits, doubled until nothing changes (tools.settled).
  Minima are global by a proof: closed forms, one sign change (docs/families.md, lemma 2), convexity, or all stationary
  points by Sturm's theorem in whole numbers. Milliseconds a state.
- `quick(pairs)`: the same for many states at once in doubles, by formulas that lose no digits (differences of means are
  rounded once, logarithms taken of one plus something). Microseconds a state. Wherever what is judged comes within
  doubt of it, and on a random share of states, the exact one decides (judge.py).
- `state(pair)`: a state of the family with these statistics: the one place per law that knows how it keeps them.

Arms hold numbers as the state does: an arm's mean is what the double says, and the double may be off by its last digit
from the sum it stands for. `slack` moves the two means apart by so many units in the last place: values above the exact
minimum but below that of the moved means are right for a state that rounding cannot tell from the given one.

Hypothesis draws corners of the space of states (corners.py), each law makes states around them. 200 000 states of a law
take from 15 seconds of processor time (Gaussian) over one minute (unknown variance) to ten (bounded), the
family's own work included. Families made wrong on purpose (wrong.py) must be found out in 180 states.
"""
