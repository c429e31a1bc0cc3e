"""Cells of a table of routes: `{% load routes %}`."""

from __future__ import annotations

from datetime import datetime

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.timesince import timesince, timeuntil
from django.utils.translation import gettext as _

from brokerui.core.moments import time_tag
from brokerui.pages.routes.detail import select_text
from brokerui.pages.routes.listing import RouteListing
from brokerui.pages.routes.rows import RouteRow
from routing.lint.lifetimes import SOON

register = template.Library()


@register.simple_tag
def lifetime(moment: datetime | None, at: datetime) -> SafeString:
    """When a route expires, or did, seen from a moment; the exact time is the title."""
    if moment is None:
        return format_html('<span class="null">{}</span>', _("never"))
    if moment <= at:
        kind, text = "expired", _("expired %(duration)s ago") % {"duration": timesince(moment, at, depth=1)}
    else:
        kind = "soon" if moment - at < SOON else ""
        text = _("in %(duration)s") % {"duration": timeuntil(moment, at, depth=1)}
    return time_tag(moment, text, f"lifetime {kind}".strip())


@register.simple_tag
def select_query(listing: RouteListing, row: RouteRow | None = None) -> str:
    """The address with this row chosen; without one: with none."""
    return listing.selecting(select_text(row) if row is not None else "")


@register.filter
def is_selected(row: RouteRow, listing: RouteListing) -> bool:
    """Whether the address names this row."""
    return bool(listing.page_query.select) and select_text(row) == listing.page_query.select


@register.filter
def findings_of(row: RouteRow, listing: RouteListing) -> tuple[object, ...]:
    """Return the findings of a route, worst first."""
    return listing.report.of_routes.get(row.key, ())


@register.filter
def change_of(row: RouteRow, listing: RouteListing) -> str:
    """`added` or `altered` by the draft; empty: neither."""
    return listing.change_of(row)
