"""Races in blocks: arms measured back to back, compared inside their block, until the best one is known.

Plain Python that loads nothing, so that a race can start at once (docs/blocks.md has the proofs).
"""

from toptwo.blocks.comparisons import BlockComparison, make_comparison
from toptwo.blocks.design import Block, Blocks, BlocksStanding, Effect
from toptwo.blocks.forecast import EffortLeft

__all__ = ["Block", "BlockComparison", "Blocks", "BlocksStanding", "Effect", "EffortLeft", "make_comparison"]
