"""The pages of one row: its form, what a change of it would bring, and dropping it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _

from brokerui.accounts.levels import Level, may
from brokerui.analysis.effect.consent import ConsentMissingError
from brokerui.analysis.effect.saving import edits_save
from brokerui.changes.models import NAME
from brokerui.changes.services import draft_create
from brokerui.core.templatetags.wording import sentence_text
from brokerui.estate.errors import EstateStaleError
from brokerui.estate.models import Database, Version
from brokerui.estate.selectors import LiveEstate, estate_current, version_list
from brokerui.pages.tables.change_preview import ChangePreview, change_preview, change_preview_of_all
from brokerui.pages.tables.form_page import IN_TABLE, FormPage
from brokerui.pages.tables.row_kinds import IN_DATABASES, KINDS, Key, RowKind, drop, find, is_system, own_members_of
from brokerui.pages.tables.unsaved_edits import UnsavedEdits
from routing.common.errors import Invalid

NOTE = 500
"""Characters of a version's note that a form writes."""
SINCE = 5
"""Newer versions that are listed to an editor whose form is stale."""


@dataclass(frozen=True, slots=True)
class Fresh:
    """The changes since a form was opened."""

    base: int
    current: int
    versions: list[Version]


def form_page(request: HttpRequest, kind: RowKind, key: Key | None, context: dict[str, Any]) -> HttpResponse:
    """Show the form; or take it: what cannot be, is stale or loses messages comes back with all that was typed."""
    live = estate_current()
    if key is not None and find(kind, live.estate, key) is None:
        raise Http404
    if request.method != "POST":
        form_page = FormPage(kind, live, key, initial=_initial(request, kind) if key is None else None)
        # Before anything was typed: the findings about the object as it is.
        preview = change_preview(form_page, UnsavedEdits(live), timezone.now()) if key is not None else ChangePreview()
        return _form(request, form_page, live, preview, context)
    return _take(request, FormPage(kind, live, key, request.POST), live, context)


def preview_page(request: HttpRequest, kind: RowKind, key: Key | None, context: dict[str, Any]) -> HttpResponse:
    """Preview the change of the form as it stands. Nothing is written."""
    live = estate_current()
    form_page = FormPage(kind, live, key, request.POST)
    draft = form_page.draft
    preview = change_preview(form_page, draft, timezone.now()) if draft is not None else ChangePreview()
    return render(
        request,
        "tables/_preview.html",
        {
            **context,
            "form_page": form_page,
            "preview": preview,
            "faults": form_page.faults,
            "may_edit": may(request.user, Level.EDIT),
            "ticked": request.POST.get("consent", ""),
        },
    )


def _take(request: HttpRequest, form_page: FormPage, live: LiveEstate, context: dict[str, Any]) -> HttpResponse:
    draft = form_page.draft
    if draft is None:
        return _form(request, form_page, live, ChangePreview(), context, status=422)
    preview = change_preview(form_page, draft, timezone.now())
    base = _number(request.POST.get("base_version", ""))
    if base != live.version:
        return _form(request, form_page, live, preview, {**context, "fresh": _since(base, live)}, status=409)
    if "_count" in request.POST:
        return _form(request, form_page, live, preview, context)
    return _write(request, form_page, live, draft, preview, context)


def _write(
    request: HttpRequest,
    form_page: FormPage,
    live: LiveEstate,
    draft: UnsavedEdits,
    preview: ChangePreview,
    context: dict[str, Any],
) -> HttpResponse:
    key = form_page.name_of or ()
    if not draft:
        messages.info(request, _("Nothing was changed."))
        return redirect(_after(request, form_page.kind, key))
    verb = "changed" if form_page.key else "added"
    note = f"Tables: {verb} {form_page.kind.name} {'/'.join(key)}"
    if "_draft" in request.POST:
        return kept_as_draft(request, draft, note)
    try:
        written = apply(request, draft, note, preview.warnings)
    except ConsentMissingError as error:
        preview.save = error.preview
        return _form(request, form_page, live, preview, {**context, "asks": True}, status=422)
    except EstateStaleError:
        now = estate_current()
        return _form(request, form_page, now, preview, {**context, "fresh": _since(live.version, now)}, status=409)
    saved = _("Saved %(name)s: the estate is at version %(version)s.")
    messages.success(request, saved % {"name": key[-1], "version": written.version})
    return redirect(_after(request, form_page.kind, key))


def apply(request: HttpRequest, draft: UnsavedEdits, note: str, warnings: Collection[object] = ()) -> LiveEstate:
    """Write edits as one version, with what the writer says of it.

    Raises `ConsentMissingError` where conversations get worse and nobody has confirmed it, and `EstateStaleError`.
    """
    return edits_save(
        live=draft.live,
        edits=draft.edits,
        note=_with_why(request, note),
        author=request.user.get_username(),
        consent=request.POST.get("consent", ""),
        warnings=warnings,
    )


def kept_as_draft(request: HttpRequest, draft: UnsavedEdits, note: str) -> HttpResponse:
    """Begin a draft with the edits instead of saving them, and show its effect."""
    name = _with_why(request, note).removeprefix("Tables: ")[:NAME]
    made = draft_create(name=f"{name[:1].upper()}{name[1:]}", edits=draft.edits, author=request.user.get_username())
    return redirect("changes:effect", made.id)


def _with_why(request: HttpRequest, note: str) -> str:
    why = " ".join(request.POST.get("note", "").split())
    return f"{note}: {why}"[:NOTE] if why else note


def _form(
    request: HttpRequest,
    form_page: FormPage,
    live: LiveEstate,
    preview: ChangePreview,
    context: Mapping[str, Any],
    *,
    status: int = 200,
) -> HttpResponse:
    more = {
        "form_page": form_page,
        "preview": preview,
        "faults": form_page.faults,
        "base_version": live.version,
        "may_edit": may(request.user, Level.EDIT) and not is_system(form_page.kind, form_page.key),
        "is_system": is_system(form_page.kind, form_page.key),
        "ticked": request.POST.get("consent", ""),
        "also": _also(form_page),
        "in_table": IN_TABLE,
        "is_refused": request.method == "POST" and form_page.draft is None,
        "next": next_page(request),
        "copy": _copy(form_page),
    }
    return render(request, "tables/form.html", {**context, **more}, status=status)


def _initial(request: HttpRequest, kind: RowKind) -> dict[str, Any]:
    """Return the values that another page fills in: columns by their names, `database=` (its number) or `place=`."""
    found: dict[str, Any] = {name: value for name, value in request.GET.items() if name in kind.form.names()}
    if "place" in request.GET:
        found["place"] = request.GET["place"]
    number = _number(request.GET.get("database", ""))
    row = Database.objects.select_related("instance").filter(id=number).first() if number else None
    if row is not None:
        found["place"] = f"{row.instance.name}/{row.name}" if kind.depth > 2 else row.instance.name
    return found


def _copy(form_page: FormPage) -> dict[str, Any]:
    """The columns with which another one like it begins."""
    if form_page.key is None:
        return {}
    # An identifier is of one database; a route may give the same one as another.
    own = ("name", "broker_instance") if form_page.kind.name == "database" else ("name",)
    columns = {name: value for name, value in form_page.document.items() if isinstance(value, str) and name not in own}
    return {**columns, "place": "/".join(form_page.key[:-1])}


def _also(form_page: FormPage) -> list[tuple[Any, int, str, str]]:
    """Count the other objects in a database or an instance, with the addresses of their list and form."""
    if form_page.key is None or form_page.old is None:
        return []
    if form_page.kind.name == "instance":
        return [_link(KINDS["database"], len(form_page.old.databases), "instance", form_page.key[0])]
    if form_page.kind.name != "database":
        return []
    place = "/".join(form_page.key)
    return [_link(kind, len(own_members_of(kind, form_page.old)), "database", place) for kind in IN_DATABASES]


def _link(kind: RowKind, count: int, parameter: str, place: str) -> tuple[Any, int, str, str]:
    base = f"tables:estate_{kind.name}"
    listed = f"{reverse(base + '_changelist')}?{urlencode({parameter: place})}"
    return (
        kind.model._meta,
        count,
        listed,
        f"{reverse(base + '_add')}?{urlencode({'place': place})}",
    )


def _after(request: HttpRequest, kind: RowKind, key: Key) -> str:
    """On to where the writer wants to be."""
    if "_stay" in request.POST:
        row = row_of(kind, key)
        if row is not None:
            return _staying(reverse(f"tables:estate_{kind.name}_change", args=[row.pk]), next_page(request))
    return next_page(request) or reverse(f"tables:estate_{kind.name}_changelist")


def next_page(request: HttpRequest) -> str:
    """Where the writer came from and wants to be again: a page of this site, or empty."""
    url = request.POST.get("next", request.GET.get("next", ""))
    is_page = (
        url.startswith("/")
        and url.isascii()
        and url.isprintable()
        and url_has_allowed_host_and_scheme(url, allowed_hosts=None)
    )
    return url if is_page else ""


def _staying(url: str, after: str) -> str:
    return f"{url}?{urlencode({'next': after})}" if after else url


def row_of(kind: RowKind, key: Key) -> Any:
    """The row of the tables that has this key."""
    names = {1: ("name",), 2: ("instance__name", "name"), 3: ("database__instance__name", "database__name", "name")}
    return kind.model.objects.filter(**dict(zip(names[len(key)], key, strict=True))).first()


def key_of_row(kind: RowKind, row: Any) -> Key:
    """The other way round; the row's owners should have been read with it."""
    if kind.depth == 1:
        return (row.name,)
    if kind.depth == 2:
        return row.instance.name, row.name
    return row.database.instance.name, row.database.name, row.name


def _since(base: int, live: LiveEstate) -> Fresh:
    versions = [one for one in version_list(limit=SINCE) if one.number > base]
    return Fresh(base, live.version, versions)


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else 0


# -- Dropping, and whatever else is done to many rows at once ------------------------------------------------


def confirm_page(
    request: HttpRequest, draft: UnsavedEdits, keys: list[Key], live: LiveEstate, context: dict[str, Any]
) -> HttpResponse:
    """Preview an act on rows, and ask for a confirmation."""
    preview = change_preview_of_all(draft, timezone.now(), _places(keys))
    preview.save = context.get("refused", preview.save)
    more = {"preview": preview, "keys": keys[:IN_TABLE], "count": len(keys), "base_version": live.version}
    more |= {"next": next_page(request), "may_edit": True, "ticked": request.POST.get("consent", "")}
    return render(request, "tables/confirm.html", {**context, **more}, status=422 if "refused" in context else 200)


def _places(keys: list[Key]) -> list[Key]:
    """Where to look: the databases, or the instances, of a few rows. More take longer than a page waits."""
    places = list(dict.fromkeys(key[:2] for key in keys))
    return places if len(places) <= 3 else []


def is_meant(request: HttpRequest, live: LiveEstate) -> bool:
    """Whether a request asks to write what its reader has seen, on the estate as it still is."""
    is_sent = request.method == "POST" and "_count" not in request.POST
    return is_sent and request.POST.get("base_version") == str(live.version)


def drop_page(request: HttpRequest, kind: RowKind, key: Key, context: dict[str, Any]) -> HttpResponse:
    """Ask, then drop the row with all that is in it."""
    live = estate_current()
    if find(kind, live.estate, key) is None:
        raise Http404
    draft = UnsavedEdits(live)
    try:
        drop(kind, draft, key)
    except Invalid as fault:
        return _not_deleted(request, kind, sentence_text(fault.problem))
    if not is_meant(request, live):
        if request.method == "POST" and "_count" not in request.POST:
            context = {**context, "fresh": _since(_number(request.POST.get("base_version", "")), live)}
        return confirm_page(request, draft, [key], live, context)
    if not may(request.user, Level.EDIT):
        raise PermissionDenied
    note = f"Tables: deleted {kind.name} {'/'.join(key)}"
    if "_draft" in request.POST:
        return kept_as_draft(request, draft, note)
    try:
        written = apply(request, draft, note)
    except ConsentMissingError as error:
        return confirm_page(request, draft, [key], live, {**context, "refused": error.preview})
    except (EstateStaleError, Invalid) as error:
        text = sentence_text(error.problem) if isinstance(error, Invalid) else str(error)
        messages.error(request, _("Nothing was deleted: %(why)s") % {"why": text})
        return redirect(request.path)
    gone = _("Deleted %(name)s: the estate is at version %(version)s.")
    messages.success(request, gone % {"name": key[-1], "version": written.version})
    return redirect(next_page(request) or reverse(f"tables:estate_{kind.name}_changelist"))


def _not_deleted(request: HttpRequest, kind: RowKind, why: str) -> HttpResponse:
    """Say why the row stays, beside the others."""
    messages.error(request, _("Nothing was deleted: %(why)s") % {"why": why})
    return redirect(next_page(request) or reverse(f"tables:estate_{kind.name}_changelist"))
