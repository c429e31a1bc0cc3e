"""RT-PIN: the first acknowledgement says who the target is; nobody else can become it."""

from __future__ import annotations

from routing.dialog.endpoint import Endpoint

TAKEN_BY_OTHER_TARGET = 8495
"""What another target is told that took the conversation too (RT-STICKY): it ends, and its work is an orphan."""


def is_other_peer(endpoint: Endpoint, broker_instance: str | None) -> bool:
    """Whether a message or acknowledgement for an endpoint comes from another database than its peer's.

    An initiator that gave no identifier has no peer yet. A peer that does not say who it is cannot be told apart.
    """
    known = endpoint.far_broker_instance
    return broker_instance is not None and known is not None and broker_instance != known


def is_from_known_peer(endpoint: Endpoint, broker_instance: str | None) -> bool:
    """Whether a message is of the peer of an endpoint. Whose it is before the first acknowledgement, nobody can say:
    several targets may have taken the conversation, and their messages must not be mixed."""
    return endpoint.far_broker_instance is not None or broker_instance is None or not endpoint.is_initiator


def pin(endpoint: Endpoint, broker_instance: str | None) -> bool:
    """The sender of an acknowledgement becomes the peer of an own endpoint for good; False: it is another (8495)."""
    if is_other_peer(endpoint, broker_instance):
        return False
    endpoint.far_broker_instance = endpoint.far_broker_instance or broker_instance
    return True
