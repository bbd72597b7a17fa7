"""The paper's figures, tables and claims, and four questions beyond it: one experiment a module."""
