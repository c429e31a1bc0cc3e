"""All keys that the product keeps in Redis, with the type that each has.

A Redis may be shared, and somebody else's program may write to one of them. Whatever is there in another form is put
aside (`redis_aside`).
"""

from __future__ import annotations

from typing import Final, NamedTuple

STRING: Final = "string"
LIST: Final = "list"
HASH: Final = "hash"
SET: Final = "set"
SORTED_SET: Final = "zset"

PULSE: Final = "brokerui:pulse"
PULSE_SINCE: Final = "brokerui:pulse:since"
PULSE_OF_PIPELINE: Final = "brokerui:pulse:pipeline"
COUNT: Final = "brokerui:count:"
BELL: Final = "brokerui:bell:"
PENDING: Final = "brokerui:pending:"
REQUESTED: Final = "brokerui:requested:"
UNREACHABLE: Final = "brokerui:unreachable:"
DRAFT_READERS: Final = "brokerui:draft:"
"""The users who look at a draft, by its number."""
CONDITIONS: Final = "brokerui:conditions"
FORWARDED: Final = "brokerui:forwarded"
READERS: Final = "brokerui:readers:"
MONITOR: Final = "brokerui:monitor:"
ENDPOINT: Final = "brokerui:endpoint:"
ASIDE: Final = "brokerui:aside:"
"""Begins the keys of foreign data that was put aside; the key that held it follows."""
QUICK_QUEUES: Final = ("transmit", "receive", "maintenance", "activation")
"""Queues of Celery that a worker serves unless it is told which."""
CELERY_QUEUES: Final = (*QUICK_QUEUES, "pipeline")
SEPARATOR: Final = "\x06\x16"
"""Stands in keys of Celery between the name of a queue and a priority, and in its tables between names."""


class KeyForm(NamedTuple):
    """The form of a key's value."""

    type: str
    """As the command TYPE names it."""
    has_numbers: bool = False
    """Whether the value, or each value of a hash, is a whole number."""
    has_end: bool = False
    """Whether the key always expires: without that a state that nobody ends would hold for ever."""


EXACT: Final = {
    PULSE: KeyForm(STRING),
    PULSE_SINCE: KeyForm(STRING, has_end=True),
    PULSE_OF_PIPELINE: KeyForm(STRING, has_end=True),
    CONDITIONS: KeyForm(SET),
    FORWARDED: KeyForm(HASH),
    f"{ENDPOINT}bytes": KeyForm(HASH, has_numbers=True),
    f"{ENDPOINT}wanted": KeyForm(LIST),
    f"{ENDPOINT}notices": KeyForm(LIST),
    f"{ENDPOINT}events": KeyForm(LIST),
    f"{ENDPOINT}connections": KeyForm(HASH),
    # Those of Celery: its queues, and what workers have taken from them and not finished.
    **{name: KeyForm(LIST) for name in CELERY_QUEUES},
    "unacked": KeyForm(HASH),
    "unacked_index": KeyForm(SORTED_SET),
    "unacked_mutex": KeyForm(STRING, has_end=True),
    "_kombu.binding_deadlines": KeyForm(SORTED_SET),
}
BY_PREFIX: Final = {
    COUNT: KeyForm(STRING, has_numbers=True, has_end=True),
    BELL: KeyForm(LIST),
    PENDING: KeyForm(STRING, has_end=True),
    REQUESTED: KeyForm(LIST),
    UNREACHABLE: KeyForm(HASH),
    READERS: KeyForm(SORTED_SET),
    DRAFT_READERS: KeyForm(SORTED_SET, has_end=True),
    MONITOR: KeyForm(HASH),
    f"{ENDPOINT}arrived:": KeyForm(LIST),
    f"{ENDPOINT}outgoing:": KeyForm(LIST),
    f"{ENDPOINT}peers:": KeyForm(HASH, has_numbers=True),
    f"{ENDPOINT}worker:": KeyForm(STRING, has_end=True),
    "_kombu.binding.": KeyForm(SET),
    "_kombu.binding_permanent.": KeyForm(SET),
    **{f"{name}{SEPARATOR}": KeyForm(LIST) for name in CELERY_QUEUES},
}


def form_of(key: str) -> KeyForm | None:
    """Return the form that a key has; None: it is no key of the product."""
    if key in EXACT:
        return EXACT[key]
    return next((form for prefix, form in BY_PREFIX.items() if key.startswith(prefix)), None)
