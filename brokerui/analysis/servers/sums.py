"""Sums of one collection of a real server: by database, with the errors of its log. Pure values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from routing.catalog.broker_log import BrokerEvent
from routing.catalog.building import Refused
from routing.catalog.collecting import collected_of
from routing.catalog.snapshot import CatalogSnapshot, Rows
from routing.common.errors import Invalid
from routing.common.sentence import Sentence, say
from routing.model.collected import CollectedTransmissions
from routing.model.endpoint_groups import EndpointGroup

MAX_GROUPS: Final = 4_000
"""Groups of endpoints of one database that are kept, the largest; `collect-sql` has as many."""
_LIVE: Final = frozenset(("transmission_queue", "conversation_endpoints", "service_queues"))


@dataclass(frozen=True, slots=True)
class QueueState:
    """Whether a queue takes and gives messages."""

    name: str
    """`schema.name`."""
    is_receive_enabled: bool
    is_enqueue_enabled: bool

    @property
    def is_on(self) -> bool:
        return self.is_receive_enabled and self.is_enqueue_enabled


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseSums:
    """One database; None: that was not collected."""

    name: str
    broker_enabled: bool | None = None
    transmissions: CollectedTransmissions | None = None
    endpoints: tuple[EndpointGroup, ...] | None = None
    endpoints_left_out: int = 0
    """Endpoints that are in none of the groups, because there were too many of them; an estimate."""
    queues: tuple[QueueState, ...] | None = None

    @property
    def messages(self) -> int | None:
        """Messages that waited; None: not collected."""
        queue = self.transmissions
        return None if queue is None else queue.messages + queue.left_out

    @property
    def is_empty(self) -> bool:
        """Whether nothing was there, as in most databases of the system."""
        return not (self.messages or self.endpoints or self.queues)

    @property
    def states(self) -> dict[str, int] | None:
        """Endpoints by state; None: not collected."""
        if self.endpoints is None:
            return None
        found: dict[str, int] = {}
        for one in self.endpoints:
            found[one.state] = found.get(one.state, 0) + one.endpoints
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSums:
    """One server."""

    server: str
    at: datetime
    databases: tuple[DatabaseSums, ...] = ()
    events: tuple[BrokerEvent, ...] | None = None
    """Errors of Service Broker by number and text; None: no log was given."""
    product_version: str = ""


def _ignored(part: str, name: str | None, problem: Sentence) -> None:
    """An import reports rows that cannot be itself."""


def sums_of_snapshot(
    server: str, snapshot: CatalogSnapshot, at: datetime, refused: Refused = _ignored
) -> ServerSums | None:
    """The sums of a catalog or a grid; None if it says nothing about messages, conversations or queues.

    `at` is the moment where the snapshot has none of its own; one of the future is taken for it too. `refused` hears of
    rows that cannot be.
    """
    names = [name for name, parts in snapshot.parts.items() if _LIVE & parts.keys()]
    if not names:
        return None
    moment = min(snapshot.collected_at or at, at)
    enabled = {row["name"]: row.get("is_broker_enabled") for row in snapshot.databases or ()}
    databases = (_database(name, snapshot, enabled.get(name), moment, refused) for name in names)
    return ServerSums(
        server=server,
        at=moment,
        databases=tuple(one for one in databases if snapshot.databases is None or not one.is_empty),
        product_version=snapshot.server.get("product_version") or "",
    )


def _database(
    name: str, snapshot: CatalogSnapshot, enabled: bool | None, at: datetime, refused: Refused
) -> DatabaseSums:
    parts = snapshot.parts[name]
    collected = collected_of(parts, at, refused)
    endpoints = parts.get("conversation_endpoints")
    groups = None if endpoints is None else _groups(endpoints, refused)
    kept = groups[:MAX_GROUPS] if groups is not None else None
    queues = parts.get("service_queues")
    return DatabaseSums(
        name=name,
        broker_enabled=enabled,
        transmissions=collected.get("transmission_queue"),
        endpoints=kept,
        endpoints_left_out=_left_out(parts.get("totals", ()), kept),
        queues=None if queues is None else tuple(_queues(queues)),
    )


def _left_out(totals: Rows, groups: tuple[EndpointGroup, ...] | None) -> int:
    known = sum(row.get("table_rows") or 0 for row in totals if row.get("name") == "sysdesend")
    return max(0, known - sum(one.endpoints for one in groups)) if groups is not None else 0


def _groups(rows: Rows, refused: Refused) -> tuple[EndpointGroup, ...]:
    """The groups, those that are alike added, the largest first."""
    counts: dict[tuple[str | None, str | None, bool | None, str, int | None], int] = {}
    for row in rows:
        service, far = row.get("service_name") or None, row.get("far_service") or None
        key = service, far, row.get("is_initiator"), row.get("state") or "", row.get("age_days")
        counts[key] = counts.get(key, 0) + row["endpoints"]
    made = []
    for (service, far, is_initiator, state, age), count in counts.items():
        try:
            made.append(
                EndpointGroup(
                    endpoints=count,
                    state=state,
                    service=service,
                    far_service=far,
                    is_initiator=is_initiator,
                    age_days=age,
                )
            )
        except Invalid as fault:
            refused("conversation_endpoints", service, say("{path}: {problem}", path=fault.path, problem=fault.problem))
    return tuple(sorted(made, key=lambda one: -one.endpoints))


def _queues(rows: Rows) -> Iterator[QueueState]:
    for row in rows:
        if not row.get("is_ms_shipped"):
            name = f"{row['schema_name']}.{row['name']}" if row.get("schema_name") else row["name"]
            yield QueueState(name, row.get("is_receive_enabled", True), row.get("is_enqueue_enabled", True))
