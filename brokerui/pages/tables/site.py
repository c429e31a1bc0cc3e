"""The site of the tables: its access rule and its tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, URLResolver, include, path, reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from brokerui.accounts.access import access
from brokerui.accounts.levels import Level, holds, may


@dataclass(frozen=True, slots=True)
class Entry:
    """A table on the first page."""

    title: str
    one: str
    """The name of a row of it."""
    about: Promise | str
    url: str
    add: str
    """Empty where nothing can be added."""


class Site(admin.AdminSite):
    """Ours: no signing in of its own, no permissions of its own, no writing past the estate's service."""

    site_header = _("Tables")
    site_title = _("Tables")
    final_catch_all_view = False

    def __init__(self) -> None:
        super().__init__(name="tables")
        # Deleting rows is for the service: every list brings its own actions.
        self._actions: dict[str, Any] = {}

    def has_permission(self, request: HttpRequest) -> bool:
        """Editors; on a site that is read-only they look and write nothing."""
        return holds(request.user, Level.EDIT)

    def admin_view(self, view: Any, cacheable: bool = False) -> Any:
        """A view for users who may see the tables; `AccessMiddleware` refuses writing before it."""

        @access(write=Level.EDIT)
        @require_http_methods(["GET", "HEAD", "POST"])
        @never_cache
        def inner(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            if not self.has_permission(request):
                raise PermissionDenied
            request.current_app = self.name
            response: HttpResponse = view(request, *args, **kwargs)
            return response

        return inner

    def get_urls(self) -> list[URLPattern | URLResolver]:
        """The first page and the tables; none of Django's pages for accounts, scripts or content types."""
        from brokerui.pages.tables.options import options  # noqa: PLC0415 - which asks the tables of this site

        tables = [
            path(f"{model._meta.app_label}/{model._meta.model_name}/", include(one.urls))
            for model, one in self._registry.items()
        ]
        return [
            path("", self.admin_view(require_safe(self.index)), name="index"),
            path("options/<slug:kind>/", self.admin_view(require_safe(options)), name="options"),
            *tables,
        ]

    def each_context(self, request: HttpRequest) -> dict[str, Any]:
        """Return the context of every page of the tables."""
        return {"may_edit": may(request.user, Level.EDIT), "site_header": self.site_header}

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        """All tables, in their groups."""
        groups = [(title, list(self._entries(request, labels))) for title, labels in GROUPS]
        context = {**self.each_context(request), "groups": [group for group in groups if group[1]]}
        return TemplateResponse(request, "tables/index.html", context)

    def _entries(self, request: HttpRequest, names: tuple[str, ...]) -> Iterator[Entry]:
        by_name = {model._meta.label_lower: one for model, one in self._registry.items()}
        for name in names:
            one: Any = by_name[name]
            if one.has_view_permission(request):
                base = "tables:" + name.replace(".", "_")
                add = reverse(f"{base}_add") if one.has_add_permission(request) else ""
                yield Entry(str(one.title), str(one.opts.verbose_name), one.about, reverse(f"{base}_changelist"), add)


GROUPS: tuple[tuple[Promise, tuple[str, ...]], ...] = (
    (_("Where messages go"), ("estate.instance", "estate.database", "estate.route")),
    (
        _("In the databases"),
        (
            "estate.service",
            "estate.queue",
            "estate.contract",
            "estate.messagetype",
            "estate.priority",
            "estate.remoteservicebinding",
        ),
    ),
    (_("History"), ("estate.version",)),
    (_("Access"), ("auth.user", "accounts.token", "axes.accessattempt")),
)

site = Site()
