"""The page of connections: every one that the endpoint has, as it shows them itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter
from typing import Any, Final

from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from redis import RedisError

from brokerui.analysis.monitoring.duplicates import Duplicates, duplicates_by_database
from brokerui.core.csv import MomentColumn
from brokerui.messaging.clock import now
from brokerui.messaging.exchange.lists import connections
from brokerui.messaging.exchange.messages import ConnectionRow
from brokerui.messaging.exchange.outbox import redis
from brokerui.messaging.exchange.unreachable import UnreachableAddress, unreachable_from_all
from brokerui.pages.delayed.groups import where_of
from brokerui.pages.shell.columns import Column, Table

MOST: Final = 500
TABLE: Final[Table[ConnectionRow]] = Table(
    Column("instance", _("Instance"), lambda row: row.instance, is_head=True, files=("instance",)),
    Column("peer", _("Peer"), lambda row: row.peer or None, files=("peer",)),
    Column("address", _("Address"), lambda row: row.address, files=("address",)),
    Column("opened", _("Opened by"), lambda row: row.is_accept, files=("is_accept",)),
    Column("state", _("State"), lambda row: row.state_desc, files=("state", "state_desc")),
    Column(
        "encryption",
        _("Encryption"),
        lambda row: row.encryption_algorithm_desc,
        files=("encryption_algorithm", "encryption_algorithm_desc"),
    ),
    Column("principal", _("Principal"), lambda row: row.principal_name, is_usual=False, files=("principal_name",)),
    *(
        Column(name, label, by, is_number=True, is_usual=name.startswith("bytes"), files=(f"total_{name}",))
        for name, label, by in (
            ("fragments_sent", _("Fragments sent"), attrgetter("total_fragments_sent")),
            ("fragments_received", _("Fragments received"), attrgetter("total_fragments_received")),
            ("bytes_sent", _("Bytes sent"), attrgetter("total_bytes_sent")),
            ("bytes_received", _("Bytes received"), attrgetter("total_bytes_received")),
        )
    ),
    Column("since", _("Since"), lambda row: row.connect_time, files=("connect_time", "login_time")),
    Column("last", _("Last used"), lambda row: row.last_activity_time, is_usual=False, files=("last_activity_time",)),
)
ONLINE: Final = "LOGGED_IN"


@dataclass(frozen=True, slots=True)
class ConnectionOnPage:
    """A connection as the page has it."""

    row: ConnectionRow
    since: datetime
    last: datetime

    @property
    def is_online(self) -> bool:
        return self.row.state_desc == ONLINE


def of_redis(hosted: Sequence[str]) -> object:
    """Everything that the page has of Redis. Raises `RedisError`."""
    return connections(redis()), unreachable_from_all(hosted)


def page_context(query: Mapping[str, str], hosted: Sequence[str]) -> dict[str, Any]:
    """For the templates. `found` is None where Redis, in which they stand, is away."""
    found = _found()
    word = query.get("q", "").strip()
    table = TABLE.read(query)
    shown = [_shown(row) for row in table.ordered(row for row in found or () if _fits(row, word))]
    failures = _failures(hosted)
    return {
        "q": word,
        "table": table,
        "found": None if found is None else shown[:MOST],
        "more": max(0, len(shown) - MOST),
        "all": len(found or ()),
        "failures": failures,
        "duplicates": _duplicates(),
        "headline": headline(found, failures),
        "tone": "bad" if found is None else "warn" if failures else "good",
    }


def _found() -> list[ConnectionRow] | None:
    try:
        return connections(redis())
    except (RedisError, OSError):
        return None


def _fits(row: ConnectionRow, word: str) -> bool:
    """Where the word stands in a name or an address."""
    return not word or word.casefold() in " ".join((row.instance, row.peer, row.address)).casefold()


def _shown(row: ConnectionRow) -> ConnectionOnPage:
    return ConnectionOnPage(
        row, datetime.fromisoformat(row.connect_time), datetime.fromisoformat(row.last_activity_time)
    )


def _failures(hosted: Sequence[str]) -> list[tuple[str, str, UnreachableAddress]]:
    """Addresses that cannot be reached, as the last attempt found."""
    return [
        (instance, address, failure)
        for instance, found in unreachable_from_all(hosted).items()
        for address, failure in sorted(found.items())
    ]


def _duplicates() -> list[tuple[Duplicates, str]]:
    """Messages that came again, with the page that explains the way of their acknowledgements; empty: none is known."""
    found = duplicates_by_database(now())
    return [(one, where_of(one.instance, one.example) if one.example is not None else "") for one in found]


def headline(found: list[ConnectionRow] | None, failures: list[tuple[str, str, UnreachableAddress]]) -> str:
    """The answer in one sentence."""
    if found is None:
        return gettext("The open connections are not known: Redis does not answer.")
    number = len(found)
    text = ngettext("%(n)s connection is open", "%(n)s connections are open", number) % {"n": f"{number:,}"}
    if not failures:
        return f"{text}."
    away = ngettext("%(n)s address cannot be reached", "%(n)s addresses cannot be reached", len(failures))
    return f"{text}; {away % {'n': len(failures)}}."


# -- Files -------------------------------------------------------------------------------------------------

MOMENTS: Final = ("connect_time", "last_activity_time")
COLUMNS: Final = tuple(MomentColumn(name) if name in MOMENTS else name for name in ConnectionRow._fields)


def as_rows(query: Mapping[str, str]) -> Iterator[tuple[Any, ...]]:
    """All of them, in the order of the page."""
    return map(_cells, TABLE.read(query).ordered(_found() or ()))


def _cells(row: ConnectionRow) -> tuple[Any, ...]:
    return tuple(datetime.fromisoformat(value) if name in MOMENTS else value for name, value in row._asdict().items())
