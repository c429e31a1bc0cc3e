"""Names that runs give to their folders: no other run has one, and each says when it was given."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final
from uuid import uuid4

_STAMP: Final = "%Y%m%dT%H%M%SZ"
LEFT_FOR: Final = timedelta(days=1)
"""The age at which a folder that nobody published counts as left by a killed run."""


def unique_name(prefix: str) -> str:
    """Return a name that no other run has, and that says when it was given."""
    return f"{prefix}{datetime.now(UTC):{_STAMP}}-{uuid4().hex[:8]}"


def is_left(name: str, prefix: str) -> bool:
    """Return whether a run that began long ago gave itself this name."""
    if not name.startswith(prefix):
        return False
    try:
        began = datetime.strptime(name.removeprefix(prefix).partition("-")[0], _STAMP).replace(tzinfo=UTC)
    except ValueError:
        return False
    return datetime.now(UTC) - began > LEFT_FOR
