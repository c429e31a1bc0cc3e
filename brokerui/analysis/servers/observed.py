"""The live estate with the rows that were pasted of its servers since their import: one diagnosis looks at both."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from brokerui.analysis.servers.models import CollectedDatabase
from brokerui.analysis.servers.selectors import collections_token, pasted_databases, sums_of
from brokerui.analysis.servers.sums import DatabaseSums
from brokerui.core.cache import LruCache
from brokerui.estate.selectors import LiveEstate
from routing.model.catalog_objects import SYSTEM_MADE
from routing.model.collected import MAX_COLLECTED_ROWS, CollectedEndpoints, CollectedTransmissions, EndpointSum
from routing.model.endpoint_groups import EndpointGroup
from routing.model.estate import Database, Estate, Instance
from routing.model.route import AUTO_CREATED_LOCAL
from routing.model.route_table import RouteTable

_observed: LruCache[LiveEstate] = LruCache(4)


def with_collected(live: LiveEstate) -> LiveEstate:
    """The estate with the last collected messages and conversations of each database; one query where this process has
    it in memory. A server that is not in the estate is added, with no more than that."""
    token = collections_token()
    if not token.count:
        return live
    key = f"{live.digest} {token}"
    return _observed.get_or_make(key, lambda: _made(live, key))


def _made(live: LiveEstate, key: str) -> LiveEstate:
    rows = pasted_databases()
    if not rows:
        return live
    instances = dict(live.estate.instances)
    for row in rows:
        server = row.collection.server
        instances[server] = _with_row(instances.get(server) or Instance(server), row)
    estate: Estate = replace(live.estate, instances=instances)
    return LiveEstate(live.version, key, estate)


def _with_row(instance: Instance, row: CollectedDatabase) -> Instance:
    known = instance.databases.get(row.name)
    database = known or Database(row.name, services=SYSTEM_MADE, table=RouteTable((AUTO_CREATED_LOCAL,)))
    return instance.with_database(_with_sums(database, sums_of(row), row))


def _with_sums(database: Database, sums: DatabaseSums, row: CollectedDatabase) -> Database:
    """The database with the sums that are newer than its own."""
    at, queue, endpoints = row.collection.collected_at, database.transmission_queue, database.conversation_endpoints
    if row.has_latest_messages and _is_newer(at, queue):
        database = replace(database, transmission_queue=sums.transmissions)
    if row.has_latest_endpoints and sums.endpoints is not None and _is_newer(at, endpoints):
        rows = endpoint_sums(sums.endpoints)
        kept = CollectedEndpoints(at, rows[:MAX_COLLECTED_ROWS], sums.endpoints_left_out)
        database = replace(database, conversation_endpoints=kept)
    return database


def _is_newer(at: datetime, known: CollectedTransmissions | CollectedEndpoints | None) -> bool:
    return known is None or known.collected_at is None or at > known.collected_at


def endpoint_sums(groups: Iterable[EndpointGroup]) -> tuple[EndpointSum, ...]:
    """The groups as an estate keeps them, without role and age; the largest first."""
    counts: dict[tuple[str, str | None, str | None], int] = {}
    for one in groups:
        key = one.state, one.service, one.far_service
        counts[key] = counts.get(key, 0) + one.endpoints
    return tuple(EndpointSum(counts[key], *key) for key in sorted(counts, key=lambda key: -counts[key]))
