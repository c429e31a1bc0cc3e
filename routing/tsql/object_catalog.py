"""The objects of one kind in one database, by name, in order of creation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Generic, Protocol, TypeVar


class Named(Protocol):
    @property
    def name(self) -> str: ...


T = TypeVar("T", bound=Named)
References = Mapping[str, Callable[[T], tuple[str, ...]]]
"""By kind of object: the names, in comparable form, of those to which a member refers."""
_NO_REFERENCES: Mapping[str, Callable[[object], tuple[str, ...]]] = MappingProxyType({})


class ObjectCatalog(Generic[T]):
    """Mutable. Keeps the first spelling of every name; `find` compares as the kind does, with or without case.

    A document may contain two names that differ in case alone: an exact match is found first.
    """

    __slots__ = ("_folded", "_gone", "_places", "_references", "_rows", "_users", "version")

    def __init__(self, members: Iterable[T] = (), *, fold: bool, references: References[T] = _NO_REFERENCES) -> None:
        self._rows: dict[str, T] = {}
        # By the folded name: the name, or all of them where several differ in case alone, which is rare.
        self._folded: dict[str, str | list[str]] | None = {} if fold else None
        self._gone: set[str] = set()
        """Comparable names of dropped objects."""
        self._references = references
        self._users: dict[str, dict[str, dict[str, None]]] = {kind: {} for kind in references}
        """By kind and name to which members refer: the names of these."""
        self._places: dict[str, int] | None = None
        """The places of the objects, where one was renamed since they were put into their order."""
        self.version = 0
        """Rises with every change."""
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
        for kind, names_of in self._references.items():
            before = self._rows.get(member.name)
            self._refer(kind, member.name, names_of(before) if before is not None else (), names_of(member))
        if self._places is not None:
            self._places.setdefault(member.name, self.version)
        self._rows[member.name] = member
        self.version += 1

    def _refer(self, kind: str, name: str, before: tuple[str, ...], after: tuple[str, ...]) -> None:
        """The object of this name refers to other names than before; most only get further ones."""
        users = self._users[kind]
        kept = len(before) if after[: len(before)] == before else 0
        for one in before[kept:]:
            users.get(one, {}).pop(name, None)
        for one in after[kept:]:
            users.setdefault(one, {})[name] = None

    def users(self, kind: str, name: str) -> list[T]:
        """The objects that refer to an object of this kind, by its comparable name."""
        return [self._rows[one] for one in self._users[kind].get(name, ())]

    def rename(self, name: str, member: T) -> None:
        """Put the object, which has another name now, in the place of the one with exactly `name`."""
        places = self._places
        if places is None:
            places = self._places = {one: place for place, one in enumerate(self._rows)}
        place = places[name]
        self.drop(name)
        self.put(member)
        places[member.name] = place

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
        for kind, names_of in self._references.items():
            self._refer(kind, name, names_of(self._rows[name]), ())
        del self._rows[name]
        if self._places is not None:
            del self._places[name]
        self.version += 1
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
        self._places = None

    def _put_in_order(self) -> None:
        places = self._places
        if places is not None:
            self._rows = dict(sorted(self._rows.items(), key=lambda row: places[row[0]]))
            self._places = None

    def __iter__(self) -> Iterator[T]:
        self._put_in_order()
        return iter(self._rows.values())

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, name: str) -> bool:
        return name in self._rows

    @property
    def names(self) -> list[str]:
        self._put_in_order()
        return list(self._rows)
