"""The timeline that traffic is evaluated under: one estate document, or the versions of a history."""

from __future__ import annotations

import hashlib
import zlib
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from itertools import pairwise

from pipeline.files.file_system import files_in, is_folder, read_bytes, state_of, unreadable
from pipeline.files.location import Location, absolute_name, location
from routing.classes.traffic_class import Node
from routing.common.errors import InputError
from routing.common.gc_control import gc_freeze_if_large
from routing.common.names import DYNAMIC_ROUTING_SERVICE
from routing.common.sentence import say
from routing.documents.estate_document import MAX_DOCUMENT_BYTES, read_estate, read_version
from routing.model.estate import Estate
from routing.model.route import Route

ExpiryMoments = Mapping[Node, Mapping[str | None, Sequence[datetime]]]
"""Expiry moments by routing table (its node) and by the service of the routes; None: routes for any service."""
BEGINNING_OF_TIME, END_OF_TIME = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, eq=False, slots=True)
class TimelineVersion:
    """A version of the estate and the moment since which it was in force.

    Its document is kept compressed: a history may have hundreds of large versions, and few are used at a time.
    """

    since: datetime
    expiring: ExpiryMoments
    compressed: bytes
    where: str
    digest: str
    """SHA-256 of the document, in hex digits."""

    def as_json(self) -> dict[str, str | None]:
        """Describe the document for the record of a run."""
        since = None if self.since == BEGINNING_OF_TIME else self.since.isoformat()
        return {"path": absolute_name(location(self.where)), "sha256": self.digest, "since": since}

    def next_expiry(self, nodes: Iterable[Node], service: str, moment: datetime) -> datetime:
        """Return the next moment at which a route for this service expires in the tables of these nodes."""
        tables = [self.expiring[node] for node in nodes if node in self.expiring]
        moments = (one for table in tables for name in (service, None) for one in table.get(name, ()))
        return min((one for one in moments if one > moment), default=END_OF_TIME)

    @property
    def estate(self) -> Estate:
        """Parse the document; the last two are cached."""
        return _decompressed(self)


@lru_cache(maxsize=2)
def _decompressed(version: TimelineVersion) -> Estate:
    document = zlib.decompress(version.compressed)
    estate = read_estate(document, where=version.where)
    gc_freeze_if_large(len(document))
    return estate


@dataclass(frozen=True, slots=True)
class Timeline:
    """Versions in the order of their time; each is in force until the next."""

    versions: tuple[TimelineVersion, ...]

    def boundaries(self) -> list[datetime]:
        """Return the moments at which answers may change: a version comes into force, or one of its routes expires."""
        found = {version.since for version in self.versions} - {BEGINNING_OF_TIME}
        for version in self.versions:
            until = self.at(version.since)[1]
            moments = {one for table in version.expiring.values() for some in table.values() for one in some}
            found.update(moment for moment in moments if version.since < moment < until)
        return sorted(found)

    def at(self, moment: datetime) -> tuple[TimelineVersion | None, datetime]:
        """Return the version in force at a moment (None before the first), and until when it is."""
        place = bisect_right(self.versions, moment, key=lambda version: version.since)
        until = self.versions[place].since if place < len(self.versions) else END_OF_TIME
        return (self.versions[place - 1] if place else None), until


def _expiring(estate: Estate) -> ExpiryMoments:
    found: dict[Node, dict[str | None, set[datetime]]] = defaultdict(lambda: defaultdict(set))
    for instance in estate.instances.values():
        for asking, table in instance.tables.items():
            for route in table.routes.values():
                if route.lifetime is not None:
                    found[instance.name, asking][_matters_for(route)].add(route.lifetime)
    return {node: {name: sorted(moments) for name, moments in names.items()} for node, names in found.items()}


def _matters_for(route: Route) -> str | None:
    """Return the service that a route is for; None: any service without a route of its own (MATCH-4, MATCH-5)."""
    return route.remote_service_name if route.remote_service_name != DYNAMIC_ROUTING_SERVICE else None


def load_timeline(name: str) -> Timeline:
    """Read one document that holds at all times, or a folder of versions from `brokerui estate history`.

    Raises `InputError` with the file and the place in it.
    """
    place = location(name)
    try:
        if not is_folder(place):
            return Timeline((_version(place, is_one_of_many=False),))
        documents = [file for file in files_in(place) if file.suffix == ".json" and file.name[0] not in "_."]
    except OSError as error:
        raise unreadable(name, error) from None
    versions = [_version(file) for file in documents]
    if not versions:
        raise InputError(name, "", say("holds no versions of an estate (*.json)"))
    versions.sort(key=lambda version: version.since)
    _check_apart(name, versions)
    return Timeline(tuple(versions))


def _version(file: Location, *, is_one_of_many: bool = True) -> TimelineVersion:
    content, where = _content(file), str(file)
    since, estate = read_version(content, where=where)
    if not is_one_of_many:
        since = BEGINNING_OF_TIME
    if since is None:
        raise InputError(where, "$.valid_from", say("is missing: a version says since when it was in force"))
    return TimelineVersion(
        since, _expiring(estate), zlib.compress(content, 1), where, hashlib.sha256(content).hexdigest()
    )


def _check_apart(name: str, versions: Sequence[TimelineVersion]) -> None:
    for one, other in pairwise(versions):
        if one.since == other.since:
            raise InputError(name, "", say("two versions are in force since {moment}", moment=one.since.isoformat()))


def _content(file: Location) -> bytes:
    try:
        if state_of(file).size > MAX_DOCUMENT_BYTES:
            raise InputError(str(file), "", say("is larger than {limit} bytes", limit=MAX_DOCUMENT_BYTES))
        return read_bytes(file)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise InputError(str(file), "", say("cannot be read: {reason}", reason=reason)) from None
