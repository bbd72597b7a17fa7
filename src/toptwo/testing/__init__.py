"""Contract suites: what any algorithm must satisfy, for those who add one."""

from toptwo.testing.contracts import check_algorithm

__all__ = ["check_algorithm"]
