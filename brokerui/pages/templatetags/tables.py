"""Template tags of the pages of the tables: `{% load tables %}`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from django import template
from django.contrib.admin.views.main import PAGE_VAR, ChangeList
from django.utils import timezone
from django.utils.timesince import timesince, timeuntil
from django.utils.translation import gettext as _

from brokerui.core.paging import Page
from brokerui.core.typed_moments import read_moment
from routing.common.errors import Invalid

register = template.Library()


@register.filter
def at(found: Mapping[str, Any], name: str) -> Any:
    """Return the value of a mapping under a name; empty: nothing."""
    return found.get(name, ()) if found else ()


@register.filter
def notes_at(preview: Any, name: str) -> Any:
    """The findings at a field."""
    return preview.at_fields.get(name, ()) if preview else ()


@register.simple_tag
def list_page(cl: ChangeList) -> Page[Any]:
    """The page of a list that is shown."""
    return Page(cl.paginator, cl.page_num)


@register.simple_tag
def page_query(cl: ChangeList, page: str) -> str:
    """The query of another page of a list, with all filters kept; empty where there is no such page."""
    return cl.get_query_string({PAGE_VAR: page}).removeprefix("?") if page else ""


@register.filter
def fields_of(form: Any) -> Iterator[tuple[Any, list[Any]]]:
    """Headings with their fields."""
    for heading, names in form.groups or (("", form.names()),):
        yield heading, [form[name] for name in names]


@register.filter
def cells(form: Any) -> list[Any]:
    """The fields of a line."""
    return [form[name] for name in form.names()]


@register.filter
def is_tick(field: Any) -> bool:
    """Whether it is a box to tick."""
    return bool(field.widget_type == "checkbox")


@register.filter
def from_now(text: Any) -> str:
    """Render a moment; empty for None."""
    try:
        moment = text if isinstance(text, datetime) else read_moment(str(text or ""))
    except Invalid:
        return ""
    is_past = moment <= timezone.now()
    distance = timesince(moment, depth=1) if is_past else timeuntil(moment, depth=1)
    return (_("expired %(time)s ago") if is_past else _("expires in %(time)s")) % {"time": distance}
