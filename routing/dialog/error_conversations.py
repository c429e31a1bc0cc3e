"""ALTER DATABASE … SET ERROR_BROKER_CONVERSATIONS: the conversations of a database end with an error on both sides.

The application here receives -9719, as a message in its queue, and the peer -9720 at once. An error of the broker is
sent once (DLG-UNSEQ): a peer that it does not reach receives -8462 when it sends the next message.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from routing.common.event_subclasses import ConversationSubclass
from routing.dialog.control_messages import send_error
from routing.dialog.endpoint import Endpoint
from routing.dialog.error_message import broker_error
from routing.dialog.fragment_writer import guard_for
from routing.dialog.inbound_message import fail_endpoint
from routing.dialog.states import CO, RESTORED, SI, SO
from routing.dialog.unit_of_work import UnitOfWork

HERE_RESTORED: Final = 9719
PEER_RESTORED: Final = 9720
ERRED_STATES: Final = (SO, SI, CO)
"""States of conversations that end with the error. In all others one side has ended already, or has had an error."""


def error_conversations(work: UnitOfWork, handles: Iterable[str]) -> None:
    """End claimed conversations with an error. All are of the database."""
    failed = []
    for handle in handles:
        seen = work.require(handle)
        if seen.state in ERRED_STATES:
            is_known_to_peer = not seen.is_initiator or seen.transmitted > 0
            endpoint = work.for_update(seen)
            fail_endpoint(work, endpoint, RESTORED, broker_error(HERE_RESTORED))
            work.report(ConversationSubclass.BROKER_INITIATED_ERROR, endpoint)
            failed += [endpoint] if is_known_to_peer else []
    for endpoint in failed:  # afterwards: if both sides are in this database, both receive the same
        _tell_peer(work, endpoint)


def _tell_peer(work: UnitOfWork, endpoint: Endpoint) -> None:
    send_error(work, endpoint, broker_error(PEER_RESTORED), guard_for(work, endpoint))
