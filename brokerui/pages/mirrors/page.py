"""The page of mirrors: the principal of each mirrored route, the partners' reports, and their history."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final
from urllib.parse import urlencode

from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from brokerui.analysis.monitoring.history import series
from brokerui.analysis.monitoring.roles import spells
from brokerui.analysis.monitoring.spans import SPANS, Span, span_of
from brokerui.analysis.monitoring.wording import HEARD, PHASES, due, moment
from brokerui.core.csv import MomentColumn
from brokerui.core.moments import moment_text
from brokerui.drawing.charts.lines import ChartBar, bars_figure
from brokerui.drawing.charts.look import Figure
from brokerui.estate.selectors import estate_current
from brokerui.eventlog.samples import OfSample
from brokerui.messaging.broker_cache import hosted_names
from brokerui.messaging.clock import now
from brokerui.messaging.models import MirroredRoute
from brokerui.pages.shell.columns import Column, Table
from routing.mirror.state_machine import DOUBTING, SENDING
from routing.model.estate import PRINCIPAL

MOST: Final = 100
STROKES: Final = ("var(--accent)", "var(--exits)")
NOBODY: Final = "var(--dropped)"


@dataclass(frozen=True, slots=True)
class MirrorsQuery:
    """The values of the page's address."""

    span: Span

    @classmethod
    def of(cls, query: Mapping[str, str]) -> MirrorsQuery:
        return cls(span_of(query.get("span", "")))

    def query(self, **other: str) -> str:
        own = {"span": self.span.name, **other}
        return urlencode({name: value for name, value in own.items() if value != SPANS[0].name})


@dataclass(frozen=True, slots=True)
class Partner:
    """One of the two that a mirrored route leads to."""

    address: str
    instance: str
    """Empty: none of this estate."""
    is_principal: bool
    heard: Promise


@dataclass(frozen=True, slots=True)
class MirroredRouteRow:
    """A mirrored route as an instance knows it."""

    instance: str
    service: str
    identifier: str
    phase: Promise
    is_well: bool
    partners: tuple[Partner, Partner]
    claimed: Any
    due: str


@dataclass(frozen=True, slots=True)
class MirroredDatabaseRow:
    """A mirrored database that stands here."""

    instance: str
    name: str
    role: str


TABLE: Final[Table[MirroredDatabaseRow]] = Table(
    Column("database", _("Database"), lambda row: row.name, is_head=True),
    Column("instance", _("Instance"), lambda row: row.instance),
    Column("role", _("Role"), lambda row: row.role),
)


def page_context(query: Mapping[str, str]) -> dict[str, Any]:
    """For the templates."""
    page_query, at = MirrorsQuery.of(query), now()
    routes, databases, table = _routes(at), _databases(), TABLE.read(query)
    spells = [*_route_spells(page_query.span, at), *_database_spells(page_query.span, at)]
    start = page_query.span.moments(at)[0]
    return {
        "page_query": page_query,
        "spans": [(span, page_query.query(span=span.name), span == page_query.span) for span in SPANS],
        "routes": routes,
        "databases": table.ordered(databases),
        "table": table,
        "headline": headline(routes, databases),
        "tone": "good" if all(route.is_well for route in routes) else "warn",
        "title": title(spells, page_query.span),
        "figure": figure(spells, start, at) if spells else None,
        "lines": list(lines(spells)),
    }


def _routes(at: int) -> list[MirroredRouteRow]:
    resolve = estate_current().estate.by_address
    rows = MirroredRoute.objects.select_related("instance").order_by("instance__name", "service", "identifier")
    return [_route(row, resolve, at) for row in rows[:MOST]]


def _route(row: MirroredRoute, resolve: Mapping[str, str], at: int) -> MirroredRouteRow:
    is_known = row.phase in (SENDING, DOUBTING)
    both = ((row.address, row.heard), (row.mirror_address, row.heard_mirror))
    partners = tuple(
        Partner(address, resolve.get(address, ""), is_known and row.principal == number, HEARD[heard])
        for number, (address, heard) in enumerate(both)
    )
    return MirroredRouteRow(
        row.instance.name,
        row.service,
        row.identifier,
        PHASES[row.phase],
        is_known,
        (partners[0], partners[1]),
        moment(row.claimed_at) if row.claimed_at else None,
        due(row.due, at),
    )


def _databases() -> list[MirroredDatabaseRow]:
    instances = estate_current().estate.instances
    return [
        MirroredDatabaseRow(name, database.name, database.mirroring_role)
        for name in hosted_names()
        if name in instances
        for database in instances[name].databases.values()
        if database.mirroring_role
    ][:MOST]


def headline(routes: list[MirroredRouteRow], databases: list[MirroredDatabaseRow]) -> str:
    """The answer in one sentence."""
    lost = [route for route in routes if not route.is_well]
    if lost:
        number = len(lost)
        text = ngettext(
            "%(n)s mirrored route has no principal: nothing is sent by it.",
            "%(n)s mirrored routes have no principal: nothing is sent by them.",
            number,
        )
        return text % {"n": number}
    if routes:
        return ngettext(
            "The mirrored route has its principal.", "All %(n)s mirrored routes have their principal.", len(routes)
        ) % {"n": len(routes)}
    if databases:
        return gettext("No mirrored route was used yet.")
    return gettext("Nothing is mirrored here.")


# -- Over time ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Spell:
    """A span of time during which a partner had a role."""

    what: str
    start: int
    end: int
    role: str
    stroke: str


def _route_spells(span: Span, at: int) -> Iterator[Spell]:
    """Which instance was the principal of each route; its address if it is no instance of the estate."""
    resolve = estate_current().estate.by_address
    for (instance, _database, name, _error), points in series(OfSample.MIRRORED_ROUTE, span, at).items():
        address, _space, rest = name.partition(" ")
        mirror, _space, service = rest.partition(" ")
        what = f"{instance} → {service.partition(' ')[0]}"
        strokes = {address: STROKES[0], mirror: STROKES[1]}
        for start, end, role in spells(points, span):
            yield Spell(what, start, end, resolve.get(role, role), strokes.get(role, NOBODY))


def _database_spells(span: Span, at: int) -> Iterator[Spell]:
    for (instance, database, _name, _error), points in series(OfSample.MIRRORING_ROLE, span, at).items():
        for start, end, role in spells(points, span):
            yield Spell(f"{instance}/{database}", start, end, role, STROKES[0 if role == PRINCIPAL else 1])


def title(found: list[Spell], span: Span) -> str:
    """Return the message of the chart."""
    changes = sum(one.what == other.what and one.role != other.role for one, other in pairwise(found))
    if not found:
        return gettext("Roles over time")
    if not changes:
        return gettext("%(span)s: no role has changed") % {"span": span.label}
    text = ngettext("%(span)s: %(n)s change of a role", "%(span)s: %(n)s changes of roles", changes)
    return text % {"span": span.label, "n": changes}


def figure(found: list[Spell], start: int, end: int) -> Figure:
    """A row for each route and database, with the role of each partner over time."""
    rows = list(dict.fromkeys(spell.what for spell in found))
    nobody = gettext("no principal")
    bars = [
        ChartBar(rows.index(spell.what), spell.start, min(spell.end, end), spell.role or nobody, spell.stroke)
        for spell in found
    ]
    return bars_figure(rows, bars, start, end)


def lines(found: list[Spell]) -> Iterator[tuple[str, str, str, str]]:
    """The twin."""
    for spell in found:
        role = spell.role or gettext("no principal")
        yield spell.what, role, moment_text(moment(spell.start)), moment_text(moment(spell.end))


# -- Files -------------------------------------------------------------------------------------------------

COLUMNS = ("what", "role", MomentColumn("from"), MomentColumn("to"))


def as_rows(query: Mapping[str, str]) -> Iterator[tuple[Any, ...]]:
    """Every spell."""
    span, at = MirrorsQuery.of(query).span, now()
    for spell in (*_route_spells(span, at), *_database_spells(span, at)):
        yield spell.what, spell.role, moment(spell.start), moment(spell.end)
