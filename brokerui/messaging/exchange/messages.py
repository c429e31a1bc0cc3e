"""Messages from the endpoint to the workers about addresses, connections and events: as values and as JSON in Redis."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple, TypeVar

from routing.common.event_subclasses import ConnectionSubclass, LoginSubclass
from routing.common.network_events import AuditBrokerLogin, BrokerConnection

T = TypeVar("T")


class Online(NamedTuple):
    """A connection to an address is online: conversations that wait for it are due at once."""

    instance: str
    address: str


class Failed(NamedTuple):
    """An address cannot be reached; frames for it are lost now, and sent again."""

    instance: str
    address: str
    error: int
    """The product's, for transmission_status: 9754 where the system refused, 9783 where the name was not found, …"""
    text: str
    """The system's reason."""


Notice = Online | Failed
EndpointEvent = BrokerConnection | AuditBrokerLogin


class EndpointMessage(NamedTuple):
    """An event with its instance and moment."""

    instance: str
    at: int
    """Milliseconds, UTC."""
    event: EndpointEvent


class ConnectionRow(NamedTuple):
    """A row of sys.dm_broker_connections, and three columns more. Moments are ISO 8601, in UTC."""

    connection_id: str
    transport_stream_id: str
    state: int
    state_desc: str
    connect_time: str
    login_time: str | None
    authentication_method: str
    principal_name: str
    remote_user_name: str
    last_activity_time: str
    is_accept: bool
    login_state: int
    login_state_desc: str
    peer_certificate_id: int | None
    encryption_algorithm: int
    encryption_algorithm_desc: str
    receives_posted: int
    is_receive_flow_controlled: bool
    sends_posted: int
    is_send_flow_controlled: bool
    total_bytes_sent: int
    total_bytes_received: int
    total_fragments_sent: int
    total_fragments_received: int
    total_sends: int
    total_receives: int
    peer_arbitration_id: str | None
    instance: str
    """Not the product's: of this side."""
    address: str
    """Not the product's: of the other side, as it was dialled, or host and port as accepted."""
    peer: str
    """Not the product's: as which instance the other side presents itself."""


_SUBCLASSES: Mapping[int, Any] = {138: (BrokerConnection, ConnectionSubclass), 159: (AuditBrokerLogin, LoginSubclass)}


def written(message: Notice | EndpointMessage | ConnectionRow) -> str:
    """As a list in Redis holds it."""
    if isinstance(message, EndpointMessage):
        return json.dumps([message.instance, message.at, message.event.number, *message.event])
    return json.dumps(message)


def notice_from(text: bytes) -> Notice:
    """Read a notice. This and the others raise what reading JSON of any content raises."""
    values = _values(text)
    notice = Online(*values) if len(values) == len(Online._fields) else Failed(*values)
    return _checked(notice, ("instance", str), ("address", str))


def event_from(text: bytes) -> EndpointMessage:
    """Read an event with its instance and moment."""
    instance, at, number, subclass, *rest = _values(text)
    event, of = _SUBCLASSES[number]
    return _checked(EndpointMessage(instance, at, event(of(subclass), *rest)), ("instance", str), ("at", int))


def connection_from(text: bytes) -> ConnectionRow:
    """Read a row of sys.dm_broker_connections."""
    row = ConnectionRow(*_values(text))
    return _checked(row, ("instance", str))


def _values(text: bytes) -> list[Any]:
    values = json.loads(text)
    if not isinstance(values, list):
        raise TypeError("no list of values")
    return values


def _checked(message: T, *fields: tuple[str, type]) -> T:
    for name, kind in fields:
        if not isinstance(getattr(message, name), kind):
            raise TypeError(name)
    return message
