"""Names of queues as users write them: without a schema they are of `dbo`, as in T-SQL."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from brokerui.messaging.broker_cache import known_queue_names, live_queue_names
from brokerui.messaging.queue_address import QueueAddress
from routing.common.names import without_brackets

DBO: Final = "dbo."
_QUOTED = re.compile(r"\[((?:[^\]]|\]\])+)\]")


def queue_named(instance: str, database: str, name: str) -> QueueAddress:
    """Return the address of the queue with this name, which may be quoted as T-SQL does. A name without a schema is
    that of a queue of `dbo`, unless the estate has a queue of exactly this name. Whether the queue is there is not
    checked."""
    return _address(instance, database, name, live_queue_names)


def known_queue(instance: str, database: str, name: str) -> QueueAddress:
    """Return the same by the estate that the broker works by, without asking whether it is still the live one: for a
    caller that receives only where it is."""
    return _address(instance, database, name, known_queue_names)


def _address(instance: str, database: str, name: str, names_of: Callable[[str, str], frozenset[str]]) -> QueueAddress:
    quoted = _QUOTED.fullmatch(name)
    queue = quoted[1].replace("]]", "]") if quoted is not None else without_brackets(name, database)
    names = frozenset() if "." in queue else names_of(instance, database)
    is_of_dbo = queue not in names and f"{DBO}{queue}" in names
    return QueueAddress(instance, database, f"{DBO}{queue}" if is_of_dbo else queue)
