"""Keeping collections of real servers: each is written whole, once, and the oldest are deleted."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any, Final

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from brokerui.analysis.servers.models import CollectedDatabase, Collection, CollectionSource
from brokerui.analysis.servers.sums import DatabaseSums, ServerSums
from brokerui.analysis.servers.sums_json import canonical, database_as_json, events_as_json
from brokerui.core.instance_limit import check_instances
from brokerui.estate.audit import audit
from brokerui.estate.audit_changes import changes_of, values_of
from routing.common.errors import Invalid
from routing.common.moment import format_second
from routing.common.names import check_name
from routing.common.sentence import say
from routing.lint.endpoint_leaks import leaks_among
from routing.model.estate import INSTANCE_NAME_CHARS

SKEW: Final = timedelta(minutes=5)
"""How far the clock of a server may be ahead of ours."""
LEVEL: Final = 3
"""Of zlib."""


def check_sums(sums: ServerSums, now: datetime) -> None:
    """Raise `Invalid` for a collection that cannot be kept."""
    check_name(sums.server, "server", INSTANCE_NAME_CHARS)
    if sums.at > now + SKEW:
        raise Invalid("collected_at", say("lies in the future: {moment}", moment=format_second(sums.at)))
    for one in sums.databases:
        check_name(one.name, "database")


@transaction.atomic
def collection_keep(*, sums: ServerSums, author: str, source: CollectionSource) -> Collection:
    """Keep a collection; the same one again is the one that is there. Raises `Invalid` where it cannot be kept."""
    check_instances([sums.server])
    check_sums(sums, timezone.now())
    digest = hashlib.sha256(canonical(sums)).hexdigest()
    list(Collection.objects.select_for_update().filter(server=sums.server).values_list("pk"))
    known = Collection.objects.filter(server=sums.server, digest=digest).first()
    if known is not None:
        return known
    kept = Collection.objects.create(
        server=sums.server,
        collected_at=sums.at,
        kept_at=timezone.now(),
        author=author,
        source=source,
        product_version=sums.product_version[:128],
        events=None if sums.events is None else packed(events_as_json(sums.events)),
        digest=digest,
    )
    before = _before(kept)
    rows = [_row(kept, one, before.get(one.name)) for one in sums.databases]
    CollectedDatabase.objects.bulk_create(rows)
    _mark_latest(kept.server, [one.name for one in sums.databases])
    _thin(kept.server)
    audit(author=author, action=f"collection.{source}", note=str(kept), changes=changes_of(None, _values(kept)))
    return kept


@transaction.atomic
def collection_delete(*, collection: Collection, author: str) -> None:
    """Delete a collection that was kept by mistake; the one before is the latest again."""
    check_instances([collection.server])
    server, names = collection.server, list(collection.databases.values_list("name", flat=True))
    audit(
        author=author, action="collection.delete", note=str(collection), changes=changes_of(_values(collection), None)
    )
    collection.delete()
    _mark_latest(server, names)


def _values(row: Collection) -> dict[str, Any]:
    return values_of(row, "server", "collected_at", "source", "product_version")


def packed(value: Any) -> bytes:
    return zlib.compress(json.dumps(value, separators=(",", ":")).encode(), LEVEL)


def _row(kept: Collection, one: DatabaseSums, before: CollectedDatabase | None) -> CollectedDatabase:
    leaks = leaks_among(one.endpoints or ())
    return CollectedDatabase(
        collection=kept,
        name=one.name,
        messages=one.messages,
        states=one.states,
        left=sum(leak.endpoints for leak in leaks),
        left_before=None if before is None or one.states is None else before.left,
        left_before_at=None if before is None or one.states is None else before.collection.collected_at,
        worst=(leaks[0].service or "") if leaks else "",
        content=packed(database_as_json(one)),
    )


def _before(kept: Collection) -> dict[str, CollectedDatabase]:
    """By database: its conversations in the last collection before this one."""
    rows = CollectedDatabase.objects.select_related("collection").defer("content", "states")
    earlier = rows.filter(collection__server=kept.server, has_latest_endpoints=True)
    return {row.name: row for row in earlier.filter(collection__collected_at__lt=kept.collected_at)}


def _mark_latest(server: str, names: Iterable[str]) -> None:
    """Mark the last collection of a server, and for each of these databases that of its messages and conversations."""
    last = Collection.objects.filter(server=server).values_list("pk", flat=True).first() or 0
    Collection.objects.filter(server=server, is_latest=True).exclude(pk=last).update(is_latest=False)
    Collection.objects.filter(pk=last).update(is_latest=True)
    own = CollectedDatabase.objects.filter(collection__server=server, name__in=list(names))
    for flag, column in (("has_latest_messages", "messages"), ("has_latest_endpoints", "states")):
        own.filter(**{flag: True}).update(**{flag: False})
        latest: dict[str, int] = {}
        known = own.exclude(**{f"{column}__isnull": True}).order_by("collection__collected_at", "collection_id")
        latest.update(known.values_list("name", "pk"))
        CollectedDatabase.objects.filter(pk__in=latest.values()).update(**{flag: True})


def _thin(server: str) -> None:
    """Delete the oldest collections of a server beyond `COLLECTIONS_KEEP`, but none that is the last of a database."""
    own = Collection.objects.filter(server=server)
    newest = list(own.values_list("pk", flat=True)[: settings.COLLECTIONS_KEEP])
    old = own.exclude(pk__in=newest)
    last = old.filter(databases__has_latest_messages=True) | old.filter(databases__has_latest_endpoints=True)
    old.exclude(pk__in=last.values("pk")).delete()
