"""Real servers: the list, one server, what one of its databases leaves over, and pasting rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.views import View
from django.views.decorators.http import require_POST, require_safe

from brokerui.accounts.access import access
from brokerui.accounts.levels import Level, UserAccess
from brokerui.analysis.servers.asking_sql import CONVERSATIONS, ERROR_LOG, MESSAGES
from brokerui.analysis.servers.leak import DatabaseLeak
from brokerui.analysis.servers.leak_reading import leak_of
from brokerui.analysis.servers.models import CollectionSource
from brokerui.analysis.servers.selectors import collection_get
from brokerui.analysis.servers.services import collection_delete, collection_keep
from brokerui.analysis.servers.sums import ServerSums
from brokerui.api.ids import id_of, key_of
from brokerui.core.csv import csv_lines
from brokerui.core.moments import moment_words
from brokerui.estate.selectors import estate_current, instance_freshness
from brokerui.messaging.broker_cache import hosted_names
from brokerui.pages.servers.leak_page import GROUP_COLUMNS, GROWTH_COLUMNS, group_rows, growth_rows, leak_context
from brokerui.pages.servers.list_page import list_context, server_context
from brokerui.pages.servers.paste_form import PasteForm, signed, unsigned

SHOWN_GROUPS = 20
"""Groups of messages that a preview lists."""


@require_safe
def server_list(request: HttpRequest) -> HttpResponse:
    """Every real server, with its freshness and holdings; `?server=` leads to the page of one."""
    name = request.GET.get("server", "")
    if name:
        return redirect("servers:server", id_of((name,)))
    return render(request, "servers/list.html", list_context(request.GET.dict()))


@require_safe
def server(request: HttpRequest, server_id: str) -> HttpResponse:
    """One server: causes, databases, errors of its log, collections."""
    key = key_of(server_id, 1)
    context = server_context(key[0], UserAccess(request.user)) if key is not None else None
    if context is None:
        raise Http404
    return render(request, "servers/server.html", {**context, "server_id": server_id})


@require_safe
def leak(request: HttpRequest, database_id: str) -> HttpResponse:
    """The conversations that one database leaves over."""
    found = _leak(database_id)
    context = leak_context(found, request.GET)
    ids = {"database_id": database_id, "server_id": id_of((found.server,))}
    return render(request, "servers/leak.html", {**context, **ids})


@require_safe
def groups_csv(request: HttpRequest, database_id: str) -> StreamingHttpResponse:
    """Services by role, state and age as a file."""
    return _csv("conversations.csv", GROUP_COLUMNS, group_rows(_leak(database_id)))


@require_safe
def growth_csv(request: HttpRequest, database_id: str) -> StreamingHttpResponse:
    """Every collection with its endpoints by state as a file."""
    return _csv("growth.csv", GROWTH_COLUMNS, growth_rows(_leak(database_id)))


def _leak(database_id: str) -> DatabaseLeak:
    key = key_of(database_id, 2)
    found = leak_of(estate_current(), *key) if key is not None else None
    if found is None:
        raise Http404
    return found


def _csv(name: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> StreamingHttpResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "private, no-cache"}
    lines = csv_lines(chain([columns], rows))
    return StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8", headers=headers)


@method_decorator(access(write=Level.OPERATE), name="dispatch")
class Paste(View):
    """Pasted rows: the form, the preview of the sums, and keeping them."""

    def get(self, request: HttpRequest) -> HttpResponse:
        """Show the form."""
        return _form(
            request, PasteForm.new(request.GET.get("server", ""), request.GET.get("database", ""), timezone.now())
        )

    def post(self, request: HttpRequest) -> HttpResponse:
        """Show the sums of the text; with the sums of a preview, keep them."""
        author = request.user.get_username()
        if "sums" in request.POST:
            sums = unsigned(request.POST["sums"], author)
            return _expired(request) if sums is None else _keep(request, sums, author)
        form = PasteForm.of(request.POST)
        sums = form.read(request.FILES.get("file"))
        if sums is None:
            return _form(request, form, status=422)
        return render(request, "servers/preview.html", {**_preview(sums), "sums": signed(sums, author)})


def _form(request: HttpRequest, form: PasteForm, status: int = 200) -> HttpResponse:
    hosted = set(hosted_names())
    context = {
        "form": form,
        "known": [name for name in instance_freshness() if name not in hosted],
        "statements": ((_("Messages"), MESSAGES), (_("Conversations"), CONVERSATIONS), (_("Error log"), ERROR_LOG)),
    }
    return render(request, "servers/paste.html", context, status=status)


def _expired(request: HttpRequest) -> HttpResponse:
    messages.error(request, _("This preview is older than a day, or not yours. Paste the rows again."))
    return redirect("servers:paste")


def _keep(request: HttpRequest, sums: ServerSums, author: str) -> HttpResponse:
    collection_keep(sums=sums, author=author, source=CollectionSource.PASTED)
    messages.success(request, _("Kept, as of %(moment)s.") % {"moment": moment_words(sums.at)})
    return redirect("servers:server", id_of((sums.server,)))


def _preview(shown: ServerSums) -> dict[str, object]:
    groups = [
        (one.name, row) for one in shown.databases if one.transmissions is not None for row in one.transmissions.rows
    ]
    return {
        "shown": shown,
        "groups": groups[:SHOWN_GROUPS],
        "more": max(0, len(groups) - SHOWN_GROUPS),
        "is_known": shown.server in instance_freshness(),
    }


@access(write=Level.OPERATE)
@require_POST
def delete(request: HttpRequest, number: int) -> HttpResponse:
    """Delete a collection that was kept by mistake."""
    found = collection_get(number)
    if found is None:
        raise Http404
    collection_delete(collection=found, author=request.user.get_username())
    messages.success(request, _("The collection was deleted."))
    return redirect("servers:list")
