"""The engine: one simulation loop, interpreted or compiled, over reproducible random streams."""

from toptwo.engine.results import Simulation, Summary
from toptwo.engine.simulation import simulate

__all__ = ["Simulation", "Summary", "simulate"]
