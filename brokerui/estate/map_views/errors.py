"""Errors of saved views."""

from __future__ import annotations


class MapViewNotFoundError(LookupError):
    """There is no such view for this user: none of this name, or a private one of another user."""

    def __init__(self, key: str) -> None:
        super().__init__(f"no view {key}")
        self.key = key


class MapViewStaleError(Exception):
    """The view was written since its reader saw it."""
