"""The objects of Database Mail and of SQL Server's own policies, which every msdb has."""

from __future__ import annotations

from routing.common.names import MSDB

_NAMES = frozenset(
    (
        "dbo.externalmailqueue",
        "dbo.internalmailqueue",
        "dbo.syspolicy_event_queue",
        "externalmailservice",
        "internalmailservice",
        "syspolicy_event_listener",
        "//www.microsoft.com/databasemail/contracts/sendmail/v1.0",
        "{//www.microsoft.com/databasemail/messages}sendmail",
        "{//www.microsoft.com/databasemail/messages}sendmailstatus",
    )
)


def is_shipped(database: str, name: str) -> bool:
    """True for an object that SQL Server itself makes in this database."""
    return database == MSDB and name.casefold() in _NAMES
