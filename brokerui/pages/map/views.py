"""Views of the map: the page, its side panel, its SVG and CSV files."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from brokerui.accounts.levels import Level, may
from brokerui.analysis.lint.selectors import LintReport, findings_at, findings_for
from brokerui.changes.estate_view import EstateView, estate_view_of
from brokerui.changes.marks import marks_of
from brokerui.core.htmx import wants_piece
from brokerui.estate.map_views.places import places_text
from brokerui.estate.map_views.selectors import map_views_for
from brokerui.estate.refs import BETWEEN, DATABASE, GROUP, INSTANCE, OUTSIDE, ROUTE, Listed, Ref, instance_ref
from brokerui.estate.selectors import instance_freshness
from brokerui.pages.map.badges import put_badges
from brokerui.pages.map.detail import Unbundled
from brokerui.pages.map.detail_level import counts_of, plan_of, scope_of
from brokerui.pages.map.draft_marks import put_marks
from brokerui.pages.map.drawing import picture_of
from brokerui.pages.map.listing import as_csv, page_of
from brokerui.pages.map.map_query import LIST, ZOOMS, MapQuery
from brokerui.pages.map.network import RouteNetwork, network_of
from brokerui.pages.map.panel import panel_of
from brokerui.pages.map.picture import BadgeSymbol
from brokerui.pages.map.plan import DETAIL, MapBox, MapPlan
from brokerui.pages.map.reach import reach_in_words, reached
from brokerui.pages.map.scope import HOPS, Scope
from brokerui.pages.map.search import SearchHits, found, highlighted_by_service
from brokerui.pages.map.style import picture_style
from brokerui.pages.map.summary_text import grouped_by, headline, left_out
from brokerui.pages.shell import links as pages
from routing.common.finding import ERROR, WARNING
from routing.common.names import MSDB
from routing.common.sentence import Sentence, say, translator

translate = translator(gettext, ngettext)
SYMBOLS = {severity: BadgeSymbol(severity, 0, 0) for severity in (ERROR, WARNING)}
"""For the key."""
MAX_LISTED = 30
"""Changes of a draft that a map of groups lists."""


@require_safe
@vary_on_headers("HX-Request", "HX-History-Restore-Request")
def page(request: HttpRequest) -> HttpResponse:
    """The page, or for htmx the panel of the selected thing."""
    viewed, page_query = _query(request)
    if viewed.is_empty:
        return render(request, "map/map.html", {"viewed": viewed, "page_query": page_query})
    network = network_of(viewed.key, viewed.estate)
    context = {"viewed": viewed, "page_query": page_query, "network": network, **_selected(viewed, network, page_query)}
    if wants_piece(request):
        return render(request, "map/_panel.html", context)
    return render(request, "map/map.html", context | _map(request, viewed, network, page_query))


@require_safe
def findings(request: HttpRequest) -> HttpResponse:
    """The number of findings about an instance or database; a request of its own, because it may take a moment."""
    viewed, name, database = estate_view_of(request), request.GET.get("instance", ""), request.GET.get("database", "")
    instance = viewed.estate.instances.get(name)
    if instance is None or (database and database not in instance.databases):
        raise Http404
    count, url = len(findings_at(viewed, name, database or None)), pages.findings(viewed.query, name, database)
    return render(request, "map/_findings.html", {"count": count, "url": url})


@require_safe
def svg(request: HttpRequest) -> HttpResponse:
    """The picture as a file of its own, with its style in it."""
    viewed, page_query = _query(request)
    if viewed.is_empty:
        raise Http404
    network = network_of(viewed.key, viewed.estate)
    scope = scope_of(network, page_query)
    plan = _plan(viewed, network, scope, page_query)
    put_badges(plan, findings_for(viewed).findings)
    title = headline(counts_of(network, scope, plan), scope).render(translate)
    lit = _lit(network, page_query, plan, _hits(network, page_query), _reached(network, page_query))
    picture = picture_of(plan, translate, lit)
    context = {"picture": picture, "style": picture_style(), "title": title, "is_draft": plan.is_draft}
    text = render_to_string("map/standalone.svg", context)
    return HttpResponse(text, content_type="image/svg+xml", headers=_attached("map.svg"))


@require_safe
def export(request: HttpRequest) -> StreamingHttpResponse:
    """Every route of the instances on the map."""
    viewed, page_query = _query(request)
    network = network_of(viewed.key, viewed.estate)
    lines = as_csv(network, scope_of(network, page_query), viewed.at())
    return StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8", headers=_attached("map.csv"))


def _query(request: HttpRequest) -> tuple[EstateView, MapQuery]:
    viewed = estate_view_of(request)
    return viewed, MapQuery.of(request.GET).in_estate(viewed.estate)


def _attached(name: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "private, no-cache"}


def _map(request: HttpRequest, viewed: EstateView, network: RouteNetwork, page_query: MapQuery) -> dict[str, Any]:
    """Return the context of the picture, or of the list in its place, with the matches of the search."""
    scope = scope_of(network, page_query)
    plan, report = _plan(viewed, network, scope, page_query), findings_for(viewed)
    put_badges(plan, report.findings)
    numbers = counts_of(network, scope, plan)
    hits, up_or_down = _hits(network, page_query), _reached(network, page_query)
    shown: dict[str, Any] = {
        "found": hits,
        "reach": reach_in_words(up_or_down, page_query.reach) if up_or_down else None,
        "level": plan.level,
        "headline": headline(numbers, scope),
        "shows": grouped_by(numbers, page_query, scope),
        "left_out": [*left_out(numbers), *_unknown_yet(report)],
        "symbols": SYMBOLS,
    }
    if page_query.shown == LIST:
        shown["page"] = page_of(network, scope, viewed.at(), page_query.page)
    else:
        shown["picture"] = picture_of(plan, translate, _lit(network, page_query, plan, hits, up_or_down))
    return shown | {
        **_views(request, page_query),
        "page_keys": _keys(may_draw=_may_draw(request, viewed)),
        **_drawing(request, viewed, plan),
        "hops": HOPS,
        "zooms": ZOOMS,
        "unknown": page_query.focus if page_query.focus and page_query.focus not in viewed.estate.instances else "",
        "unknown_service": page_query.service
        if page_query.service and not _is_named(network, page_query.service)
        else "",
    }


def _views(request: HttpRequest, page_query: MapQuery) -> dict[str, Any]:
    """Return the saved views that the user sees, and the one that is open, with the places of its boxes."""
    views, user = map_views_for(request.user.get_username()), request.user.get_username()
    view = next((one for one in views if one.key == page_query.view), None)
    return {
        "views": [one for one in views if one.owner == user],
        "shared_views": [one for one in views if one.owner != user],
        "view": view,
        "is_own_view": view is not None and view.owner == user,
        "places": places_text(view.places) if view is not None else "",
        "unknown_view": page_query.view if page_query.view and view is None else "",
    }


def _drawing(request: HttpRequest, viewed: EstateView, plan: MapPlan) -> dict[str, Any]:
    """Whether the user may draw on the map of a draft, and its changes that the map does not show one by one."""
    marks = marks_of(viewed)
    if viewed.draft is None or marks is None:
        return {}
    may_draw = _may_draw(request, viewed)
    if plan.level == DETAIL:
        return {"may_draw": may_draw}
    changed = (*marks.changed, *(ref for ref in marks.dropped if ref.names[0] in viewed.estate.instances))
    return {"may_draw": may_draw, "changed": Listed(changed[:MAX_LISTED], len(changed))}


def _may_draw(request: HttpRequest, viewed: EstateView) -> bool:
    return viewed.draft is not None and viewed.draft.is_open and may(request.user, Level.EDIT)


def _keys(*, may_draw: bool) -> list[tuple[str, str]]:
    """The keys of the map, for the list of shortcuts."""
    view = [
        ("f", gettext("Fit the picture")),
        ("+ -", gettext("Larger, smaller")),
        ("0", gettext("Back to 100 %")),
        ("Shift+←→↑↓", gettext("Move the box")),
        ("u d", gettext("Upstream, downstream of it")),
    ]
    draw = [
        ("a", gettext("Add…")),
        ("c", gettext("Connect to…")),
        ("s", gettext("Select several")),
        ("Del", gettext("Drop the selection")),
    ]
    return [*view, *(draw if may_draw else [])]


def _plan(viewed: EstateView, network: RouteNetwork, scope: Scope, page_query: MapQuery) -> MapPlan:
    """Return what the map shows; of a draft, with the marks of what it changes."""
    marks, at = marks_of(viewed), viewed.at()
    plan = plan_of(network, scope, at, Unbundled(marks.changed if marks else (), page_query.opened_databases))
    if marks is not None:
        put_marks(plan, marks, network, scope, at)
    return plan


def _unknown_yet(report: LintReport) -> list[Sentence]:
    return [] if report.is_there else [say("Findings are not marked yet: the estate is being checked.")]


def _hits(network: RouteNetwork, page_query: MapQuery) -> SearchHits | None:
    return found(network, page_query.q) if page_query.q else None


def _lit(
    network: RouteNetwork, page_query: MapQuery, plan: MapPlan, hits: SearchHits | None, lit: frozenset[Ref]
) -> frozenset[Ref]:
    """Return the things to highlight, `lit` and those found; instances in place of databases that are not drawn."""
    lit |= hits.lit if hits else frozenset()
    if page_query.service:
        lit |= highlighted_by_service(network, page_query.service, with_routes=plan.level == DETAIL)
    if plan.level != DETAIL:
        lit |= {instance_ref(ref.names[0]) for ref in lit if ref.kind in (DATABASE, ROUTE)}
    return lit


def _reached(network: RouteNetwork, page_query: MapQuery) -> frozenset[Ref]:
    """Return all that is up or down the routes from the selection, where the address says so."""
    ref = page_query.selected
    if ref is None or not page_query.reach or ref.kind not in (INSTANCE, DATABASE, ROUTE, OUTSIDE):
        return frozenset()
    return reached(network, ref, page_query.reach)


def _is_named(network: RouteNetwork, service: str) -> bool:
    return service in network.homes or service in network.routed


def _selected(viewed: EstateView, network: RouteNetwork, page_query: MapQuery) -> dict[str, Any]:
    ref = page_query.selected
    if ref is None:
        return {}
    boxes = _boxes(viewed, network, page_query) if ref.kind in (GROUP, BETWEEN) else {}
    panel = panel_of(network, ref, viewed.at(), boxes)
    if panel is None:
        return {"missing": True}
    names = ref.names
    links: dict[str, Any] = {"panel": panel, "kind": ref.kind}
    if ref.kind == INSTANCE:
        imported = instance_freshness().get(ref.name) if viewed.is_editable else None
        links |= {"routes_url": pages.routes(viewed.query, ref.name), "imported": imported}
        links["findings_url"] = pages.findings(viewed.query, ref.name)
        links["where_url"] = pages.where(viewed.query, viewed.estate, ref.name, MSDB)
    elif ref.kind == DATABASE:
        links["routes_url"] = pages.routes(viewed.query, names[0], names[1])
        links["findings_url"] = pages.findings(viewed.query, names[0], names[1])
        links["where_url"] = pages.where(viewed.query, viewed.estate, names[0], names[1])
    elif ref.kind == ROUTE:
        links["routes_url"] = pages.routes(viewed.query, names[0], names[1], select=str(ref))
        links["where_url"] = pages.where(viewed.query, viewed.estate, names[0], names[1], **_conversation(panel))
        links["about_it"] = findings_for(viewed).of_routes.get((names[0], names[1], names[2]), ())
    return links


def _boxes(viewed: EstateView, network: RouteNetwork, page_query: MapQuery) -> dict[Ref, MapBox]:
    return plan_of(network, scope_of(network, page_query), viewed.at()).boxes


def _conversation(panel: Any) -> dict[str, str | None]:
    """Return the form values of a conversation for which this route is."""
    route = panel.line.route
    return {"to": route.remote_service_name, "broker": route.broker_instance}
