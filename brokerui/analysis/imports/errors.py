"""Why an import cannot be gone on with."""

from __future__ import annotations


class IntakeError(Exception):
    """The request does not fit the current state of the import; nothing was done."""


class ImportStateError(IntakeError):
    """The state of the import does not allow the step."""

    def __init__(self, state: str) -> None:
        super().__init__(f"the import is {state}")
        self.state = state


class ImportStaleError(IntakeError):
    """The preview is about a version that is not the current one any more."""

    def __init__(self, *, base_version: int, current_version: int) -> None:
        super().__init__(f"previewed on version {base_version}, but the estate is at {current_version}")
        self.base_version = base_version
        self.current_version = current_version


class PreviewNamelessError(IntakeError):
    """An earlier release made the preview: it counts the conversations that get worse, and names none."""
