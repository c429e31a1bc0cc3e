"""Names and their maximum lengths in SQL Server's columns. Names compare byte by byte: case counts."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from routing.common.errors import Invalid
from routing.common.sentence import say

SYSNAME_CHARS = 128
"""Characters of a sysname: names of routes, databases, queues, contracts."""
SERVICE_NAME_CHARS = 256
"""Characters of sys.routes.remote_service_name and sys.transmission_queue.to_service_name, nvarchar(256)."""

_BRACKETED = re.compile(r"(?:\[((?:[^\]]|\]\])+)\]\.)?\[((?:[^\]]|\]\])+)\]\.\[((?:[^\]]|\]\])+)\]")
MSDB = "msdb"
"""The database of every instance whose routes decide for messages from outside (RT-TABLE)."""
DYNAMIC_ROUTING_SERVICE = "SQL/ServiceBroker/BrokerConfiguration"
"""MATCH-4: the dynamic routing service, asked for a missing route."""
SYSTEM_PREFIX = "http://schemas.microsoft.com/SQL/"
"""How the names of the services, contracts and message types begin that SQL Server itself creates."""
EVENT_NOTIFICATION_SERVICE = f"{SYSTEM_PREFIX}Notifications/EventNotificationService"
"""Begins the conversations of event notifications, in msdb for those on the server."""
QUERY_NOTIFICATION_SERVICE = f"{SYSTEM_PREFIX}Notifications/QueryNotificationService"
"""Begins the conversations of query notifications (SqlDependency), in the database of the query."""
SYSTEM_SERVICES = (
    f"{SYSTEM_PREFIX}ServiceBroker/ServiceBroker",
    QUERY_NOTIFICATION_SERVICE,
    EVENT_NOTIFICATION_SERVICE,
)
"""The services that SQL Server creates in every database."""
NOTIFICATION_CONTRACTS = {
    f"{SYSTEM_PREFIX}Notifications/PostEventNotification": EVENT_NOTIFICATION_SERVICE,
    f"{SYSTEM_PREFIX}Notifications/PostQueryNotification": QUERY_NOTIFICATION_SERVICE,
}
"""By contract that a service accepts: the system service that begins conversations of this contract."""


def check_name(name: str, field: str, limit: int = SYSNAME_CHARS) -> None:
    """Raise `Invalid` for a name that SQL Server's column could not hold."""
    if not name:
        raise Invalid(field, say("must not be empty"))
    if len(name) > limit:
        raise Invalid(field, say("is longer than {limit} characters", limit=limit))
    if not name.isprintable() and any(c == "\0" or "\ud800" <= c <= "\udfff" for c in name):
        raise Invalid(field, say("holds a NUL or half a surrogate pair"))


def without_brackets(name: str, database: str | None = None) -> str:
    """`schema.queue`, where a name is written as T-SQL quotes it: `[schema].[queue]`, also with its database before it;
    that one is left out where it is `database`. Any other name as it is."""
    found = _BRACKETED.fullmatch(name)
    if found is None:
        return name
    parts = [part.replace("]]", "]") for part in found.groups() if part is not None]
    return ".".join(parts[1:] if len(parts) > 2 and parts[0] == database else parts)


def is_system_service(name: str) -> bool:
    """True for the name of a service that SQL Server itself creates."""
    return name.startswith(SYSTEM_PREFIX)


def check_unique(names: Iterable[str], field: str) -> None:
    """Raise `Invalid` at the second of two equal names."""
    seen: set[str] = set()
    for index, name in enumerate(names):
        if name in seen:
            raise Invalid(f"{field}[{index}].name", say('stands twice: "{name}"', name=name))
        seen.add(name)


def folded(name: str) -> str:
    """Fold case and outer spaces. Names with the same folded form are different names that are easily confused."""
    return name.strip().casefold()


def spelt_as_known(name: str, known: Collection[str]) -> str:
    """Return the known spelling of a name: names of instances compare without case. As it is where it is known so,
    where no known name is alike, or several are."""
    if name in known:
        return name
    alike = [one for one in known if one.casefold() == name.casefold()]
    return alike[0] if len(alike) == 1 else name
