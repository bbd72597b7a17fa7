"""The exceptions toptwo raises on purpose: one sentence each, naming the argument and the remedy."""

from typing import Any


class InputError(ValueError):
    """An argument cannot mean anything; nothing was done."""


class NameTakenError(InputError):
    """There is a study of this name already."""


class MeasurementError(RuntimeError):
    """A measurement could not be used; what had been measured before it is kept in `study`."""

    study: Any = None


class StudyError(RuntimeError):
    """A study was asked for something that its state rules out; nothing was changed."""


class NothingToAskError(StudyError):
    """There is nothing to measure before pulls under way are answered."""


class WorkError(RuntimeError):
    """A part of a long computation could not be done; what was finished is kept."""
