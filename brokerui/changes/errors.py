"""Errors of a write of a draft, after which nothing of it is written."""

from __future__ import annotations

from routing.common.finding import Finding
from routing.model.merging import Merge


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


class ApprovalMissingError(Exception):
    """The draft must be approved before it is applied (setting `CHANGES_APPROVAL`)."""

    def __init__(self) -> None:
        super().__init__("the draft is not approved")


class OwnApprovalError(Exception):
    """The author of a draft must not approve it (setting `CHANGES_APPROVAL`)."""

    def __init__(self) -> None:
        super().__init__("the author must not approve the draft")


class NothingToApplyError(Exception):
    """The edits of the draft change nothing."""

    def __init__(self) -> None:
        super().__init__("the edits change nothing")


class NothingToRestoreError(Exception):
    """The live estate does not differ from the version that is to be restored."""

    def __init__(self, *, version: int) -> None:
        super().__init__(f"the live estate does not differ from version {version}")
        self.version = version


class NotConfirmableError(Exception):
    """The draft was applied without a time limit, or its time has run out."""

    def __init__(self, *, is_late: bool) -> None:
        super().__init__("the time to confirm has run out" if is_late else "nothing asks for a confirmation")
        self.is_late = is_late


class NoEditError(Exception):
    """The draft has no edit of this index."""

    def __init__(self, index: int) -> None:
        super().__init__(f"no edit {index}")
        self.index = index


class CollisionError(Exception):
    """The draft and the live estate changed the same objects, each in another way."""

    def __init__(self, merged: Merge) -> None:
        super().__init__(
            f"objects that were changed again: {len(merged.conflicts)}" if merged.conflicts else str(merged.fault)
        )
        self.conflicts = merged.conflicts
        self.fault = merged.fault
        """Why the objects of both cannot stand together, where none of them collides."""


class SqlRefusedError(Exception):
    """A script has statements that cannot be read, or that the server would refuse: a finding for each."""

    def __init__(self, findings: tuple[Finding, ...]) -> None:
        super().__init__(f"{len(findings)} statements are refused, the first in line {findings[0].line}")
        self.findings = findings
