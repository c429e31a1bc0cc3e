"""The parts of a running instance that the dialog layer asks: routes, settings, keys, transmission objects."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Protocol

from routing.dialog.batch import RouteRequestKey
from routing.dialog.broker_context import Destination, SendingSide
from routing.dialog.directory import Directory
from routing.dialog.endpoint import Endpoint
from routing.dialog.settings import DialogSettings
from routing.dialog.transmission import Transmission, TransmissionCache
from routing.mirror.registry import PrincipalRegistry
from routing.model.estate import Database
from routing.runtime.decision_cache import DecisionCache
from routing.security.instance_security import InstanceSecurity


class RunningInstance(Protocol):
    """The parts of a running instance; directories and decisions are others once its estate has changed."""

    settings: DialogSettings
    security: InstanceSecurity
    directories: Mapping[str, Directory]
    decisions: DecisionCache
    principals: PrincipalRegistry
    transmissions: TransmissionCache


class RunningBrokerContext:
    """Gives a unit of work what it needs of its broker."""

    def __init__(self, broker: RunningInstance, now_ms: int) -> None:
        self._broker = broker
        self._now_ms = now_ms
        self.settings = broker.settings
        self.security = broker.security

    def directory(self, database: str) -> Directory:
        return self._broker.directories[database]

    def destination(
        self, sender: SendingSide | Endpoint, now_ms: int, pending: Container[RouteRequestKey]
    ) -> Destination:
        return self._broker.decisions.place(sender, now_ms, pending)

    def report_unacknowledged(self, address: str, service: str) -> None:
        self._broker.principals.doubt(address, service, self._now_ms)

    def transmission(self, handle: str) -> Transmission | None:
        return self._broker.transmissions.get(handle)


def directory_of(database: Database) -> Directory:
    """Return the services, contracts, message types, priorities and queues of a database."""
    return Directory(
        database.name,
        database.broker_instance,
        services=database.services,
        contracts=database.contracts,
        message_types=database.message_types,
        priorities=database.priorities,
        queues=database.queues,
    )
