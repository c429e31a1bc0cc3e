"""Conversation locks for SQLite, which has only one write lock of its own.

Within a process a table holds them; between processes the bytes of a file beside the database, one for each key. The
operating system releases the locks of a process when it ends, however it ends.
"""

from __future__ import annotations

import fcntl
import os
from hashlib import blake2b
from threading import Lock
from typing import Any, Final

_PLACES: Final = (1 << 62) - 1
_of_databases: dict[str, Locks] = {}


class Locks:
    """Locks in one database. Owners are any objects, compared by identity."""

    def __init__(self, path: str | None) -> None:
        self._path = path
        """Path of the file; None: no other process can open the database."""
        self._forget()

    def _forget(self) -> None:
        """In a process that was forked off, nothing is held, and nothing of the parent's may be used."""
        self._guard = Lock()
        self._owners: dict[int, Any] = {}
        self._file: int | None = None

    def take(self, owner: Any, key: str) -> bool:
        """Whether it is the owner's now, or was before."""
        place = _place(key)
        with self._guard:
            if place in self._owners:
                return self._owners[place] is owner
            if not self._take_from_others(place):
                return False
            self._owners[place] = owner
            return True

    def is_free(self, owner: Any, key: str) -> bool:
        """Whether it could be the owner's, or is."""
        place = _place(key)
        with self._guard:
            if place in self._owners:
                return self._owners[place] is owner
            if not self._take_from_others(place):
                return False
            self._give_to_others(place)
            return True

    def release(self, owner: Any) -> None:
        """All that an owner has."""
        with self._guard:
            for place in [place for place, has in self._owners.items() if has is owner]:
                del self._owners[place]
                self._give_to_others(place)

    def _take_from_others(self, place: int) -> bool:
        if self._path is None:
            return True
        if self._file is None:
            # Opened once: closing a file releases all locks of the process on it.
            self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
        except BlockingIOError:
            return False
        return True

    def _give_to_others(self, place: int) -> None:
        if self._file is not None:
            fcntl.lockf(self._file, fcntl.LOCK_UN, 1, place)


def _place(key: str) -> int:
    return int.from_bytes(blake2b(key.encode(), digest_size=8).digest(), "big") & _PLACES


def locks_of(name: str) -> Locks:
    """Return the path of a database of Django's settings: a file, or something in memory."""
    is_file = "memory" not in name
    return _of_databases.setdefault(name, Locks(f"{name}-claims" if is_file else None))


def _after_fork() -> None:
    for locks in _of_databases.values():
        locks._forget()


os.register_at_fork(after_in_child=_after_fork)
