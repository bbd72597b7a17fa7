"""The arithmetic behind the families: costs, mixture prices, posteriors, bounds and draws, compiled as it stands."""
