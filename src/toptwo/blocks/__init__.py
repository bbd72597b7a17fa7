"""Races in blocks: arms measured back to back, compared inside their block, until the best one is known.

Plain Python that loads nothing, so that a race can start at once (docs/blocks.md has the proofs).
"""

from toptwo.blocks.comparisons import Comparison, make_comparison
from toptwo.blocks.design import Block, Blocks, Effect, Standing
from toptwo.blocks.forecast import Forecast

__all__ = ["Block", "Blocks", "Comparison", "Effect", "Forecast", "Standing", "make_comparison"]
