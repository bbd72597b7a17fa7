"""The exceptions toptwo raises on purpose: one sentence each, naming the argument and the remedy."""


class InputError(ValueError):
    """An argument cannot mean anything; nothing was done."""


class MeasurementError(RuntimeError):
    """A measurement could not be used; what had been measured before it is kept."""
