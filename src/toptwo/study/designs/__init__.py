"""Designs: what a study measures next, and what it concludes."""
