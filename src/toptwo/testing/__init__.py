"""Contract suites: what any algorithm or family must satisfy, for those who add one."""

from toptwo.testing.contracts import check_algorithm
from toptwo.testing.families import check_family

__all__ = ["check_algorithm", "check_family"]
