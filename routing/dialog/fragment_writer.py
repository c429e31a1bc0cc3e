"""Write the fragments of one endpoint: header, acknowledgement ranges, protection."""

from __future__ import annotations

from routing.adjacent.fragment import (
    BEGUN,
    END,
    ERROR,
    INITIATOR,
    UNSEQUENCED,
    AckRange,
    Header,
    write_fragment,
)
from routing.adjacent.fragment_names import FragmentNames
from routing.adjacent.guard import BytesLike, FragmentGuard
from routing.adjacent.limits import MAX_TIME_MS
from routing.common.identifier import identifier_bytes
from routing.dialog.broker_context import (
    Destination,
    OutboundFrame,
)
from routing.dialog.endpoint import Endpoint
from routing.dialog.messages import OutboundMessage
from routing.dialog.system_names import ERROR_TYPE
from routing.dialog.unit_of_work import UnitOfWork
from routing.security.instance_security import DialogProtection
from routing.security.policy import Undeliverable

AckRanges = tuple[AckRange, ...]


def guard_for(work: UnitOfWork, endpoint: Endpoint) -> FragmentGuard | None:
    """Return the guard for a writable endpoint's fragments; None if its database lacks the binding or keys (9727).

    A dialog keeps the protection of its first fragment.
    """
    security = work.context.security
    if endpoint.integrity == 0:
        protection = security.protection(endpoint.database, endpoint.far_service, endpoint.encryption)
        if protection is None:
            return None
        endpoint.integrity, endpoint.key_id = protection
    protection = DialogProtection(endpoint.integrity, endpoint.key_id)
    conversation = identifier_bytes(endpoint.conversation_id)
    try:
        return security.guard(endpoint.database, protection, conversation, endpoint.is_initiator)
    except Undeliverable:
        return None  # the keys were removed after it began


def side_id(conversation: bytes, is_initiator: bool) -> int:
    """Return the number of an endpoint: that of its conversation, and another one for each side."""
    return int.from_bytes(conversation, "big") ^ is_initiator


def message_id(conversation: bytes, side: int, sequence: int) -> bytes:
    """Return a GUID that is the same for every retransmission of a message and differs between messages."""
    number = side ^ sequence << 1
    return number.to_bytes(16, "big") if number else conversation


def time_left(lifetime: int, now_ms: int) -> int:
    """Return for how many milliseconds a fragment may be on its way: until its conversation has expired."""
    return max(1, min(lifetime - now_ms, MAX_TIME_MS))


class FragmentWriter:
    """Writes fragments of one endpoint for its next hop, at one point in time."""

    __slots__ = ("_conversation", "_destination", "_flags", "_guard", "_id", "_life", "_side", "_work", "_written")

    def __init__(self, work: UnitOfWork, side: Endpoint, destination: Destination, guard: FragmentGuard) -> None:
        self._work = work
        self._side = side
        self._destination = destination
        self._guard = guard
        self._conversation = identifier_bytes(side.conversation_id)
        self._id = side_id(self._conversation, side.is_initiator)
        self._life = time_left(side.lifetime, work.now_ms)
        self._flags = 0
        if side.is_initiator:
            self._flags = INITIATOR | (BEGUN if side.acknowledged_sequence else 0)
        self._written: dict[str, FragmentNames] = {}

    def sequenced(
        self, message: OutboundMessage, body: BytesLike, fragment: int, fragments: int, received: AckRanges = ()
    ) -> None:
        """Write one fragment of a message from the transmission queue."""
        number = message.message_sequence_number
        flags = self._flags | (message.is_end_of_dialog and END) | (message.is_conversation_error and ERROR)
        names = self._names(message.message_type_name)
        identifier = message_id(self._conversation, self._id, number)
        self._send(identifier, names, flags, number, fragment, fragments, received, body)

    def acknowledgement(self, received: AckRanges) -> None:
        """Write a standalone acknowledgement (ACK-1)."""
        flags = self._flags | UNSEQUENCED
        self._send(self._new_id(), self._names(""), flags, received=received, receiver=self._id)

    def error(self, body: bytes) -> None:
        """Write an error of this broker (DLG-UNSEQ)."""
        flags = self._flags | UNSEQUENCED | ERROR
        self._send(self._new_id(), self._names(ERROR_TYPE), flags, body=body)

    def _send(
        self,
        message_id: bytes,
        names: FragmentNames,
        flags: int,
        sequence: int = 0,
        fragment: int = 0,
        fragments: int = 1,
        received: AckRanges = (),
        body: BytesLike = b"",
        receiver: int | None = None,
    ) -> None:
        # Positional: keywords would triple the cost of this call, once per message.
        header = Header(
            self._conversation,
            message_id,
            names,
            flags,
            sequence,
            self._life,
            self._destination.hops,
            fragment,
            fragments,
            received,
        )
        self._work.outbound.append(
            OutboundFrame(self._destination.address, write_fragment(header, body, self._guard), receiver)
        )

    def _names(self, message_type: str) -> FragmentNames:
        found = self._written.get(message_type)
        if found is None:
            side = self._side
            own = self._work.context.directory(side.database).broker_instance
            contract = side.service_contract_name
            found = FragmentNames(
                side.far_service, side.service_name, contract, message_type, side.far_broker_instance, own
            )
            self._written[message_type] = found
        return found

    def _new_id(self) -> bytes:
        return identifier_bytes(self._work.choices.identifier())
