"""Services, contracts and message types of a database, and the checks that follow from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from routing.common.names import is_system_service
from routing.dialog.priority import PriorityTable
from routing.dialog.problems import VerbError
from routing.dialog.system_names import DEFAULT, MISSING_ROUTE_TYPE, NOTICE_CONTRACT, SYSTEM_TYPES
from routing.dialog.validation import is_valid
from routing.model.catalog_objects import Contract, MessageType, Priority, Queue, Service

INITIATOR, TARGET, ANY = "INITIATOR", "TARGET", "ANY"


def queue_names(services: Iterable[Service], queues: Iterable[Queue]) -> frozenset[str]:
    """Return the queues that services of users have or that are written."""
    of_services = {one.queue or one.name for one in services if not is_system_service(one.name)}
    return frozenset(of_services.union(one.name for one in queues))


class Objection(NamedTuple):
    """Why an arrived message is not accepted."""

    reason: int
    """Reason of event Broker:Message Undeliverable."""
    to_sender: int
    """Error number sent to the sender; 0: the message is dropped silently."""
    here: int
    """Error number that ends the conversation here, if there is an endpoint."""
    values: Mapping[str, str]


class Directory:
    """The broker objects of a database, indexed by name. Names compare byte by byte."""

    __slots__ = (
        "_contracts",
        "_priorities",
        "_queues",
        "_services",
        "_types",
        "broker_instance",
        "database",
        "queue_names",
    )

    def __init__(
        self,
        database: str,
        broker_instance: str | None = None,
        services: Iterable[Service] = (),
        contracts: Iterable[Contract] = (),
        message_types: Iterable[MessageType] = (),
        priorities: Iterable[Priority] = (),
        queues: Iterable[Queue] = (),
    ) -> None:
        self.database = database
        self.broker_instance = broker_instance
        services, queues = tuple(services), tuple(queues)
        self.queue_names = queue_names(services, queues)
        self._services = {service.name: service for service in services}
        self._contracts = {c.name: {m.message_type: m.sent_by for m in c.messages} for c in contracts}
        self._contracts.setdefault(DEFAULT, {DEFAULT: ANY})
        self._contracts.setdefault(NOTICE_CONTRACT, {MISSING_ROUTE_TYPE: INITIATOR})
        self._types = {t.name: t.validation for t in message_types}
        self._types.setdefault(DEFAULT, "NONE")
        self._types.setdefault(MISSING_ROUTE_TYPE, "WELL_FORMED_XML")
        self._priorities = PriorityTable(priorities)
        self._queues = {queue.name: queue for queue in queues}

    def has_service(self, service: str) -> bool:
        return service in self._services

    def queue(self, service: str) -> str:
        """Return the queue of a service; without a configured queue it has one of its own name."""
        return self._services[service].queue or service

    def handles_poison(self, queue: str) -> bool:
        """Return True if rollbacks switch the queue off (POISON_MESSAGE_HANDLING, default ON)."""
        written = self._queues.get(queue)
        return written is None or written.poison_handling

    def retains(self, queue: str) -> bool:
        """Return True if messages stay in the queue until their conversation ends (RETENTION, default OFF)."""
        written = self._queues.get(queue)
        return written is not None and written.retention

    def validation(self, message_type: str) -> str:
        """Return the validation of a message type; NONE for system and unknown types."""
        return self._types.get(message_type, "NONE")

    def priority(self, contract: str, local: str, remote: str) -> int:
        """Return the priority of a new endpoint. Each side determines its own; it is not sent."""
        return self._priorities.level(contract, local, remote)

    def check_beginning(self, service: str, contract: str) -> None:
        """Check service and contract of BEGIN DIALOG. Raises `VerbError` if one does not exist."""
        if service not in self._services:
            raise VerbError(8423, service=service)
        if contract not in self._contracts:
            raise VerbError(8425, contract=contract)

    def check_sending(self, contract: str, message_type: str, is_initiator: bool) -> None:
        """Check a message type to send. Raises `VerbError` if the contract does not allow this side to send it."""
        sent_by = self._contracts.get(contract, {}).get(message_type)
        if sent_by in (ANY, INITIATOR if is_initiator else TARGET):
            return
        if message_type not in self._types or message_type in SYSTEM_TYPES:
            raise VerbError(8428, message_type=message_type)
        if sent_by is None:
            raise VerbError(8431, message_type=message_type)
        raise VerbError(8432 if is_initiator else 8434, message_type=message_type)

    def objection_to_first(self, service: str, contract: str, identified: bool) -> Objection | None:
        """Return why no conversation can begin here; None if it can.

        A sender that addressed this broker by identifier gets error 8490. Without identifier the message is dropped,
        since another route may lead to the service."""
        having = self._services.get(service)
        if having is None:
            return Objection(11210, 8490 if identified else 0, 0, {"service": service})
        if contract not in self._contracts:
            return Objection(11214, 8425, 0, {"contract": contract})
        accepts_any = contract == DEFAULT and not having.contracts and not is_system_service(service)
        if contract not in having.contracts and not accepts_any:
            return Objection(11214, 8408, 0, {"contract": contract, "service": service})
        return None

    def objection(self, contract: str, message_type: str, body: bytes | None, from_initiator: bool) -> Objection | None:
        """Return why an application message is not accepted; None if it is."""
        sent_by = self._contracts.get(contract, {}).get(message_type)
        if sent_by is None or not (sent_by == ANY or (sent_by == INITIATOR) == from_initiator):
            return self._breach(sent_by, message_type, from_initiator)
        validation = self._types.get(message_type)
        if validation is None:
            return Objection(11225, 8428, 8428, {"message_type": message_type})
        if validation == "NONE" or is_valid(validation, body):
            return None
        values = {"message_type": message_type}
        return Objection(8430, 8430, 8430, values) if validation == "EMPTY" else Objection(9704, 9615, 9616, values)

    def _breach(self, sent_by: str | None, message_type: str, from_initiator: bool) -> Objection:
        values = {"message_type": message_type}
        if message_type not in self._types:
            return Objection(11225, 8428, 8428, values)
        if sent_by is None:
            return Objection(11226, 8498, 8498, values)
        return Objection(11227, 8457, 8457, values) if from_initiator else Objection(11228, 8437, 8437, values)
