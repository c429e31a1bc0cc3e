"""Frames that arrive at an instance: parsed, and reported as broker events."""

from __future__ import annotations

from collections.abc import Iterable
from operator import attrgetter
from typing import Final

from routing.adjacent.errors import RemoteProtocolError
from routing.adjacent.fragment import INITIATOR, Fragment, read_fragment
from routing.adjacent.roles import RoleMessage, is_role, read_role
from routing.common.broker_events import MessageClassify
from routing.common.event_subclasses import ClassifySubclass, UndeliverableSubclass
from routing.common.identifier import identifier_of
from routing.common.network_events import MessageUndeliverable
from routing.dialog.endpoint import ConversationKey
from routing.dialog.unit_of_work import UnitOfWork
from routing.rules.decision import Deliver

_PLACE: Final = attrgetter("header.sequence", "header.fragment")


class InboundFrames:
    """Received frames, parsed: fragments, role messages, and errors of damaged frames."""

    def __init__(self, frames: Iterable[bytes]) -> None:
        self.fragments: list[Fragment] = []
        self.role_messages: list[RoleMessage] = []
        self.damaged: list[RemoteProtocolError] = []
        for raw in frames:
            try:
                if is_role(raw):
                    self.role_messages.append(read_role(raw))
                else:
                    self.fragments.append(read_fragment(raw))
            except RemoteProtocolError as corrupted:
                self.damaged.append(corrupted)

    def conversations(self) -> tuple[ConversationKey, ...]:
        """The endpoints to which the fragments are addressed."""
        return tuple(dict.fromkeys([addressed_endpoint(fragment) for fragment in self.fragments]))

    def in_order(self) -> list[Fragment]:
        """Sorted by sequence, so that fragments reordered within this batch need not be buffered."""
        return sorted(self.fragments, key=_PLACE)


def addressed_endpoint(fragment: Fragment) -> ConversationKey:
    """Return the key of the endpoint that a fragment is addressed to."""
    header = fragment.header
    return identifier_of(header.conversation_id), not header.flags & INITIATOR


def report_classified(work: UnitOfWork, fragment: Fragment, decision: Deliver) -> None:
    """Report Message Classify once per message, with its first fragment."""
    header = fragment.header
    if header.fragment == 0 and header.is_sequenced:
        names = header.names
        work.changes.events.append(
            # Positional: keywords would triple the cost of this call, once per message.
            MessageClassify(
                ClassifySubclass.LOCAL,
                decision.database,
                identifier_of(header.conversation_id),
                names.to_service,
                names.to_broker_instance,
                "",
                True,
                0,
                names.from_service,
                header.is_initiator,
                decision.route,
            )
        )


def report_no_target(work: UnitOfWork, fragment: Fragment, reason: int) -> None:
    """Report that routing drops the message; its sender retransmits it."""
    header = fragment.header
    kind = UndeliverableSubclass.SEQUENCED_MESSAGE if header.is_sequenced else UndeliverableSubclass.UNSEQUENCED_MESSAGE
    conversation = identifier_of(header.conversation_id)
    work.changes.events.append(MessageUndeliverable(kind, "", conversation, header.sequence, -1, reason))
