"""An arm's rewards as a short list of values with masses, kept in the family's rows of the state.

Equal values share an atom. When there are more values than atoms, the atom that matters least is shared between its two
neighbours so that the mean stays. What is kept is then a little more spread out than what was seen, hence a little less
telling of a mean, whichever way one asks (docs/families/bounded.md, lemma 3).
"""

from toptwo.state import State

ROUNDING = 1e-12
"""More than the rounding errors of a variance."""

NUMBER = 0
"""Row of the numbers of atoms."""

TOTAL = 1
"""Row of the total masses."""

SUM = 2
"""Row of the sums of mass times value."""

SQUARES = 3
"""Row of the sums of mass times value squared."""

VALUE = 4
"""Row of the first values; every other row is one, and the row behind it holds their masses."""


def rows_for(atoms: int) -> int:
    """Return the rows that so many atoms take, with room for one more while a value is put in its place."""
    return VALUE + 2 * (atoms + 1)


def add_value(arm: int, value: float, atoms: int, state: State) -> None:
    """Add a value in [0, 1] to an arm's atoms, of which there may be so many; the first and last are 0 and 1."""
    store = state.store
    if store[NUMBER][arm] == 0.0:
        store[NUMBER][arm] = 2.0
        store[VALUE + 2][arm] = 1.0
    store[TOTAL][arm] += 1.0
    store[SUM][arm] += value
    store[SQUARES][arm] += value * value
    number = int(store[NUMBER][arm])
    last = VALUE + 2 * (number - 1)
    row = last
    while row > VALUE and store[row - 2][arm] >= value:
        row -= 2
    if store[row][arm] == value:
        store[row + 1][arm] += 1.0
        return
    for above in range(last, row - 2, -2):
        store[above + 2][arm], store[above + 3][arm] = store[above][arm], store[above + 1][arm]
    store[row][arm], store[row + 1][arm] = value, 1.0
    if number < atoms:
        store[NUMBER][arm] += 1.0
    else:
        _share_least(arm, last + 2, state)


def mean_of(arm: int, state: State) -> float:
    """Return the mean of an arm's atoms."""
    return state.store[SUM][arm] / state.store[TOTAL][arm]


def variance_of_atoms(arm: int, state: State) -> float:
    """Return the variance of an arm's atoms, and a little more: what rounding may have taken from it."""
    mean = mean_of(arm, state)
    return max(0.0, state.store[SQUARES][arm] / state.store[TOTAL][arm] - mean * mean) + ROUNDING


def _share_least(arm: int, last: int, state: State) -> None:
    """Share the atom whose removal adds least to the variance, m (v − l)(r − v), between its neighbours l and r."""
    store = state.store
    least, chosen = -1.0, VALUE + 2
    for row in range(VALUE + 2, last, 2):
        value = store[row][arm]
        cost = store[row + 1][arm] * (value - store[row - 2][arm]) * (store[row + 2][arm] - value)
        if cost < least or least < 0.0:
            least, chosen = cost, row
    value, mass = store[chosen][arm], store[chosen + 1][arm]
    left, right = store[chosen - 2][arm], store[chosen + 2][arm]
    up = mass * ((value - left) / (right - left))
    store[SQUARES][arm] += least
    store[chosen - 1][arm] += mass - up
    store[chosen + 3][arm] += up
    for row in range(chosen, last, 2):
        store[row][arm], store[row + 1][arm] = store[row + 2][arm], store[row + 3][arm]
