"""Conversations: the list, its file, and one conversation."""

from __future__ import annotations

from functools import partial
from uuid import UUID

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.views.decorators.http import require_safe

from brokerui.analysis.conversations.past import MOST_PORTIONS
from brokerui.analysis.conversations.sides import handle_of
from brokerui.core.errors import ObjectNotFoundError
from brokerui.pages.conversations import listing, page
from brokerui.pages.shell.live import live, live_csv, varies_by_htmx
from routing.common.sentence import say
from routing.dialog.problems import VerbError


@require_safe
@varies_by_htmx
def conversations(request: HttpRequest) -> HttpResponse:
    """The list; a handle or an identifier that it is asked for leads to that conversation."""
    wanted = request.GET.get("find", "").strip()
    if wanted and (handle := handle_of(wanted)):
        return redirect("conversations:conversation", handle)
    return live(request, "conversations", partial(listing.page_context, request.GET))


@require_safe
def conversations_csv(request: HttpRequest) -> HttpResponseBase:
    """The rows of the list as a file."""
    return live_csv(request, "conversations.csv", listing.COLUMNS, listing.as_rows, listing.TABLE)


@require_safe
@varies_by_htmx
def conversation(request: HttpRequest, handle: UUID) -> HttpResponse:
    """One conversation; htmx asks for the piece of it that changes."""
    wanted = request.GET.get("log", "")
    portions = int(wanted) if wanted in set(map(str, range(MOST_PORTIONS + 1))) else 0
    figures = partial(page.page_context, str(handle), request.GET.get("show", ""), portions)
    try:
        return live(request, "conversations", figures, page="conversation")
    except VerbError as error:
        raise ObjectNotFoundError(say("There is no such conversation; it may have ended by now")) from error
