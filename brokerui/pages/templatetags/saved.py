"""The menu of saved views of a page: `{% load saved %}{% saved_views "events" %}`."""

from __future__ import annotations

from typing import Any

from django import template

from brokerui.estate.map_views.filters import query_of
from brokerui.estate.map_views.selectors import views_of_page
from brokerui.pages.saved.addresses import address_of

register = template.Library()


@register.inclusion_tag("components/views.html", takes_context=True)
def saved_views(context: dict[str, Any], page: str) -> dict[str, Any]:
    """Views that open the page with another filter, and the form that saves the filter of now."""
    request = context["request"]
    user, shown = request.user.get_username(), query_of(request.GET.urlencode())
    views = [(view, address_of(view), view.query == shown) for view in views_of_page(user, page)]
    return {
        "page": page,
        "query": request.GET.urlencode(),
        "own": [one for one in views if one[0].owner == user],
        "shared": [one for one in views if one[0].owner != user],
        "shown": next((view for view, _url, is_shown in views if is_shown and view.query), None),
        "access": context["access"],
        "read_only": context["read_only"],
        "csrf_token": context.get("csrf_token"),
    }
