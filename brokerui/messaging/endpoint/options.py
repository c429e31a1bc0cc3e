"""What an endpoint may use, and how long it waits. Tests and benchmarks choose their own."""

from __future__ import annotations

from dataclasses import dataclass, field

from brokerui.core.backoff import Backoff
from routing.adjacent.connection_settings import ConnectionSettings

KILOBYTE = 1 << 10
MEGABYTE = 1 << 20
RECONNECTS = Backoff(first_s=0.25, max_s=8.0, jitter=0.25)


@dataclass(frozen=True, slots=True)
class EndpointOptions:
    """Per endpoint process, where nothing else is said."""

    connections: int = 1_000
    """Accepted ones that are open at once."""
    connections_of_peer: int = 100
    """The same from one network address: a flood from there leaves room for others."""
    next_hops: int = 1_000
    """Addresses that one instance sends to: service names may hold addresses that somebody invents (CHOOSE-4)."""
    arriving_bytes: int = 4 * MEGABYTE
    """Of one instance, that came and are not in Redis yet: then nothing more is read."""
    outgoing_bytes: int = 256 * KILOBYTE
    """Of one connection, that are taken from Redis at once, and may wait for the socket when more is taken."""
    connection: ConnectionSettings = field(default_factory=lambda: ConnectionSettings(max_outgoing_bytes=MEGABYTE))
    connect_within: float = 10.0
    """Seconds for finding and reaching a next hop, before anything is said."""
    reconnects: Backoff = RECONNECTS
    """Between two attempts to reach an address."""
    wanted_for: float = 150.0
    """Seconds for which an address that cannot be reached is tried again: messages that wait for it are sent again at
    least every 64 s, so it is wanted as long as there are any."""
    is_encryption_required: bool = True
    """Beyond loopback, nothing goes and nobody is let in without TLS."""
