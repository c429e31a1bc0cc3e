"""Reading the live estate and its versions. Pages, REST and commands ask here and nowhere else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from django.conf import settings
from django.db import connection
from django.db.models import Count, Min, Q, QuerySet, Sum
from django.db.models.functions import Coalesce, Length
from django.utils import timezone

from brokerui.core.deferred import defer, may_defer
from brokerui.estate.cache import estates
from brokerui.estate.errors import VersionNotFoundError
from brokerui.estate.models import Instance, Live, Version
from brokerui.estate.packing import Packed, unpack_edits, unpack_estate
from brokerui.estate.signals import estate_read
from routing.model.estate import Estate

EMPTY = Estate()
"""The live estate before its first version."""
LISTED = 100
# A literal, because every request runs it, and Django takes as long to compose it as the database to answer.
LIVE_VERSION = (
    f"SELECT version.number FROM {Live._meta.db_table} live"  # noqa: S608 - names that stand in the code
    f" JOIN {Version._meta.db_table} version ON version.id = live.version_id"
)
LONG = 32 * 1024
"""Bytes, as versions keep them, that take longer to read than a request may."""


@dataclass(frozen=True, slots=True)
class LiveEstate:
    """The estate of one version."""

    version: int
    """0: nothing was ever written."""
    digest: str
    """Stands for the content of this version and of all before it."""
    estate: Estate


@dataclass(frozen=True, slots=True)
class EstateFreshness:
    """How long ago the live estate was read from its instances."""

    instances: int
    oldest: datetime | None
    """The import that is longest ago, among instances that were imported."""
    never: int = 0
    """Instances that were not imported at all."""

    @property
    def is_stale(self) -> bool:
        """Whether an instance was imported longer ago than `ESTATE_STALE_DAYS`."""
        return bool(self.instances) and (self.never > 0 or import_is_stale(self.oldest))


def live_version() -> int:
    """The number of the version that the live estate has; 0 before the first."""
    with connection.cursor() as cursor:
        cursor.execute(LIVE_VERSION)
        found = cursor.fetchone()
    return found[0] if found else 0


def live_digest() -> str:
    """Stands for the content of the live estate, as `estate_current` has it."""
    return Live.objects.values_list("version__digest", flat=True).first() or ""


def import_is_stale(at: datetime | None) -> bool:
    """Whether an instance that was imported then (None: never) should be imported again."""
    return at is None or timezone.now() - at > timedelta(days=settings.ESTATE_STALE_DAYS)


def estate_freshness() -> EstateFreshness:
    """One query, however many instances there are."""
    never = Count("id", filter=Q(imported_at=None))
    found = Instance.objects.aggregate(instances=Count("id"), oldest=Min("imported_at"), never=never)
    return EstateFreshness(**found)


def has_instances() -> bool:
    """Whether the live estate has an instance; one query, which loads no version."""
    return Instance.objects.exists()


def estate_current() -> LiveEstate:
    """The estate as it is; one query where this process has it in memory."""
    row = Live.objects.values_list("version__number", "version__digest").first()
    if row is None or row[0] is None:
        return LiveEstate(0, "", EMPTY)
    return _of_version(*row)


def estate_as_of(*, version: int | None = None, at: datetime | None = None) -> LiveEstate:
    """The estate of a version, or as it was at a moment. Raises `VersionNotFoundError`."""
    versions = Version.objects.order_by("-number").values_list("number", "digest")
    found = versions.filter(created_at__lte=at) if version is None else versions.filter(number=version)
    row = found.first()
    if row is None:
        raise VersionNotFoundError(version=version, at=at)
    return _of_version(*row)


def first_moment() -> datetime | None:
    """When the first version was written; None: there is none yet."""
    return Version.objects.order_by("number").values_list("created_at", flat=True).first()


def version_list(*, before: int | None = None, limit: int = LISTED) -> list[Version]:
    """The newest versions, newest first, without what they hold; `before` goes on where a list ended."""
    rows = Version.objects.defer("document", "edits")
    return list((rows if before is None else rows.filter(number__lt=before))[:limit])


def estates_between(first: int, last: int) -> Iterator[tuple[Version, Estate]]:
    """Yield the versions from `first` to `last`, each with its estate, which is made from the one before."""
    estate = None
    for version in Version.objects.filter(number__gte=first, number__lte=last).order_by("number"):
        if estate is None:
            estate = estate_as_of(version=version.number).estate
        elif version.document is None:
            estate = _then(estate, version.edits)
        else:
            estate = estates.get(version.digest) or unpack_estate(version.document)
        yield version, estate


def instance_freshness() -> dict[str, datetime | None]:
    """When each instance was imported last; None: never."""
    return dict(Instance.objects.values_list("name", "imported_at"))


def _of_version(number: int, digest: str) -> LiveEstate:
    if not estates.has(digest) and may_defer() and _is_long(number):
        defer(digest, partial(_prepare, number, digest))
    return LiveEstate(number, digest, estates.get_or_make(digest, partial(_built, number, digest)))


def _prepare(number: int, digest: str) -> None:
    """Cache an estate, after its listeners have made everything that pages derive from it."""

    def built() -> Estate:
        estate = _built(number, digest)
        estate_read.send_robust(sender=Estate, key=digest, estate=estate)
        return estate

    estates.get_or_make(digest, built)


def _built(number: int, digest: str) -> Estate:
    """From the last version that is in memory or a checkpoint, with the edits since then."""
    estate, unread = _unread(number)
    for own, document, edits in unread.values_list("digest", "document", "edits"):
        if document is None:
            estate = _then(estate, edits)
        else:
            estate = unpack_estate(document)
            if own != digest:
                # All versions since then begin with it: it is kept too, and shares its parts with them.
                estates.put(own, estate)
    return estate


def _is_long(number: int) -> bool:
    """Return whether too much of the estate is missing from memory for a request to wait for it."""
    _, unread = _unread(number)
    size = unread.aggregate(size=Sum(Coalesce(Length("document"), 0) + Coalesce(Length("edits"), 0)))["size"]
    return (size or 0) > LONG


def _unread(number: int) -> tuple[Estate, QuerySet[Version]]:
    """The nearest estate before that is in memory, and the versions from there on."""
    first = Version.objects.values_list("checkpoint", flat=True).get(number=number)
    chain = Version.objects.filter(number__lte=number, number__gte=first).order_by("number")
    known, estate = _nearest(chain.values_list("number", "digest"))
    return estate, chain.filter(number__gt=known)


def _then(estate: Estate, edits: Packed | None) -> Estate:
    assert edits is not None  # a constraint of the table: a version holds its document or edits
    return estate.edited(unpack_edits(edits))


def _nearest(chain: Iterable[tuple[int, str]]) -> tuple[int, Estate]:
    """The newest version of these that is in memory; 0 where none is."""
    for number, digest in reversed(list(chain)):
        estate = estates.get(digest)
        if estate is not None:
            return number, estate
    return 0, EMPTY
