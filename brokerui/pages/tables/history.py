"""The list of versions, read-only."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_lazy

from brokerui.core.templatetags.look import when
from brokerui.estate.models import Version
from brokerui.estate.models.versions import VersionKind
from brokerui.pages.tables.base_admin import BaseAdmin
from brokerui.pages.tables.list_filters import Chosen, Typed
from brokerui.pages.tables.site import site


class Author(Typed):
    """The user who made the change."""

    title = gettext_lazy("author")
    parameter_name = "author"

    def condition(self, text: str) -> Q:
        """By the whole name."""
        return Q(author=text)


class Since(Chosen):
    """How long ago; `column` is the moment."""

    title = gettext_lazy("when")
    parameter_name = "when"
    column = "at"
    choices_of = (
        ("1", gettext_lazy("last day")),
        ("7", gettext_lazy("last 7 days")),
        ("30", gettext_lazy("last 30 days")),
    )

    def condition(self, value: str) -> Q | None:
        """Against the clock as it is now."""
        days = dict(self.choices_of)
        return Q(**{f"{self.column}__gte": timezone.now() - timedelta(days=int(value))}) if value in days else None


class VersionSince(Since):
    """Filters versions by time."""

    column = "created_at"


class KindOf(Chosen):
    """How versions came about."""

    title = gettext_lazy("kind")
    parameter_name = "kind"
    choices_of = tuple(VersionKind.choices)

    def condition(self, value: str) -> Q | None:
        """One of them."""
        return Q(kind=value) if value in VersionKind.values else None


@admin.register(Version, site=site)
class Versions(BaseAdmin):
    """The versions of the estate, and since when each held."""

    about = gettext_lazy("Every state that the estate was in, with what changed.")
    actions = None
    ordering = ("-number",)
    list_display = ("label", "made", "kind", "author", "note", "change", "look_back")
    list_display_links = None
    list_filter = (Author, KindOf, VersionSince)
    search_fields = ("note", "author")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Leave the documents in the database."""
        return super().get_queryset(request).defer("document", "edits")

    @admin.display(description="version", ordering="number")
    def label(self, row: Any) -> SafeString:
        """The number of a version, which leads to what changed in it."""
        return format_html(
            '<a class="figure" href="{}" aria-label="{}">{}</a>',
            reverse("changes:version", args=[row.number]),
            gettext("What changed in version %(number)s") % {"number": row.number},
            row.number,
        )

    @admin.display(description="created_at", ordering="created_at")
    def made(self, row: Any) -> SafeString:
        """When."""
        return when(row.created_at)

    @admin.display(description=gettext_lazy("rows"))
    def change(self, row: Any) -> SafeString:
        """How much it changed: added, changed, removed."""
        return format_html(
            '<span class="nowrap">+{} ~{} -{}</span>', f"{row.added:,}", f"{row.changed:,}", f"{row.removed:,}"
        )

    @admin.display(description=gettext_lazy("look back"))
    def look_back(self, row: Any) -> SafeString:
        """Links to the document of a version, and to the map as of it."""
        return format_html(
            '<span class="nowrap"><a href="{}">{}<span class="unseen"> {number}</span></a> · '
            '<a href="{}">estate.json<span class="unseen"> {number}</span></a></span>',
            f"{reverse('map:map')}?as_of={row.number}",
            gettext("Map"),
            f"{reverse('estate:document')}?as_of={row.number}",
            number=row.number,
        )
