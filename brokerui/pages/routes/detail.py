"""The panel of one route: its columns, where it leads, its findings, and the statement that creates it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode

from brokerui.analysis.explanations.origin import OUTSIDE, origin_text
from brokerui.analysis.explanations.outcome_wording import short_reason
from brokerui.analysis.lint.selectors import LintReport
from brokerui.analysis.lint.stored_findings import StoredFinding
from brokerui.changes.estate_view import EstateView
from brokerui.estate.refs import ROUTE as ROUTE_REF
from brokerui.estate.refs import read_ref
from brokerui.estate.refs import route as route_ref
from brokerui.pages.routes.rows import COLUMNS, RouteRow
from routing.classes.traffic_class import UNKNOWN_SERVICE
from routing.common.names import MSDB
from routing.common.sentence import Sentence, say
from routing.lint.facts import host_of
from routing.lint.loopback import is_loopback
from routing.lint.remedy import use
from routing.model.estate import Estate
from routing.model.route_table import RouteSet
from routing.rules.choosing import choose
from routing.rules.decision import DELAYED, DELIVERED, DROPPED, EXITS, Decision, Delay, Deliver, Send
from routing.rules.hop import Hop
from routing.tsql.ddl_writer import creation
from routing.tsql.sql import statement_as_sql
from routing.tsql.statement import ROUTE

PLAIN = "plain"
"""The kind of a lead that is no end: there it is decided anew."""


@dataclass(frozen=True, slots=True)
class NextHopOfRoute:
    """Where a message goes next that takes this route."""

    kind: str
    """An outcome's, or `plain`."""
    sentence: Sentence


@dataclass(frozen=True, slots=True)
class RouteDetail:
    """One route."""

    row: RouteRow
    select: str
    is_expired: bool
    leads: tuple[NextHopOfRoute, ...]
    findings: tuple[StoredFinding, ...]
    sql: str | None
    """None: there is no statement that makes it."""
    where: str
    """The question whose conversation asks for it, as a query string."""

    @property
    def columns(self) -> list[tuple[str, str | None]]:
        return list(zip(COLUMNS, self.row.values(), strict=True))


def select_text(row: RouteRow) -> str:
    """How the address names a row."""
    return str(route_ref(*row.key))


def row_selected(estate: Estate, select: str) -> RouteRow | None:
    """The row that the address names; None where there is none."""
    ref = read_ref(select)
    if ref is None or ref.kind != ROUTE_REF:
        return None
    host, name, route = ref.names
    instance = estate.instances.get(host)
    database = instance.databases.get(name) if instance else None
    found = database.table.routes.get(route) if database else None
    if database is None or found is None:
        return None
    return RouteRow(host, name, found, is_wildcard=found in database.table.wildcard.routes)


def route_detail(viewed: EstateView, row: RouteRow, report: LintReport) -> RouteDetail:
    """All that is known of a route."""
    at = viewed.at()
    is_expired = row.route.expired(at)
    return RouteDetail(
        row=row,
        select=select_text(row),
        is_expired=is_expired,
        leads=() if is_expired else leads(viewed.estate, row, at),
        findings=report.of_routes.get(row.key, ()),
        sql=_sql(row, at),
        where=_where(viewed, row),
    )


# -- Where it leads ----------------------------------------------------------------------------------------


def leads(estate: Estate, row: RouteRow, at: datetime) -> tuple[NextHopOfRoute, ...]:
    """Return the actions of the engine on a message that takes this route, where they depend on the route alone."""
    route = row.route
    if route.remote_service_name is None and (general := _for_any_service(row)):
        return (general,)
    database = None if row.database == MSDB else row.database
    service = route.remote_service_name or UNKNOWN_SERVICE
    hop = Hop(estate, row.instance, database, service=service, identifier=route.broker_instance, is_reply=False, at=at)
    return tuple(_lead(decision, estate) for decision in choose(hop, RouteSet((route,))))


def _for_any_service(row: RouteRow) -> NextHopOfRoute | None:
    """A route without a service name leads where the service says, unless it names one network address."""
    route = row.route
    if route.address.is_local:
        return NextHopOfRoute(PLAIN, say("To whichever database of {instance} has the service.", instance=row.instance))
    if route.address.is_transport:
        return NextHopOfRoute(PLAIN, say("To the address that the service name holds."))
    if route.mirror_address is not None:
        both = route.address.key, route.mirror_address.key
        return NextHopOfRoute(PLAIN, say("To whichever of {addresses} is the principal.", addresses=both))
    return None


def _lead(decision: Decision, estate: Estate) -> NextHopOfRoute:
    if isinstance(decision, Deliver):
        place = say("To {database} on {instance}.", database=decision.database, instance=decision.instance)
        return NextHopOfRoute(DELIVERED, place)
    if isinstance(decision, Send):
        return _sent(decision)
    kind = DELAYED if isinstance(decision, Delay) else DROPPED
    return NextHopOfRoute(
        kind, say("At {instance}: {reason}.", instance=decision.instance, reason=short_reason(decision.reason))
    )


def _sent(send: Send) -> NextHopOfRoute:
    address = send.address.key
    if send.to is None and is_loopback(host_of(send.address)):
        return NextHopOfRoute(EXITS, say("To {address}, on the same machine.", address=address))
    if send.to is None:
        return NextHopOfRoute(EXITS, say("To {address}: no instance of this estate listens there.", address=address))
    return NextHopOfRoute(
        PLAIN, say("To {instance}, at {address}; msdb decides there.", instance=send.to, address=address)
    )


# -- The statement, and the question -----------------------------------------------------------------------


def _sql(row: RouteRow, at: datetime) -> str | None:
    statement = creation(ROUTE, row.route, at)
    text = statement_as_sql(statement) if statement else None
    return use(row.database, (text,)) if text else None


def _where(viewed: EstateView, row: RouteRow) -> str:
    """`/where/` with a conversation that this route may take, and the question why it is taken or not."""
    outside = row.database == MSDB
    origin = OUTSIDE + row.instance if outside else origin_text(viewed.estate, row.instance, row.database)
    question = {
        "from": origin,
        "to": _service(viewed.estate, row) or "",
        "broker": row.route.broker_instance or "",
        "route": "/".join(row.key),
    }
    return urlencode({**viewed.query, **{name: value for name, value in question.items() if value}})


def _service(estate: Estate, row: RouteRow) -> str | None:
    """The route's own; for one that takes any, one that its table does not name."""
    if row.route.remote_service_name is not None:
        return row.route.remote_service_name
    named = estate.instances[row.instance].databases[row.database].table.named
    services = (s.name for i in estate.instances.values() for d in i.databases.values() for s in d.user_services)
    return next((service for service in services if service not in named), None)
