"""The objects of one kind in one database, by name, in order of creation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Generic, Protocol, TypeVar


class Named(Protocol):
    @property
    def name(self) -> str: ...


T = TypeVar("T", bound=Named)


class ObjectCatalog(Generic[T]):
    """Mutable. Keeps the first spelling of every name; `find` compares as the kind does, with or without case.

    A document may contain two names that differ in case alone: an exact match is found first.
    """

    __slots__ = ("_folded", "_gone", "_rows")

    def __init__(self, members: Iterable[T] = (), *, fold: bool) -> None:
        self._rows: dict[str, T] = {}
        # By the folded name: the name, or all of them where several differ in case alone, which is rare.
        self._folded: dict[str, str | list[str]] | None = {} if fold else None
        self._gone: set[str] = set()
        """Comparable names of dropped objects."""
        for member in members:
            self.put(member)

    def find(self, name: str) -> T | None:
        found = self._rows.get(name)
        if found is None and self._folded is not None and (names := self._folded.get(name.casefold())):
            return self._rows[names if isinstance(names, str) else names[0]]
        return found

    def exactly(self, name: str) -> T | None:
        return self._rows.get(name)

    def put(self, member: T) -> None:
        """Add the object at the end, or replace the one with exactly its name."""
        if self._folded is not None and member.name not in self._rows:
            self._fold(self._folded, member.name)
        self._rows[member.name] = member

    def _fold(self, folded: dict[str, str | list[str]], name: str) -> None:
        key = name.casefold()
        same = folded.get(key)
        if same is None:
            folded[name if key == name else key] = name
        elif isinstance(same, str):
            folded[key] = [same, name]
        else:
            same.append(name)

    def drop(self, name: str) -> None:
        """Drop the object with exactly this name."""
        del self._rows[name]
        self._gone.add(self._key(name))
        if self._folded is not None:
            same = self._folded[name.casefold()]
            if isinstance(same, list) and len(same) > 1:
                same.remove(name)
            else:
                del self._folded[name.casefold()]

    def had(self, name: str) -> bool:
        """True if an object of this name was dropped."""
        return self._key(name) in self._gone

    def _key(self, name: str) -> str:
        return name if self._folded is None else name.casefold()

    def arrange(self, names: Iterable[str]) -> None:
        """Sort by these names, which must be all names."""
        self._rows = {name: self._rows[name] for name in names}

    def __iter__(self) -> Iterator[T]:
        return iter(self._rows.values())

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, name: str) -> bool:
        return name in self._rows

    @property
    def names(self) -> list[str]:
        return list(self._rows)
