"""The forms of a draft: each shows what one edit would bring, and adds it."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods
from django.views.decorators.vary import vary_on_headers

from brokerui.accounts.access import access
from brokerui.accounts.levels import Level
from brokerui.changes import services
from brokerui.changes.models import SavedDraft
from brokerui.changes.selectors import draft_estate
from brokerui.core.errors import ObjectNotFoundError
from brokerui.core.htmx import wants_piece
from brokerui.estate.refs import route as route_ref
from brokerui.pages.changes.connect import Connecting
from brokerui.pages.changes.edit_field import connect_fields
from brokerui.pages.changes.route_editor import RouteEditor
from brokerui.pages.changes.row_editor import EDITED, RowEditor
from brokerui.pages.changes.viewed_draft import draft_of
from brokerui.pages.changes.writing import REFUSALS, after_write, refusal, revision_sent, status_of
from routing.common.sentence import say


@access(write=Level.EDIT)
@require_http_methods(["GET", "HEAD", "POST"])
@vary_on_headers("HX-Request")
def route_form(request: HttpRequest, number: int) -> HttpResponse:
    """Show the form of a route, prefilled; with `preview`, what it would add as it is typed. POST adds it."""
    draft = draft_of(request, number)
    if not request.GET.get("from_database"):
        return _connect(request, draft)
    if request.method == "POST":
        return _add_route(request, draft, _panel(request, draft, request.POST.dict()))
    if request.GET.get("preview"):
        panel = _panel(request, draft, request.GET.dict())
        return render(request, "changes/_route_preview.html", {"panel": panel, "draft": draft})
    return _route_page(request, draft, _panel(request, draft, None))


def _add_route(request: HttpRequest, draft: SavedDraft, panel: RouteEditor) -> HttpResponse:
    edits = panel.form.edits
    if edits is None:
        return _route_page(request, draft, panel, status=422)
    name = panel.form.page.form.cleaned_data["name"]
    select = str(route_ref(panel.start.instance, panel.start.database, name))
    try:
        written = services.edits_append(
            number=draft.id, revision=revision_sent(request), edits=edits, author=request.user.get_username()
        )
    except REFUSALS as error:
        return _route_page(request, draft_of(request, draft.id), panel, status=status_of(error), refused=refusal(error))
    return after_write(request, written, select)


@access(write=Level.EDIT)
@require_http_methods(["GET", "HEAD", "POST"])
@vary_on_headers("HX-Request")
def row_form(request: HttpRequest, number: int, kind: str) -> HttpResponse:
    """Show and take the form of an instance, a database or a service of a draft."""
    draft = draft_of(request, number)
    if kind not in EDITED:
        raise Http404
    if request.method == "POST":
        return _add_row(request, draft, _row(request, draft, kind, request.POST))
    if request.GET.get("preview"):
        panel = _row(request, draft, kind, request.GET)
        return render(request, "changes/_row_preview.html", {"panel": panel, "draft": draft})
    return _row_page(request, draft, _row(request, draft, kind, None))


def _add_row(request: HttpRequest, draft: SavedDraft, panel: RowEditor) -> HttpResponse:
    edits = panel.form.edits
    if edits is None:
        return _row_page(request, draft, panel, status=422)
    try:
        written = services.edits_append(
            number=draft.id, revision=revision_sent(request), edits=edits, author=request.user.get_username()
        )
    except REFUSALS as error:
        return _row_page(request, draft_of(request, draft.id), panel, status=status_of(error), refused=refusal(error))
    return after_write(request, written, str(panel.ref))


def _row(request: HttpRequest, draft: SavedDraft, kind: str, sent: QueryDict | None) -> RowEditor:
    try:
        return RowEditor(draft, EDITED[kind], request.GET, timezone.now().replace(microsecond=0), sent)
    except LookupError:
        raise ObjectNotFoundError(say("This draft has no such object")) from None


def _row_page(
    request: HttpRequest, draft: SavedDraft, panel: RowEditor, *, status: int = 200, refused: str = ""
) -> HttpResponse:
    context = {"panel": panel, "draft": draft, "refused": refused, "form_template": "changes/_row_form.html"}
    template = "changes/_row_form.html" if wants_piece(request) else "changes/edit_page.html"
    return render(request, template, context, status=status)


def _connect(request: HttpRequest, draft: SavedDraft) -> HttpResponse:
    """Ask from where and to what the route leads; once that is known, show its form."""
    connecting = Connecting.of(draft_estate(draft).estate, request.GET)
    start = connecting.start
    if start is not None:
        return redirect(f"{request.path}?{start.query}")
    context = {"draft": draft, "fields": connect_fields(connecting), "form_template": "changes/_connect_form.html"}
    template = "changes/_connect_form.html" if wants_piece(request) else "changes/edit_page.html"
    return render(request, template, context)


def _panel(request: HttpRequest, draft: SavedDraft, sent: dict[str, str] | None) -> RouteEditor:
    try:
        return RouteEditor(draft, request.GET, timezone.now().replace(microsecond=0), sent)
    except LookupError:
        raise ObjectNotFoundError(say("This draft has no such route or database")) from None


def _route_page(
    request: HttpRequest, draft: SavedDraft, panel: RouteEditor, *, status: int = 200, refused: str = ""
) -> HttpResponse:
    """The form alone where htmx asks for it, else as a page of its own."""
    context = {"panel": panel, "draft": draft, "refused": refused, "form_template": "changes/_route_form.html"}
    template = "changes/_route_form.html" if wants_piece(request) else "changes/edit_page.html"
    return render(request, template, context, status=status)
