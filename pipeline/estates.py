"""The estates that traffic is evaluated under: one document, or the versions of a history, each with its time."""

from __future__ import annotations

import hashlib
import zlib
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

from routing.classes import Node, Vocabulary
from routing.delta import Delta, delta
from routing.document import MAX_SIZE, read_estate, read_version
from routing.errors import InputError
from routing.estate import Estate
from routing.sentence import say

Scope = tuple[Node | None, str | None]
"""An entry point, or any (None), and a service by name, or any (None): what a change may matter for."""
ALL: frozenset[Scope] = frozenset({(None, None)})
EVER = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, eq=False, slots=True)
class Version:
    """An estate and the moment since which it was in force.

    Its document is kept packed: a history of a large estate has hundreds of versions, of which few are asked at a time.
    """

    since: datetime
    expiring: Mapping[datetime, frozenset[Scope]]
    """The moments at which routes of it expire, if it is in force then, each with what that may matter for."""
    packed: bytes
    where: str
    digest: str
    """SHA-256 of the document, in hex digits."""

    def as_json(self) -> dict[str, str | None]:
        """Which document it was, for the record of a run."""
        since = None if self.since == EVER else self.since.isoformat()
        return {"path": str(Path(self.where).absolute()), "sha256": self.digest, "since": since}

    @property
    def estate(self) -> Estate:
        """Read again, unless it was among the last ones."""
        return _unpacked(self)


@lru_cache(maxsize=2)
def _unpacked(version: Version) -> Estate:
    return read_estate(zlib.decompress(version.packed), where=version.where)


@dataclass(frozen=True, slots=True)
class Timeline:
    """Versions in the order of their time; each holds until the next."""

    versions: tuple[Version, ...]

    def boundaries(self) -> list[datetime]:
        """The moments at which answers may change: a version comes into force, or a route of it expires."""
        ends = [version.since for version in self.versions[1:]] + [datetime.max.replace(tzinfo=UTC)]
        found = {version.since for version in self.versions} - {EVER}
        for version, until in zip(self.versions, ends, strict=True):
            found.update(moment for moment in version.expiring if version.since < moment < until)
        return sorted(found)

    def matters_for(self, moment: datetime) -> frozenset[Scope]:
        """Which conversations may be answered otherwise from this moment on."""
        place = bisect_right(self.versions, moment, key=lambda version: version.since)
        if not place:
            return frozenset()
        version = self.versions[place - 1]
        return ALL if version.since == moment else version.expiring.get(moment, frozenset())

    def at(self, moment: datetime) -> Estate | None:
        """The estate in force at a moment; None before the first version."""
        place = bisect_right(self.versions, moment, key=lambda version: version.since)
        return self.versions[place - 1].estate if place else None


def _expiring(estate: Estate) -> dict[datetime, frozenset[Scope]]:
    """By moment: what the estate without the routes that expire then may answer otherwise."""
    lost: dict[datetime, list[tuple[str, str, str]]] = defaultdict(list)
    for instance in estate.instances.values():
        for database in instance.databases.values():
            for route in database.table.routes.values():
                if route.lifetime is not None:
                    lost[route.lifetime].append((instance.name, database.name, route.name))
    vocabulary = Vocabulary(estate, estate)
    return {moment: _told_apart(estate, routes, vocabulary) for moment, routes in lost.items()}


def _told_apart(estate: Estate, lost: Sequence[tuple[str, str, str]], vocabulary: Vocabulary) -> frozenset[Scope]:
    after = estate
    for instance, database, route in lost:
        after = after.with_route(instance, database, route, None)
    return frozenset(_scopes(delta(estate, after, vocabulary)))


def _scopes(found: Delta) -> Iterator[Scope]:
    if found.by_identifier or found.one_sided:
        yield None, None
    for node in found.always:
        yield _entry(node), None
    for service, nodes in found.by_name.items():
        for node in nodes:
            yield _entry(node), service


def _entry(node: Node) -> Node | None:
    """The table of a database is asked about what begins there; what an instance does with what comes, about all."""
    return node if node[1] is not None else None


def load_timeline(name: str) -> Timeline:
    """One document that holds at all times, or a folder of versions as `brokerui estate history` writes them.

    Raises `InputError` with the file and the place in it.
    """
    path = Path(name)
    if not path.is_dir():
        return Timeline((_version(path, is_one_of_many=False),))
    versions = [_version(file) for file in sorted(path.glob("*.json")) if not file.name.startswith(("_", "."))]
    if not versions:
        raise InputError(name, "", say("holds no versions of an estate (*.json)"))
    versions.sort(key=lambda version: version.since)
    _check_apart(name, versions)
    return Timeline(tuple(versions))


def _version(file: Path, *, is_one_of_many: bool = True) -> Version:
    content, where = _content(file), str(file)
    since, estate = read_version(content, where=where)
    if not is_one_of_many:
        since = EVER
    if since is None:
        raise InputError(where, "$.valid_from", say("is missing: a version says since when it was in force"))
    return Version(since, _expiring(estate), zlib.compress(content, 1), where, hashlib.sha256(content).hexdigest())


def _check_apart(name: str, versions: Sequence[Version]) -> None:
    for one, other in pairwise(versions):
        if one.since == other.since:
            raise InputError(name, "", say("two versions are in force since {moment}", moment=one.since.isoformat()))


def _content(file: Path) -> bytes:
    try:
        if file.stat().st_size > MAX_SIZE:
            raise InputError(str(file), "", say("is larger than {limit} bytes", limit=MAX_SIZE))
        return file.read_bytes()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise InputError(str(file), "", say("cannot be read: {reason}", reason=reason)) from None
