"""Names of subclasses of events, as SQL Server's traces have them."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Final

from routing.common.event_subclasses import (
    ActivationSubclass,
    AuditSubclass,
    ConnectionSubclass,
    ConversationSubclass,
    LoginSubclass,
    MirroredRouteSubclass,
    UndeliverableSubclass,
)

SUBCLASSES: Final[Mapping[int, type[IntEnum]]] = {
    124: ConversationSubclass,
    138: ConnectionSubclass,
    144: MirroredRouteSubclass,
    158: AuditSubclass,
    159: LoginSubclass,
    160: UndeliverableSubclass,
    163: ActivationSubclass,
}
"""Of the classes with exceptional events that have any."""
AS_WRITTEN: Final = {
    "End Conversation": "END CONVERSATION",
    "CONVERSATION With Error": "CONVERSATION WITH ERROR",
    "With Cleanup": "WITH CLEANUP",
    " Io ": " IO ",
    " To ": " to ",
}
"""Words that the product does not write with one capital, in the order in which they are replaced."""


def subclass_name(event_class: int, subclass: int) -> str:
    """Return the product's name of a subclass; empty where the event has none, its number where it is not known."""
    if not subclass:
        return ""
    kind = SUBCLASSES.get(event_class)
    if kind is None or subclass not in set(kind):
        return str(subclass)
    name = kind(subclass).name.replace("_", " ").title()
    for words, written in AS_WRITTEN.items():
        name = name.replace(words, written)
    return name
