"""Errors of kept files of routing tests."""

from __future__ import annotations


class KeptFileNotFoundError(LookupError):
    """No file of this name is kept."""

    def __init__(self, name: str) -> None:
        super().__init__(f"no file of tests {name}")
        self.name = name


class KeptFileChangedError(Exception):
    """Another writer changed, added or deleted the file since this one read it."""
