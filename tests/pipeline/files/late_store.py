"""A store worse than a file system: it lists files late, renames and locks nothing, and its user may be killed."""

from __future__ import annotations

import io
import random
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import PurePosixPath
from typing import Final

from pipeline.files.location import Location, RemoteLocation
from pipeline.files.state import FileState
from tests.extent import IS_ALL

LAST_STEPS: Final = 8
"""Those of the commit, and of the removal of former files."""


class Killed(BaseException):
    """The process ended here; nothing that it does afterwards has an effect."""


@dataclass
class LateStore:
    """Objects by name. A listing shows an object only after `lag` further operations."""

    lag: int = 0
    objects: dict[str, bytes] = field(default_factory=dict)
    made: dict[str, int] = field(default_factory=dict)
    operations: int = 0
    dies_at: int | None = None
    """The operation that the process does not live to do."""

    def restarted(self, dies_at: int | None = None) -> None:
        """Let the next process begin."""
        self.operations, self.dies_at = 0, dies_at
        self.made = {name: at - 1_000 for name, at in self.made.items()} if not self.lag else self.made

    def state(self, place: Location) -> FileState | None:
        self._operate()
        if (found := self.objects.get(str(place))) is not None:
            return _state(found)
        return FileState(True) if any(name.startswith(f"{place}/") for name in self.objects) else None

    def listed(self, folder: Location) -> Iterator[tuple[Location, FileState]]:
        self._operate()
        below = {name[len(str(folder)) + 1 :] for name in self._shown() if name.startswith(f"{folder}/")}
        for name in sorted({one.partition("/")[0] for one in below}, reverse=True):
            content = self.objects.get(f"{folder}/{name}")
            yield folder / name, FileState(True) if content is None else _state(content)

    def opened(self, file: Location) -> io.BufferedReader:
        self._operate()
        if str(file) not in self.objects:
            raise FileNotFoundError(2, "is not there", str(file))
        return io.BufferedReader(io.BytesIO(self.objects[str(file)]))

    def created(self, file: Location) -> io.BufferedWriter:
        return io.BufferedWriter(_Upload(self, file))

    def put(self, file: Location, content: bytes) -> None:
        self._operate()
        self.objects[str(file)] = content
        self.made[str(file)] = self.operations

    def put_new(self, file: Location, content: bytes) -> None:
        if str(file) in self.objects:
            self._operate()
            raise FileExistsError(17, "is there already", str(file))
        self.put(file, content)

    def copy(self, source: Location, target: Location) -> None:
        self.put(target, self.objects[str(source)])

    def delete(self, place: Location) -> None:
        """Remove one object after the other: a process that is killed meanwhile has removed some of them."""
        for name in [name for name in self.objects if name == str(place) or name.startswith(f"{place}/")]:
            self._operate()
            del self.objects[name]

    def delete_empty(self, folder: Location) -> None:
        """There are no folders, only names of objects."""
        self._operate()

    def _shown(self) -> list[str]:
        return [name for name in self.objects if self.operations - self.made[name] > self.lag]

    def _operate(self) -> None:
        self.operations += 1
        if self.dies_at is not None and self.operations >= self.dies_at:
            raise Killed


def _state(content: bytes) -> FileState:
    """Another content has another moment, as if it had been written then."""
    return FileState(False, len(content), zlib.crc32(content))


class _Upload(io.RawIOBase):
    """An object that is there from the moment at which it is closed."""

    def __init__(self, store: LateStore, file: Location) -> None:
        self._store, self._file, self._content = store, file, bytearray()

    def writable(self) -> bool:
        return True

    def write(self, content: object) -> int:
        octets = bytes(content)  # type: ignore[call-overload]  # a buffer of any kind
        self._content += octets
        return len(octets)

    def close(self) -> None:
        if not self.closed:
            super().close()
            self._store.put(self._file, bytes(self._content))


def steps(store: LateStore, job: Callable[[], object]) -> Iterator[int]:
    """The operations at which a job of this store is killed, until it lives: all, or in `make test` the last ones and a
    third of the others."""
    objects, made = store.objects, store.made
    store.objects, store.made = dict(objects), dict.fromkeys(objects, -100_000)
    store.restarted()
    job()
    done, store.objects, store.made = store.operations, objects, made
    before = range(1, max(1, done - LAST_STEPS))
    yield from before if IS_ALL else sorted(random.sample(before, len(before) // 3))
    yield from count(max(1, done - LAST_STEPS))


def place(name: str) -> RemoteLocation:
    """A place in the store."""
    return RemoteLocation("late://store", PurePosixPath(f"/{name}"))
