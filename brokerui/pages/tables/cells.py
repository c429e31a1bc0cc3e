"""Cells of the tables' lists: words, names, numbers, moments."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db.models import Count, OuterRef, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from brokerui.core.moments import day_text, time_tag
from brokerui.pages.tables.base_admin import NULL


def on_off(value: bool) -> SafeString:
    """A word that says it, the off one so that it is seen."""
    return format_html('<span class="{}">{}</span>', "on" if value else "off", _("on") if value else _("off"))


def code(value: Any) -> Any:
    """A name or an address, byte by byte."""
    return format_html("<code>{}</code>", value) if value else NULL


def counted(model: Any, owner: str) -> Any:
    """How many rows of a model an outer row has, as a subquery: only the rows of the page are counted."""
    rows = model.objects.filter(**{owner: OuterRef("pk")}).order_by().values(owner)
    return Coalesce(Subquery(rows.annotate(n=Count("pk")).values("n")), 0)


def lifetime(moment: datetime | None) -> Any:
    """The day, and in words whether it is past."""
    if moment is None:
        return NULL
    is_past = moment <= timezone.now()
    word = _("expired") if is_past else _("expires")
    return time_tag(moment, f"{word} {day_text(moment)}", "nowrap off" if is_past else "nowrap")
