"""The interface between conversations and the instance that runs them: routing, settings, keys, frames that leave."""

from __future__ import annotations

from collections.abc import Container
from typing import NamedTuple, Protocol

from routing.dialog.batch import RouteRequestKey
from routing.dialog.directory import Directory
from routing.dialog.endpoint import Endpoint
from routing.dialog.settings import DialogSettings
from routing.dialog.transmission import Transmission
from routing.security.instance_security import InstanceSecurity


class OutboundFrame(NamedTuple):
    """A frame for the next hop. It may leave only after the commit that produced it (ACK-5)."""

    address: str
    """Network address of the next hop, `tcp://host:port`."""
    frame: bytes
    receiver: int | None = None
    """Of a standalone acknowledgement: the number of the endpoint that has received. A later one of the same endpoint
    says all that this one does, and delaying it holds up only a sender whose window is full. None: a peer waits for
    the frame."""


class Destination(NamedTuple):
    """Where routing sends the messages of an endpoint."""

    directory: Directory | None
    """Target database if it is on this instance; None: the messages go to the transmission queue."""
    status: int = 0
    """Why the messages wait, as an error number of `problems`; 0 if they can leave."""
    route: str | None = None
    identifier: str | None = None
    """Broker identifier of the chosen route; stored with the endpoint (RT-STICKY)."""
    address: str = ""
    """Network address of the next hop; empty if the messages do not leave this instance."""
    hops: int = 0
    """Hops remaining when a fragment leaves this instance."""
    route_request_database: str = ""
    """Database that must request the missing route (MATCH-4); empty: none is requested."""


class SendingSide(NamedTuple):
    """The fields of a sending endpoint that routing reads. `Endpoint` has the same field names."""

    database: str
    far_service: str
    far_broker_instance: str | None
    is_initiator: bool
    kept_route: str | None = None
    kept_identifier: str | None = None
    kept_database: str | None = None


class BrokerContext(Protocol):
    """The parts of an instance that the dialog layer needs."""

    def directory(self, database: str) -> Directory:
        """Return the services, contracts and message types of a database of this instance."""
        ...

    def destination(
        self, sender: SendingSide | Endpoint, now_ms: int, pending: Container[RouteRequestKey]
    ) -> Destination:
        """Route the messages of `sender`. `pending`: route requests that are open already (MATCH-4)."""
        ...

    def report_unacknowledged(self, address: str, service: str) -> None:
        """Report that messages sent to `address` for `service` were not acknowledged in time (MIR-3)."""
        ...

    def transmission(self, handle: str) -> Transmission | None:
        """Return the cached transmission object of an endpoint, read-only."""
        ...

    @property
    def settings(self) -> DialogSettings:
        """Sizes and limits of this instance."""
        ...

    @property
    def security(self) -> InstanceSecurity:
        """Keys of the databases of this instance."""
        ...
