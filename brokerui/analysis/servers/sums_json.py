"""Collected sums as JSON, as the tables keep them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from datetime import datetime
from typing import Any

from brokerui.analysis.servers.sums import DatabaseSums, QueueState, ServerSums
from routing.catalog.broker_log import BrokerEvent
from routing.common.moment import format_moment, parse_moment
from routing.model.collected import CollectedTransmissions, TransmissionSum
from routing.model.endpoint_groups import EndpointGroup

Json = dict[str, Any]


def sums_as_json(sums: ServerSums) -> Json:
    """The whole collection."""
    return {
        "server": sums.server,
        "at": format_moment(sums.at),
        "product_version": sums.product_version,
        "databases": [database_as_json(one) for one in sums.databases],
        "events": None if sums.events is None else events_as_json(sums.events),
    }


def sums_from_json(body: Json) -> ServerSums:
    """The collection that was written."""
    return ServerSums(
        server=body["server"],
        at=parse_moment(body["at"]),
        product_version=body["product_version"],
        databases=tuple(map(database_from_json, body["databases"])),
        events=None if body["events"] is None else events_from_json(body["events"]),
    )


def canonical(sums: ServerSums) -> bytes:
    """The collection as bytes that are the same for equal ones."""
    return json.dumps(sums_as_json(sums), sort_keys=True, separators=(",", ":")).encode()


def events_as_json(events: Iterable[BrokerEvent]) -> list[Json]:
    return [asdict(one) for one in events]


def events_from_json(rows: Iterable[Json]) -> tuple[BrokerEvent, ...]:
    return tuple(BrokerEvent(**row) for row in rows)


def database_as_json(one: DatabaseSums) -> Json:
    """The sums of one database."""
    queue = one.transmissions
    return {
        "name": one.name,
        "broker_enabled": one.broker_enabled,
        "transmissions": None if queue is None else _transmissions(queue),
        "endpoints": None if one.endpoints is None else [asdict(group) for group in one.endpoints],
        "endpoints_left_out": one.endpoints_left_out,
        "queues": None if one.queues is None else [asdict(each) for each in one.queues],
    }


def database_from_json(body: Json) -> DatabaseSums:
    """The sums of the database that were written."""
    queue, endpoints, queues = body["transmissions"], body["endpoints"], body["queues"]
    return DatabaseSums(
        name=body["name"],
        broker_enabled=body["broker_enabled"],
        transmissions=None if queue is None else _transmissions_from(queue),
        endpoints=None if endpoints is None else tuple(EndpointGroup(**group) for group in endpoints),
        endpoints_left_out=body["endpoints_left_out"],
        queues=None if queues is None else tuple(QueueState(**each) for each in queues),
    )


def _transmissions(queue: CollectedTransmissions) -> Json:
    return {
        "collected_at": _moment(queue.collected_at),
        "rows": [{**asdict(row), "oldest": _moment(row.oldest)} for row in queue.rows],
        "left_out": queue.left_out,
    }


def _transmissions_from(body: Json) -> CollectedTransmissions:
    rows = tuple(TransmissionSum(**{**row, "oldest": _moment_from(row["oldest"])}) for row in body["rows"])
    return CollectedTransmissions(_moment_from(body["collected_at"]), rows, body["left_out"])


def _moment(at: datetime | None) -> str | None:
    return None if at is None else format_moment(at)


def _moment_from(text: str | None) -> datetime | None:
    return None if text is None else parse_moment(text)
