"""Experiments: one module per figure or table, each a problem, a sweep and what to draw."""
