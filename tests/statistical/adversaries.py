"""Sampling rules that want the wrong arm to win; some know the true means. Proofs allow any of them."""

from typing import NamedTuple

from toptwo.memory import numbers
from toptwo.rules.round import Round
from toptwo.state import Row
from toptwo.streams import Random


def fewest_of_others(arm: int, now: Round) -> int:
    """Return the arm with the fewest pulls, one arm aside."""
    found = -1
    for i in range(len(now.state.means)):
        if i != arm and (found < 0 or now.state.counts[i] < now.state.counts[found]):
            found = i
    return found


class Starve(NamedTuple):
    """Pull one arm a few times and never again; the others in turn."""

    arm: int
    meals: float

    def choose(self, now: Round) -> int:
        """Return the starved arm as long as it has a meal left, then one of the others."""
        return self.arm if now.state.counts[self.arm] < self.meals else fewest_of_others(self.arm, now)


class FeedTheLucky(NamedTuple):
    """Pull whoever is ahead: an arm that had bad luck never gets a chance to make up for it."""

    meals: float

    def choose(self, now: Round) -> int:
        """Return the leader, once every arm has had its first meals."""
        hungry = fewest_of_others(-1, now)
        return hungry if now.state.counts[hungry] < self.meals else now.best


class Wave(NamedTuple):
    """What riding the wave keeps: the arm of the last pull, and the cost before it."""

    last: Row = numbers()
    before: Row = numbers()


class RideTheWave(NamedTuple):
    """Stay with the arm of the last pull as long as that brought the leader further ahead, else pull the other one."""

    def choose(self, now: Round) -> int:
        """Return the leader or its rival; memory keeps the arm of the last pull and what it brought."""
        last, cost = int(now.mine.last[0]), now.mine.before[0]
        arm = last
        if now.cost <= cost:
            arm = now.rival if last == now.best else now.best
        now.mine.last[0], now.mine.before[0] = float(arm), now.cost
        return arm


class PullOnlyTwo(NamedTuple):
    """Pull the best arm and a wrong one in turn, and no other after its first meals."""

    best: int
    wrong: int
    meals: float

    def choose(self, now: Round) -> int:
        """Return the one of the two with fewer pulls."""
        hungry = fewest_of_others(-1, now)
        if now.state.counts[hungry] < self.meals:
            return hungry
        return self.best if now.state.counts[self.best] < now.state.counts[self.wrong] else self.wrong


class DropTheBest(NamedTuple):
    """Knows the truth: pull the best arm until it looks too bad by so many nats, then the other, who can only win."""

    best: int
    other: int
    top: float
    """Mean of the best arm."""
    enough: float

    def choose(self, now: Round) -> int:
        """Return the best arm before it misleads, then the other."""
        state = now.state
        if state.means[self.best] >= self.top or now.family.deviation(self.best, self.top, state) < self.enough:
            return self.best
        return self.other


class Adversary(NamedTuple):
    """One of the rules above, by number: one combination to compile instead of many."""

    which: int
    starve_best: Starve
    starve_other: Starve
    lucky: FeedTheLucky
    wave: RideTheWave
    two: PullOnlyTwo
    drop: DropTheBest

    def memory(self) -> Wave:
        """Return what the wave keeps."""
        return Wave()

    def next_pull(self, now: Round, random: Random) -> tuple[int, int]:
        """Return what the chosen rule says; nobody leads."""
        if self.which == 0:
            return -1, self.starve_best.choose(now)
        if self.which == 1:
            return -1, self.starve_other.choose(now)
        if self.which == 2:
            return -1, self.lucky.choose(now)
        if self.which == 3:
            return -1, self.wave.choose(now)
        if self.which == 4:
            return -1, self.two.choose(now)
        return -1, self.drop.choose(now)


NAMES = (
    "starve the best arm",
    "starve the wrong arm",
    "feed the lucky",
    "ride the wave",
    "pull only two",
    "drop the best when it looks bad",
)


def adversary(name: str, means: tuple[float, ...], wrong: int, meals: int, enough: float) -> Adversary:
    """Return the adversary of a name for an instance."""
    best = max(range(len(means)), key=lambda i: means[i])
    return Adversary(
        NAMES.index(name),
        Starve(best, float(meals)),
        Starve(wrong, float(meals)),
        FeedTheLucky(float(meals)),
        RideTheWave(),
        PullOnlyTwo(best, wrong, float(meals)),
        DropTheBest(best, wrong, means[best], enough),
    )
