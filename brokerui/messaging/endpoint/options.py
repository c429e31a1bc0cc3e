"""Limits and waiting times of an endpoint. Tests and benchmarks choose their own."""

from __future__ import annotations

from dataclasses import dataclass, field

from brokerui.core.backoff import Backoff
from routing.adjacent.connection_settings import ConnectionSettings

KILOBYTE = 1 << 10
MEGABYTE = 1 << 20
RECONNECTS = Backoff(first_s=0.25, max_s=8.0, jitter=0.25)


@dataclass(frozen=True, slots=True)
class EndpointOptions:
    """Limits, per endpoint process unless stated otherwise."""

    connections: int = 1_000
    """Accepted ones that are open at once."""
    connections_of_peer: int = 100
    """Maximum connections from one network address, so that a flood from there leaves room for others."""
    next_hops: int = 1_000
    """Addresses that one instance sends to: service names may hold addresses that somebody invents (CHOOSE-4)."""
    arriving_bytes: int = 4 * MEGABYTE
    """Bytes that arrived for one instance and are not in Redis yet; at this limit nothing more is read."""
    outgoing_bytes: int = 256 * KILOBYTE
    """Bytes that one connection takes from Redis at once, and that may wait for the socket when it takes more."""
    connection: ConnectionSettings = field(default_factory=lambda: ConnectionSettings(max_outgoing_bytes=MEGABYTE))
    connect_within: float = 10.0
    """Time to resolve and reach a next hop, before the handshake, in seconds."""
    reconnects: Backoff = RECONNECTS
    """Between two attempts to reach an address."""
    wanted_for: float = 150.0
    """Seconds for which an address that cannot be reached is tried again: messages that wait for it are sent again at
    least every 64 s, so it is wanted as long as there are any."""
    is_encryption_required: bool = True
    """Beyond loopback, no connection is opened or accepted without TLS."""
