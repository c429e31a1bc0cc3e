"""Addresses of the map itself, and what its things are called: `{% load map %}`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django import template
from django.urls import reverse
from django.utils.translation import gettext as _

from brokerui.estate.map_views.models import MapView
from brokerui.estate.refs import BETWEEN, DATABASE, GROUP, OUTSIDE, ROUTE, Ref, database, instance_ref
from brokerui.pages.map.map_query import MapQuery
from brokerui.pages.map.panel import RouteLine
from brokerui.pages.shell import links

register = template.Library()


@register.simple_tag(takes_context=True)
def map_url(context: dict[str, Any], address: str = "map:map", **changes: Any) -> str:
    """The map that is shown, with other values; `select` takes a thing itself, and nothing is up or down its routes."""
    if "select" in changes:
        changes.setdefault("reach", "")
    if isinstance(changes.get("select"), Ref):
        changes["select"] = str(changes["select"])
    query = context["page_query"].but(**changes).query(context["viewed"].query)
    return f"{reverse(address)}?{query}" if query else reverse(address)


@register.simple_tag(takes_context=True)
def map_query(context: dict[str, Any]) -> str:
    """The query string of the map that is shown, without the selection."""
    query: str = context["page_query"].but(select="").query(context["viewed"].query)
    return query


@register.simple_tag(takes_context=True)
def view_url(context: dict[str, Any], view: MapView) -> str:
    """Return the address of a saved view, of the estate that is shown."""
    query = context["viewed"].address
    address = reverse("map:view", args=[view.key])
    return f"{address}?{query}" if query else address


@register.simple_tag(takes_context=True)
def map_page_url(context: dict[str, Any], number: int) -> str:
    """Another page of the list."""
    return f"{reverse('map:map')}?{replace(context['page_query'], page=number).query(context['viewed'].query)}"


@register.simple_tag(takes_context=True)
def zoom_in_url(context: dict[str, Any], ref: Ref) -> str:
    """Return the URL of the map of an instance with its neighbours, or of a group."""
    if ref.kind == GROUP:
        return map_url(context, first=ref.names[0], last=ref.names[1], select="")
    return map_url(context, focus=ref.names[0], first="", last="", service="", select=ref)


@register.simple_tag(takes_context=True)
def where_of(context: dict[str, Any], line: RouteLine) -> str:
    """*Where does it go?* for what a route is for."""
    viewed, (instance, table, _name) = context["viewed"], line.ref.names
    route = line.route
    more = {"to": route.remote_service_name, "broker": route.broker_instance}
    return links.where(viewed.query, viewed.estate, instance, table, **more)


@register.simple_tag(takes_context=True)
def findings_fragment(context: dict[str, Any], instance: str, database: str = "") -> str:
    """Where their number is asked for."""
    place = {"instance": instance} | ({"database": database} if database else {})
    return links.page("map:findings", {**context["viewed"].query, **place})


register.simple_tag(instance_ref)
register.simple_tag(database, name="database_ref")


@register.filter
def called(ref: Ref) -> str:
    """The name of an object, with the name of its instance or database."""
    if ref.kind in (DATABASE, ROUTE):
        return " / ".join(ref.names)
    if ref.kind == GROUP:
        return " … ".join(ref.names)
    if ref.kind == OUTSIDE and not ref.name:
        return _("addresses outside")
    return "" if ref.kind == BETWEEN else ref.name


@register.filter
def toggled(ref: Ref, page_query: MapQuery) -> str:
    """The opened databases of the map, with this one too or without it."""
    return page_query.toggled(ref)


@register.filter
def scaled(size: float, zoom: str) -> float:
    """A size of the picture at this zoom; `fit` begins with its own size."""
    return round(size * int(zoom) / 100, 1) if zoom.isdecimal() else size
