"""Objects of rules from the overview: causes, leaks, servers, routes that expire."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Final
from urllib.parse import urlencode

from django.urls import reverse

from brokerui.analysis.alerts.evaluation import Observed
from brokerui.analysis.overview.causes import CauseKind, HeldCause
from brokerui.analysis.overview.forthcoming import EXPIRES
from brokerui.analysis.overview.overview import Overview
from brokerui.analysis.overview.wording import title_of
from routing.common.finding import INFO
from routing.common.sentence import Sentence, say
from routing.model.estate import Estate

DAY: Final = timedelta(days=1)
HOUR: Final = timedelta(hours=1)
EXPIRED: Final = "route-expired"


def causes_with(outcome: str, found: Overview) -> Iterator[Observed]:
    """The causes with this outcome, each with its messages, in the words of the overview."""
    headings = {entry.cause.key: entry.heading for entry in found.entries}
    for cause in found.causes:
        if cause.outcome == outcome:
            yield Observed(
                key=" ".join(map(str, cause.key[1:])),
                figure=cause.messages,
                heading=headings.get(cause.key) or title_of(cause),
                page=_page_of(cause),
                instance=cause.instance,
                database=cause.database,
                number=cause.number,
            )


def _page_of(cause: HeldCause) -> str:
    if cause.kind is CauseKind.WAITING:
        return _address("delayed:delayed", instance=cause.instance, database=cause.database, service=cause.subject)
    if cause.kind is CauseKind.COLLECTED:
        return _address("servers:list", server=cause.instance)
    return reverse("overview:overview")


def leaks(found: Overview) -> Iterator[Observed]:
    """Databases of real servers, each with the conversations that never close by themselves."""
    for leak in found.leaks:
        place = f"{leak.server}/{leak.database}"
        yield Observed(
            key=place,
            figure=leak.left,
            heading=say("Conversations of {place} never close", place=place),
            page=_address("servers:list", server=leak.server),
            instance=leak.server,
            database=leak.database,
        )


def servers(found: Overview) -> Iterator[Observed]:
    """Real servers, each with the hours since it was read; without end where it never was."""
    for server in found.servers:
        heading = say("{server} was never read", server=server.name)
        if server.age is not None:
            heading = say("{server} was read long ago", server=server.name)
        yield Observed(
            key=server.name,
            figure=math.inf if server.age is None else server.age / HOUR,
            heading=heading,
            page=_address("servers:list", server=server.name),
            instance=server.name,
        )


def expiries(found: Overview) -> list[Observed] | None:
    """Routes that expire soon or have expired, each with the days that are left; None: findings are not known now.
    Routes that the dynamic routing service renews are left out: a finding about one is information."""
    report = found.report
    if report is None or not report.is_there:
        return None
    ends = [
        (str(one.instance), str(one.database), str(one.object))
        for one in report.findings
        if one.code in {EXPIRES, EXPIRED} and one.severity != INFO
    ]
    lifetimes = _lifetimes(found.live.estate, ends)
    return [_expiry(place, end, found.at) for place, end in lifetimes.items()]


def _lifetimes(estate: Estate, routes: list[tuple[str, str, str]]) -> Mapping[tuple[str, str, str], datetime]:
    known = {}
    for instance, database, name in routes:
        held = estate.instances.get(instance)
        route = held.databases[database].table.routes.get(name) if held and database in held.databases else None
        if route is not None and route.lifetime is not None:
            known[instance, database, name] = route.lifetime
    return known


def _expiry(place: tuple[str, str, str], end: datetime, at: datetime) -> Observed:
    instance, database, route = place
    values = {"route": route, "place": f"{instance}/{database}"}
    heading: Sentence = say("Route {route} in {place} expires", **values)
    if end <= at:
        heading = say("Route {route} in {place} has expired", **values)
    return Observed(
        key="/".join(place),
        figure=max(0.0, (end - at) / DAY),
        heading=heading,
        page=_address("routes:list", q=route),
        instance=instance,
        database=database,
    )


def _address(name: str, **query: str) -> str:
    return f"{reverse(name)}?{urlencode({key: value for key, value in query.items() if value})}"
