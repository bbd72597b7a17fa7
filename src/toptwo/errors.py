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


class StorageAwayError(StudyError):
    """A storage does not answer for now: its server restarts, or is out of reach. The same call works when it is back.

    Where a loop gave up waiting, `untold` holds what was measured and could not be told, as `tell_many` takes it.
    """

    untold: tuple[tuple[Any, Any], ...] = ()

    def __str__(self) -> str:
        said = super().__str__()
        if not self.untold:
            return said
        named = ", ".join(f"pull {getattr(pull, 'number', pull)}: {value!r}" for pull, value in self.untold)
        return f"{said} Measured and not yet told: {named}; call study.tell_many(error.untold) when it is back."


class WorkError(RuntimeError):
    """A part of a long computation could not be done; what was finished is kept."""
