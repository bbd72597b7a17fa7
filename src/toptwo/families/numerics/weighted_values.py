"""An arm's rewards as a short list of values with masses, kept by the family.

Equal values share an atom. When there are more values than atoms, the atom that matters least is shared between its two
neighbours so that the mean stays. What is kept is then a little more spread out than what was seen, hence a little less
telling of a mean, whichever way one asks (docs/families/bounded.md, lemma 3).
"""

from typing import NamedTuple

from toptwo.memory import per_arm
from toptwo.state import Row, State, Table

ROUNDING = 1e-12
"""More than the rounding errors of a variance."""


class Atoms(NamedTuple):
    """What the family keeps of each arm."""

    number: Row
    """Atoms in use; the first and last are at 0 and 1."""
    total: Row
    """The sum of the masses."""
    sum: Row
    """The sum of mass times value."""
    squares: Row
    """The sum of mass times value squared."""
    values: Table
    masses: Table


def room_for_atoms(atoms: int) -> Atoms:
    """Declare so many atoms per arm, with room for one more while a value is put in its place."""
    return Atoms(per_arm(), per_arm(), per_arm(), per_arm(), per_arm(atoms + 1), per_arm(atoms + 1))


def add_value(arm: int, value: float, atoms: int, state: State) -> None:
    """Add a value in [0, 1] to an arm's atoms, of which there may be so many."""
    kept = state.kept
    if kept.number[arm] == 0.0:
        kept.number[arm] = 2.0
        kept.values[1][arm] = 1.0
    kept.total[arm] += 1.0
    kept.sum[arm] += value
    kept.squares[arm] += value * value
    number = int(kept.number[arm])
    place = number - 1
    while place > 0 and kept.values[place - 1][arm] >= value:
        place -= 1
    if kept.values[place][arm] == value:
        kept.masses[place][arm] += 1.0
        return
    for above in range(number - 1, place - 1, -1):
        move(above, above + 1, arm, kept)
    kept.values[place][arm], kept.masses[place][arm] = value, 1.0
    if number < atoms:
        kept.number[arm] += 1.0
    else:
        share_least(arm, number, kept)


def add_average(arm: int, average: float, size: float, state: State) -> None:
    """Add values in [0, 1] of which only the average is known, as so many ones and zeros (docs, lemma 3)."""
    kept = state.kept
    if kept.number[arm] == 0.0:
        kept.number[arm] = 2.0
        kept.values[1][arm] = 1.0
    ones = size * average
    kept.total[arm] += size
    kept.sum[arm] += ones
    kept.squares[arm] += ones
    kept.masses[0][arm] += size - ones
    kept.masses[int(kept.number[arm]) - 1][arm] += ones


def move(source: int, target: int, arm: int, kept: Atoms) -> None:
    """Put an atom in the place of another."""
    kept.values[target][arm] = kept.values[source][arm]
    kept.masses[target][arm] = kept.masses[source][arm]


def mean_of(arm: int, state: State) -> float:
    """Return the mean of an arm's atoms."""
    return state.kept.sum[arm] / state.kept.total[arm]


def variance_of_atoms(arm: int, state: State) -> float:
    """Return the variance of an arm's atoms, and a little more: what rounding may have taken from it."""
    mean = mean_of(arm, state)
    return max(0.0, state.kept.squares[arm] / state.kept.total[arm] - mean * mean) + ROUNDING


def share_least(arm: int, last: int, kept: Atoms) -> None:
    """Share the atom whose removal adds least to the variance, m (v − l)(r − v), between its neighbours l and r."""
    values, masses = kept.values, kept.masses
    least, chosen = -1.0, 1
    for atom in range(1, last):
        value = values[atom][arm]
        cost = masses[atom][arm] * (value - values[atom - 1][arm]) * (values[atom + 1][arm] - value)
        if cost < least or least < 0.0:
            least, chosen = cost, atom
    value, mass = values[chosen][arm], masses[chosen][arm]
    left, right = values[chosen - 1][arm], values[chosen + 1][arm]
    up = mass * ((value - left) / (right - left))
    kept.squares[arm] += least
    masses[chosen - 1][arm] += mass - up
    masses[chosen + 1][arm] += up
    for atom in range(chosen, last):
        move(atom + 1, atom, arm, kept)
