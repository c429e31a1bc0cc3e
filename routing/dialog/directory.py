"""What a database knows of services, contracts and message types, and what it refuses by them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from routing.dialog.priority import PriorityTable
from routing.dialog.problems import VerbError
from routing.dialog.system_names import DEFAULT, MISSING_ROUTE_TYPE, NOTICE_CONTRACT, SYSTEM_TYPES
from routing.dialog.validation import is_valid
from routing.model.catalog_objects import Contract, MessageType, Priority, Queue, Service

INITIATOR, TARGET, ANY = "INITIATOR", "TARGET", "ANY"


class Objection(NamedTuple):
    """Why a message that arrived is not taken."""

    reason: int
    """Of the event Message Undeliverable."""
    to_sender: int
    """The number of the error that the sender gets; 0: none, it is dropped."""
    here: int
    """The number of the error that ends the conversation here, where there is an endpoint."""
    values: Mapping[str, str]


class Directory:
    """A database, indexed for messages. Names compare byte by byte."""

    __slots__ = ("_contracts", "_priorities", "_queues", "_services", "_types", "broker_instance", "database")

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
        """The queue of a service of this database; one whose queue nobody named has its own, of its name."""
        return self._services[service].queue or service

    def handles_poison(self, queue: str) -> bool:
        """Whether rollbacks switch a queue off; they do, unless it is written otherwise."""
        written = self._queues.get(queue)
        return written is None or written.poison_handling

    def validation(self, message_type: str) -> str:
        """What bodies of a type must be; system messages and what is not known are not looked at."""
        return self._types.get(message_type, "NONE")

    def priority(self, contract: str, local: str, remote: str) -> int:
        """Of a new endpoint: each side finds its own, and it never travels."""
        return self._priorities.level(contract, local, remote)

    def check_beginning(self, service: str, contract: str) -> None:
        """Raises `Refused` where BEGIN DIALOG names what is not here."""
        if service not in self._services:
            raise VerbError(8423, service=service)
        if contract not in self._contracts:
            raise VerbError(8425, contract=contract)

    def check_sending(self, contract: str, message_type: str, is_initiator: bool) -> None:
        """Raises `Refused` where the contract does not let this side send such a message."""
        sent_by = self._contracts.get(contract, {}).get(message_type)
        if sent_by in (ANY, INITIATOR if is_initiator else TARGET):
            return
        if message_type not in self._types or message_type in SYSTEM_TYPES:
            raise VerbError(8428, message_type=message_type)
        if sent_by is None:
            raise VerbError(8431, message_type=message_type)
        raise VerbError(8432 if is_initiator else 8434, message_type=message_type)

    def objection_to_first(self, service: str, contract: str, identified: bool) -> Objection | None:
        """Why no conversation can begin here. With an identifier the service was meant to be here: its sender is
        told (8490); without one the message is dropped, since another route may lead to the service."""
        having = self._services.get(service)
        if having is None:
            return Objection(11210, 8490 if identified else 0, 0, {"service": service})
        if contract not in self._contracts:
            return Objection(11214, 8425, 0, {"contract": contract})
        if contract not in having.contracts and not (contract == DEFAULT and not having.contracts):
            return Objection(11214, 8408, 0, {"contract": contract, "service": service})
        return None

    def objection(self, contract: str, message_type: str, body: bytes | None, from_initiator: bool) -> Objection | None:
        """Why a message of the application's is not taken; None: it is."""
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
