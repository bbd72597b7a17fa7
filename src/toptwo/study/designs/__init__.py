"""Designs: what a study measures next, and what it concludes."""

from importlib import import_module
from typing import Any

DESIGNS = {
    "independent": "toptwo.study.designs.independent:Independent",
    "blocks": "toptwo.study.designs.blocks:InBlocks",
}
"""Where the designs live, by the names that users give; each is loaded when first used."""


def make_design(question: Any) -> Any:
    """Return the design that answers a question (study/question.py)."""
    module, _, name = DESIGNS[question.design].partition(":")
    return getattr(import_module(module), name).answering(question)
