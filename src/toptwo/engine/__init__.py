"""The engine: one simulation loop, interpreted or compiled, over reproducible random streams."""

from toptwo.engine.results import Simulation, Summary
from toptwo.engine.simulation import simulate
from toptwo.engine.verification import Verification, verify

__all__ = ["Simulation", "Summary", "Verification", "simulate", "verify"]
