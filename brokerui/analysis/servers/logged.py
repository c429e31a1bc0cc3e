"""Errors of Service Broker in the logs that were given of real servers, with their cause and next step."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from brokerui.analysis.servers.models import Collection
from brokerui.analysis.servers.selectors import unpacked
from brokerui.analysis.servers.sums_json import events_from_json
from brokerui.core.cache import LruCache
from routing.catalog.broker_log import BrokerEvent
from routing.common.sentence import Sentence
from routing.dialog.status_catalogue import BY_NUMBER
from routing.dialog.status_texts import status_kind

MOST: Final = 1_000
"""Logs that are looked through, the newest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedError:
    """An error of a server's log whose meaning is known."""

    server: str
    at: datetime
    """When the log was given."""
    number: int
    times: int
    first: str
    last: str
    """As the log writes it, by the server's clock; empty: it does not say."""
    cause: Sentence
    next_step: Sentence


_errors: LruCache[tuple[LoggedError, ...]] = LruCache(200)


def logged_errors() -> list[LoggedError]:
    """The errors of the last log of each server, the most frequent first. One query, and one for each new log."""
    rows = Collection.objects.filter(events__isnull=False).order_by("-collected_at", "-pk")
    last: dict[str, tuple[int, datetime]] = {}
    for server, pk, at in rows.values_list("server", "pk", "collected_at")[:MOST]:
        last.setdefault(server, (pk, at))
    found = [one for server, (pk, at) in last.items() for one in _of_log(server, pk, at)]
    return sorted(found, key=lambda one: (-one.times, one.server, one.number))


def _of_log(server: str, pk: int, at: datetime) -> tuple[LoggedError, ...]:
    return _errors.get_or_make((server, pk, at), lambda: _read(server, pk, at))


def _read(server: str, pk: int, at: datetime) -> tuple[LoggedError, ...]:
    packed = Collection.objects.filter(pk=pk).values_list("events", flat=True).first()
    events = events_from_json(unpacked(packed)) if packed else ()
    return tuple(one for event in events if (one := _known(server, at, event)) is not None)


def _known(server: str, at: datetime, event: BrokerEvent) -> LoggedError | None:
    """None for an error that is not in the catalogue, or passes by itself."""
    kind = BY_NUMBER.get(event.number) or status_kind(event.text)
    if kind is None or kind.passes:
        return None
    return LoggedError(
        server=server,
        at=at,
        number=event.number or kind.number,
        times=event.times,
        first=event.first,
        last=event.last,
        cause=kind.cause,
        next_step=kind.next_step,
    )
