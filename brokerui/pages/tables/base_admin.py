"""The list of a table: Django's, in our look; its rows are written through the estate's service only."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from django.contrib import admin, messages
from django.contrib.admin.utils import label_for_field
from django.contrib.admin.views.main import ChangeList
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.forms import Media
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern, path, reverse
from django.utils.functional import Promise
from django.utils.safestring import mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from brokerui.accounts.levels import Level, holds, may
from brokerui.analysis.effect.consent import ConsentMissingError
from brokerui.core.templatetags.wording import sentence_text
from brokerui.estate.errors import EstateStaleError
from brokerui.estate.selectors import estate_current
from brokerui.pages.shell.columns import Column, ShownTable, Table
from brokerui.pages.tables.row_kinds import Key, RowKind, drop
from brokerui.pages.tables.row_page import (
    apply,
    confirm_page,
    drop_page,
    form_page,
    is_meant,
    kept_as_draft,
    key_of_row,
    preview_page,
)
from brokerui.pages.tables.unsaved_edits import UnsavedEdits
from routing.common.errors import Invalid

NULL = mark_safe('<span class="null">NULL</span>')
COLUMNS_KEY = "columns"
BEGINS_ANEW = ("o", "p")
"""Django's parameters for the order and the page."""
AT_ONCE = 1_000
"""Rows that one bulk action may change: it makes one version, which its reader can check."""
Act = Callable[[UnsavedEdits, Key], None]


class ListOfColumns(ChangeList):
    """Django's list, whose address may choose columns too."""

    def get_filters_params(self, params: dict[str, Any] | None = None) -> dict[str, Any]:
        found: dict[str, Any] = super().get_filters_params(params)
        return {name: value for name, value in found.items() if name != COLUMNS_KEY}


class BaseAdmin(admin.ModelAdmin):
    """Look and access rule that all lists share."""

    about: ClassVar[Promise | str] = ""
    level: ClassVar[Level] = Level.EDIT
    change_list_template = "tables/list.html"
    list_per_page = 50
    list_max_show_all = 0
    show_full_result_count = False
    search_label: ClassVar[Promise] = gettext_lazy("Search")

    @property
    def title(self) -> str:
        """The name of the table."""
        return str(self.opts.verbose_name_plural)

    @property
    def media(self) -> Media:
        """None of Django's scripts and styles: ours stand in the templates."""
        return Media()

    def get_list_display(self, request: HttpRequest) -> Any:
        """The columns that the address chooses, after the one that names the row. Raises `BadAddressError`."""
        view = self.table(request)
        return tuple(name for name in super().get_list_display(request) if view.has[str(name)])

    def table(self, request: HttpRequest) -> ShownTable[Any]:
        """Columns of the list. Django numbers them for its order, so another choice begins in the usual one."""
        columns: list[Column[Any]] = [
            Column(str(name), str(label_for_field(name, self.model, self)), is_head=number == 0)
            for number, name in enumerate(super().get_list_display(request))
        ]
        return Table(*columns).read(
            {name: value for name, value in request.GET.dict().items() if name not in BEGINS_ANEW}
        )

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        """The list without the parameter of columns among its filters."""
        return ListOfColumns

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """By level; on a read-only site too."""
        return holds(request.user, self.level)

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Unless a table says otherwise, rows are not made by hand."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """The same."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """The same."""
        return False

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Whether it is named on the first page."""
        return self.has_view_permission(request)

    def get_urls(self) -> list[URLPattern]:
        """The list, and what a table adds."""
        return [self._path("", self.changelist_view, "changelist"), *self.more_urls()]

    def more_urls(self) -> list[URLPattern]:
        """Return the addresses of the pages beside the list."""
        return []

    def _path(self, route: str, view: Any, name: str) -> URLPattern:
        full: str = f"{self.opts.app_label}_{self.opts.model_name}_{name}"
        pattern: URLPattern = path(route, self.admin_site.admin_view(view), name=full)
        return pattern

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        """Django's, with what our template shows besides."""
        add = f"tables:{self.opts.app_label}_{self.opts.model_name}_add"
        acts: dict[str, Any] = self.get_actions(request) or {}
        more = {
            "listing": self,
            "table": self.table(request),
            "may_edit": may(request.user, self.level),
            "add_url": reverse(add) if self.has_add_permission(request) else "",
            "acts": [(name, label) for name, (_act, name, label) in acts.items()],
        }
        return super().changelist_view(request, {**(extra_context or {}), **more})


class EstateTableAdmin(BaseAdmin):
    """A table of the estate."""

    kind: ClassVar[RowKind]
    empty_value_display = NULL
    actions: Any = ("delete_rows",)
    ordering: ClassVar[Any] = ("database_id", "name")
    list_select_related: ClassVar[Any] = ("database__instance",)

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Editors, where anything can be written."""
        return may(request.user, Level.EDIT)

    has_change_permission = has_add_permission
    has_delete_permission = has_add_permission

    def more_urls(self) -> list[URLPattern]:
        """Return the addresses of single rows."""
        return [
            self._path("add/", self.add_row, "add"),
            self._path("preview/", self.preview, "preview_new"),
            self._path("<int:row>/change/", self.change_row, "change"),
            self._path("<int:row>/preview/", self.preview, "preview"),
            self._path("<int:row>/delete/", self.delete_row, "delete"),
        ]

    # -- One row -------------------------------------------------------------------------------------------

    def add_row(self, request: HttpRequest) -> HttpResponse:
        """The form for a new one."""
        if not self.has_add_permission(request):
            raise PermissionDenied
        return form_page(request, self.kind, None, self._context(request))

    def change_row(self, request: HttpRequest, row: int) -> HttpResponse:
        """The form of one that is there."""
        return form_page(request, self.kind, self._key(row), self._context(request, row))

    def preview(self, request: HttpRequest, row: int | None = None) -> HttpResponse:
        """Preview the change of a form."""
        key = self._key(row) if row is not None else None
        return preview_page(request, self.kind, key, self._context(request, row))

    def delete_row(self, request: HttpRequest, row: int) -> HttpResponse:
        """Asks, and drops it."""
        if not self.has_delete_permission(request):
            raise PermissionDenied
        key = self._key(row)
        asks = _("Delete %(kind)s %(name)s?") % {"kind": self.opts.verbose_name, "name": key[-1]}
        context = {**self._context(request, row), "asks": asks, "does": _("Delete %(name)s") % {"name": key[-1]}}
        return drop_page(request, self.kind, key, context)

    def _key(self, row: int) -> Key:
        owners = {1: (), 2: ("instance",), 3: ("database__instance",)}[self.kind.depth]
        rows: QuerySet[Any] = self.model.objects.select_related(*owners)
        found = rows.filter(pk=row).first()
        if found is None:
            raise Http404
        return key_of_row(self.kind, found)

    def _context(self, request: HttpRequest, row: int | None = None) -> dict[str, Any]:
        base = f"tables:estate_{self.kind.name}"
        urls = {
            "list_url": reverse(f"{base}_changelist"),
            "add_url": reverse(f"{base}_add"),
            "preview_url": reverse(f"{base}_preview", args=[row]) if row else reverse(f"{base}_preview_new"),
            "delete_url": reverse(f"{base}_delete", args=[row]) if row else "",
        }
        return {**self.admin_site.each_context(request), **urls, "kind": self.kind, "opts": self.opts}

    # -- Many rows -----------------------------------------------------------------------------------------

    @admin.action(description=gettext_lazy("Delete…"), permissions=["delete"])
    def delete_rows(self, request: HttpRequest, rows: QuerySet[Any]) -> HttpResponse | None:
        """Drops all that are ticked."""

        def act(draft: UnsavedEdits, key: Key) -> None:
            drop(self.kind, draft, key)

        return self.done(request, rows, act, "deleted", _("Delete"))

    def done(
        self,
        request: HttpRequest,
        rows: QuerySet[Any],
        act: Act,
        did: str,
        verb: str,
        *,
        problem: str = "",
        **more: Any,
    ) -> HttpResponse | None:
        """Ask first, naming how many; then write all of it as one version. With a `problem` it is asked again."""
        keys = [key_of_row(self.kind, row) for row in rows[: AT_ONCE + 1]]
        if len(keys) > AT_ONCE:
            text = _("At most %(most)s rows at once. Nothing was changed: narrow the filter.")
            messages.warning(request, text % {"most": f"{AT_ONCE:,}"})
            return None
        live = estate_current()
        draft = UnsavedEdits(live)
        try:
            for key in keys:
                act(draft, key)
            if is_meant(request, live) and not problem:
                return self._written(request, draft, did, keys)
        except ConsentMissingError as error:
            more["refused"] = error.preview
        except (Invalid, EstateStaleError) as error:
            text = sentence_text(error.problem) if isinstance(error, Invalid) else str(error)
            messages.error(request, _("Nothing was changed: %(why)s") % {"why": text})
            return None
        context = {**self._context(request), **self._asks(request, keys, verb), "problem": problem, **more}
        context["is_late"] = request.POST.get("base_version", str(live.version)) != str(live.version)
        return confirm_page(request, draft, keys, live, context)

    def _written(self, request: HttpRequest, draft: UnsavedEdits, did: str, keys: list[Key]) -> HttpResponse | None:
        if not draft:
            messages.info(request, _("Nothing was changed."))
            return None
        count = len(keys)
        note = f"Tables: {did} {count} {self.opts.verbose_name_plural}"
        if "_draft" in request.POST:
            return kept_as_draft(request, draft, note)
        written = apply(request, draft, note)
        text = ngettext("%(count)s row; version %(version)s.", "%(count)s rows; version %(version)s.", count)
        messages.success(request, text % {"count": count, "version": written.version})
        return redirect(request.get_full_path())

    def _asks(self, request: HttpRequest, keys: list[Key], verb: str) -> dict[str, Any]:
        plural = self.opts.verbose_name_plural if len(keys) != 1 else self.opts.verbose_name
        title = f"{verb}: {len(keys)} {plural}"
        sent = [(name, value) for name, values in request.POST.lists() for value in values if name in _SENT_AGAIN]
        return {"asks": f"{title}?", "does": title, "sent": sent}


_SENT_AGAIN = ("action", "select_across", "index", "_selected_action")
