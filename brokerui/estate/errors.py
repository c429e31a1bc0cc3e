"""Errors of a question about the live estate, or of a change of it."""

from __future__ import annotations

from datetime import datetime


class EstateStaleError(Exception):
    """The edits were made on a version that is not the current one any more; nothing was written."""

    def __init__(self, *, base_version: int, current_version: int) -> None:
        super().__init__(f"made on version {base_version}, but the estate is at version {current_version}")
        self.base_version = base_version
        self.current_version = current_version


class VersionNotFoundError(LookupError):
    """The estate never had this version, or none at this moment yet."""

    def __init__(self, *, version: int | None = None, at: datetime | None = None) -> None:
        super().__init__(f"no version {version}" if at is None else f"no version at {at.isoformat()}")
        self.version = version
        self.at = at
