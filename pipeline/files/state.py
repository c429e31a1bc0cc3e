"""The state of a file or folder, as its file system reports it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FileState:
    """A file or folder as it is now."""

    is_folder: bool
    size: int = 0
    """Bytes of a file."""
    modified: int = 0
    """When it was written, in nanoseconds since 1970."""
