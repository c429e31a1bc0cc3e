"""The quiet state of the overview: the last trouble that is over, and the next date on which routing changes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext

from brokerui.analysis.drains.models import Drain
from brokerui.analysis.drains.selectors import last_drained, took_s
from brokerui.analysis.monitoring.wording import SECOND_MS, age, messages, moment
from brokerui.analysis.overview.overview import Overview
from brokerui.core.cache import LruCache
from brokerui.estate.selectors import LiveEstate

KEPT: Final = 4


class RouteEnd(NamedTuple):
    """The end of the lifetime of a route."""

    at: datetime
    place: str
    """Instance and database."""
    route: str


@dataclass(frozen=True, slots=True)
class LastTrouble:
    """Messages that waited, and do not any more."""

    at: datetime
    place: str
    words: str


_ends: LruCache[tuple[RouteEnd, ...]] = LruCache(KEPT)


def quiet_context(found: Overview) -> dict[str, Any]:
    """For the template: both, where no cause is known; nothing is read otherwise."""
    if found.causes or found.is_empty:
        return {}
    drain, end = last_drained(), next_end(found.live, found.at)
    query = urlencode({"q": end.route}) if end is not None else ""
    return {
        "trouble": None if drain is None else _trouble(drain),
        "next_end": end,
        "next_end_url": f"{reverse('routes:list')}?{query}",
    }


def next_end(live: LiveEstate, at: datetime) -> RouteEnd | None:
    """The first end of a route's lifetime after this moment; worked out once for a version."""
    ends = _ends.get_or_make(live.digest, lambda: tuple(sorted(_lifetimes(live))))
    return next((end for end in ends if end.at > at), None)


def _lifetimes(live: LiveEstate) -> Iterator[RouteEnd]:
    for instance in live.estate.instances.values():
        for database in instance.databases.values():
            for route in database.table.routes.values():
                if route.lifetime is not None:
                    yield RouteEnd(route.lifetime, f"{instance.name}/{database.name}", route.name)


def _trouble(drain: Drain) -> LastTrouble:
    values = {"messages": messages(drain.messages), "took": age(took_s(drain) * SECOND_MS)}
    words = gettext("%(messages)s, drained in %(took)s") % values
    return LastTrouble(moment(drain.began_at), f"{drain.instance}/{drain.database}: {drain.subject}", words)
