"""Many simulations: cells of a grid, kept on disk, computed wherever there are workers, and what they say together."""
