"""Collected rows as JSON objects of the estate document, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields as fields_of
from datetime import datetime
from typing import Any

from routing.common.moment import format_moment
from routing.documents.json_decoders import (
    Decoder,
    array_of,
    fields,
    identifier_or_null,
    integer,
    moment,
    or_null,
    string,
)
from routing.model.collected import CollectedEndpoints, CollectedTransmissions, EndpointSum, TransmissionSum

_TRANSMISSION: Mapping[str, Decoder] = {
    "messages": integer,
    "status": string,
    "from_service": or_null(string),
    "to_service": or_null(string),
    "to_broker_instance": identifier_or_null,
    "oldest": or_null(moment),
}
_ENDPOINT: Mapping[str, Decoder] = {
    "endpoints": integer,
    "state": string,
    "service": or_null(string),
    "far_service": or_null(string),
}


def _transmission_from(value: Any) -> TransmissionSum:
    return TransmissionSum(**fields(value, _TRANSMISSION, ("messages",)))


def _endpoint_from(value: Any) -> EndpointSum:
    return EndpointSum(**fields(value, _ENDPOINT, ("endpoints", "state")))


_TRANSMISSIONS: Mapping[str, Decoder] = {
    "collected_at": or_null(moment),
    "rows": array_of(_transmission_from),
    "left_out": integer,
}
_ENDPOINTS: Mapping[str, Decoder] = {
    "collected_at": or_null(moment),
    "rows": array_of(_endpoint_from),
    "left_out": integer,
}


def transmissions_from(value: Any) -> CollectedTransmissions:
    """Read the collected rows of a transmission queue."""
    return CollectedTransmissions(**fields(value, _TRANSMISSIONS, ()))


def endpoints_from(value: Any) -> CollectedEndpoints:
    """Read the collected rows of conversation endpoints."""
    return CollectedEndpoints(**fields(value, _ENDPOINTS, ()))


COLLECTED: Mapping[str, Decoder] = {
    "transmission_queue": or_null(transmissions_from),
    "conversation_endpoints": or_null(endpoints_from),
}
"""By key of a database in the document."""


def collected_as_json(value: Any) -> Any:
    """Return collected rows, or a value of theirs, as in the document."""
    if isinstance(value, tuple):
        return [collected_as_json(member) for member in value]
    if isinstance(value, datetime):
        return format_moment(value)
    if hasattr(value, "__dataclass_fields__"):
        return {field.name: collected_as_json(getattr(value, field.name)) for field in fields_of(value)}
    return value
