"""Names of queues as users write them: without a schema they are of `dbo`, as in T-SQL."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from brokerui.estate.selectors import estate_current
from brokerui.messaging.broker_cache import known_estate, queue_names
from brokerui.messaging.queue_address import QueueAddress
from routing.common.names import without_brackets
from routing.model.estate import Estate

DBO: Final = "dbo."
_QUOTED = re.compile(r"\[((?:[^\]]|\]\])+)\]")


def queue_named(instance: str, database: str, name: str) -> QueueAddress:
    """Return the address of the queue with this name, which may be quoted as T-SQL does. A name without a schema is
    that of a queue of `dbo`, unless the estate has a queue of exactly this name. Whether the queue is there is not
    checked."""
    return _address(instance, database, name, lambda: estate_current().estate)


def known_queue(instance: str, database: str, name: str) -> QueueAddress:
    """Return the same by the estate that the broker works by, without asking whether it is still the live one: for a
    caller that receives only where it is."""
    return _address(instance, database, name, lambda: known_estate(instance))


def _address(instance: str, database: str, name: str, estate: Callable[[], Estate]) -> QueueAddress:
    quoted = _QUOTED.fullmatch(name)
    queue = quoted[1].replace("]]", "]") if quoted is not None else without_brackets(name, database)
    names = set() if "." in queue else _names(estate(), instance, database)
    is_of_dbo = queue not in names and f"{DBO}{queue}" in names
    return QueueAddress(instance, database, f"{DBO}{queue}" if is_of_dbo else queue)


def _names(estate: Estate, instance: str, database: str) -> set[str]:
    """The names of all queues; none for an instance or a database that is not here."""
    there = estate.instances.get(instance)
    here = there.databases.get(database) if there is not None else None
    return queue_names(here) if here is not None else set()
