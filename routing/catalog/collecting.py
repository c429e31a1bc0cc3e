"""Builds what an estate keeps of the transmission queue and the conversation endpoints of a database."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any, TypeVar

from routing.catalog.building import Parts, Refused
from routing.catalog.shapes import Row
from routing.common.errors import Invalid
from routing.common.identifier import parse_identifier
from routing.common.moment import parse_moment
from routing.common.sentence import say
from routing.model.collected import (
    MAX_COLLECTED_ROWS,
    CollectedEndpoints,
    CollectedTransmissions,
    EndpointSum,
    TransmissionSum,
)

MAX_KEPT_STATUS_CHARS = 1_000
"""Characters of a status that are kept, as the script collects them."""
_T = TypeVar("_T")


def collected_of(parts: Parts, collected_at: datetime | None, refused: Refused) -> dict[str, Any]:
    """The fields of a database with what these parts contain of it: of an empty view, the moment."""
    totals = {row.get("name"): row.get("table_rows") or 0 for row in parts.get("totals", ())}
    found: dict[str, Any] = {}
    if "transmission_queue" in parts:
        sums = _transmissions(_each("transmission_queue", parts, _transmission, refused))
        left = max(0, totals.get("sysxmitqueue", 0) - sum(one.messages for one in sums))
        found["transmission_queue"] = CollectedTransmissions(collected_at, sums, left)
    if "conversation_endpoints" in parts:
        states = _endpoints(_each("conversation_endpoints", parts, _endpoint, refused))
        left = max(0, totals.get("sysdesend", 0) - sum(one.endpoints for one in states))
        found["conversation_endpoints"] = CollectedEndpoints(collected_at, states, left)
    return found


def _each(part: str, parts: Parts, build: Callable[[Row], _T], refused: Refused) -> Iterable[_T]:
    for row in parts[part]:
        try:
            yield build(row)
        except Invalid as fault:
            name = row.get("to_service_name") or row.get("far_service")
            refused(part, name, say("{path}: {problem}", path=fault.path, problem=fault.problem))


def _transmission(row: Row) -> TransmissionSum:
    broker = row.get("to_broker_instance")
    return TransmissionSum(
        messages=row["messages"],
        status=_status(row.get("transmission_status")),
        from_service=row.get("from_service_name") or None,
        to_service=row.get("to_service_name") or None,
        to_broker_instance=parse_identifier(broker.strip()) if broker and broker.strip() else None,
        oldest=_moment(row.get("oldest")),
    )


def _status(text: str | None) -> str:
    """The text as every database can keep it; blank for what people write for nothing."""
    kept = " ".join((text or "").replace("\0", " ").encode("utf-8", "replace").decode().split())
    return "" if kept.upper() in ("NULL", "(NULL)") else kept[:MAX_KEPT_STATUS_CHARS]


def _moment(text: str | None) -> datetime | None:
    try:
        return parse_moment(text) if text else None
    except Invalid:
        return None


def _endpoint(row: Row) -> EndpointSum:
    return EndpointSum(row["endpoints"], row.get("state") or "", row.get("service_name"), row.get("far_service"))


def _transmissions(given: Iterable[TransmissionSum]) -> tuple[TransmissionSum, ...]:
    """The sums, those of equal groups added, the largest first."""
    counts: dict[tuple[str, str | None, str | None, str | None], int] = {}
    oldest: dict[tuple[str, str | None, str | None, str | None], datetime] = {}
    for one in given:
        key = one.status, one.from_service, one.to_service, one.to_broker_instance
        counts[key] = counts.get(key, 0) + one.messages
        if one.oldest is not None:
            oldest[key] = min(one.oldest, oldest.get(key, one.oldest))
    return tuple(TransmissionSum(counts[key], *key, oldest=oldest.get(key)) for key in _largest(counts))


def _endpoints(given: Iterable[EndpointSum]) -> tuple[EndpointSum, ...]:
    counts: dict[tuple[str, str | None, str | None], int] = {}
    for one in given:
        key = one.state, one.service, one.far_service
        counts[key] = counts.get(key, 0) + one.endpoints
    return tuple(EndpointSum(counts[key], *key) for key in _largest(counts))


def _largest(counts: Mapping[_T, int]) -> list[_T]:
    return sorted(counts, key=lambda key: -counts[key])[:MAX_COLLECTED_ROWS]
