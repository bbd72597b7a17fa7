"""Racing: which command, or function, is best, told by interleaved runs until it is certain."""

from toptwo.racing.api import race as race
from toptwo.racing.result import RaceResult as RaceResult
