"""Contract suites: what any algorithm, family or storage must satisfy, for those who add one."""

from toptwo.testing.contracts import check_algorithm
from toptwo.testing.families import check_family
from toptwo.testing.storages import check_storage

__all__ = ["check_algorithm", "check_family", "check_storage"]
