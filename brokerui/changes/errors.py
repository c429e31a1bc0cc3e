"""What can be wrong with a write of a draft. Nothing of it was written then."""

from __future__ import annotations


class DraftNotFoundError(LookupError):
    """There is no draft of this number."""

    def __init__(self, number: int) -> None:
        super().__init__(f"no draft {number}")
        self.number = number


class DraftStaleError(Exception):
    """Another user wrote the draft since the caller read it."""

    def __init__(self, *, revision: int, current_revision: int) -> None:
        super().__init__(f"revision {revision} was read, but the draft is at revision {current_revision}")
        self.revision = revision
        self.current_revision = current_revision


class DraftClosedError(Exception):
    """The draft takes no edits any more: it is in another state."""

    def __init__(self, state: str) -> None:
        super().__init__(f"the draft is {state}")
        self.state = state


class NoStepError(Exception):
    """There is nothing to take back, or nothing that was taken back."""

    def __init__(self, *, is_redo: bool) -> None:
        super().__init__("nothing to redo" if is_redo else "nothing to undo")
        self.is_redo = is_redo


class TooManyEditsError(ValueError):
    """The draft would hold more edits than a draft may."""

    def __init__(self, *, count: int, limit: int) -> None:
        super().__init__(f"{count} edits, at most {limit} fit into a draft")
        self.count = count
        self.limit = limit
