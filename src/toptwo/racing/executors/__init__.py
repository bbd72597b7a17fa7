"""How commands are run: directly, by a shell, as callables in this process, or not at all (for tests)."""

from toptwo.racing.executors.base import Executor as Executor
