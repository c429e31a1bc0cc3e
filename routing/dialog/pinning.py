"""RT-PIN: the first acknowledgement pins the target of a conversation."""

from __future__ import annotations

from routing.dialog.endpoint import Endpoint

TAKEN_BY_OTHER_TARGET = 8495
"""Error for a second target that took the same conversation (RT-STICKY): its endpoint ends as an orphan."""


def is_other_peer(endpoint: Endpoint, broker_instance: str | None) -> bool:
    """Return True if a message or acknowledgement comes from another database than the endpoint's peer.

    False while the initiator has no pinned peer, and for a sender that gives no broker identifier.
    """
    known = endpoint.far_broker_instance
    return broker_instance is not None and known is not None and broker_instance != known


def is_from_known_peer(endpoint: Endpoint, broker_instance: str | None) -> bool:
    """Return False for messages to an initiator that has not pinned its target yet.

    Several targets may have accepted the conversation, and their messages must not be mixed."""
    return endpoint.far_broker_instance is not None or broker_instance is None or not endpoint.is_initiator


def pin(endpoint: Endpoint, broker_instance: str | None) -> bool:
    """Pin the sender of an acknowledgement as peer of a writable endpoint. False: another peer is pinned (8495)."""
    if is_other_peer(endpoint, broker_instance):
        return False
    endpoint.far_broker_instance = endpoint.far_broker_instance or broker_instance
    return True
