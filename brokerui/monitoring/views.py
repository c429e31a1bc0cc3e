"""The pages, the same as files, and what an operator does there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import chain
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django.views.decorators.vary import vary_on_headers

from brokerui.accounts.access import access
from brokerui.accounts.levels import Level
from brokerui.core.csv import csv_lines
from brokerui.estate.errors import EstateStaleError
from brokerui.messaging.errors import MessagingError
from brokerui.messaging.models import ConversationEndpoint
from brokerui.monitoring import connections as of_connections
from brokerui.monitoring import delayed as of_delayed
from brokerui.monitoring import mirrors as of_mirrors
from brokerui.monitoring import queues as of_queues
from brokerui.monitoring import services
from brokerui.monitoring.live import live
from brokerui.monitoring.wording import state_words
from routing.dialog.problems import Refused

keeps_up = vary_on_headers("HX-Request", "HX-History-Restore-Request")
Rows = Callable[[Mapping[str, str]], Iterator[tuple[Any, ...]]]


@require_safe
@keeps_up
def queues(request: HttpRequest) -> HttpResponse:
    """Transmission queues."""
    return live(request, "queues", partial(of_queues.told, request.GET))


@require_safe
@keeps_up
def delayed(request: HttpRequest) -> HttpResponse:
    """What is delayed, by cause."""
    return live(request, "delayed", partial(of_delayed.told, request.GET))


@require_safe
@keeps_up
def mirrors(request: HttpRequest) -> HttpResponse:
    """Who is the principal."""
    return live(request, "mirrors", partial(of_mirrors.told, request.GET))


@require_safe
@keeps_up
def connections(request: HttpRequest) -> HttpResponse:
    """Which connections there are."""
    return live(request, "connections", partial(of_connections.told, request.GET))


# -- Files -------------------------------------------------------------------------------------------------


@require_safe
def queues_csv(request: HttpRequest) -> HttpResponseBase:
    return _file(request, "transmission-queues.csv", of_queues.COLUMNS, of_queues.as_rows)


@require_safe
def delayed_csv(request: HttpRequest) -> HttpResponseBase:
    return _file(request, "delayed.csv", of_delayed.COLUMNS, of_delayed.as_rows)


@require_safe
def mirrors_csv(request: HttpRequest) -> HttpResponseBase:
    return _file(request, "mirrors.csv", of_mirrors.COLUMNS, of_mirrors.as_rows)


@require_safe
def connections_csv(request: HttpRequest) -> HttpResponseBase:
    return _file(request, "connections.csv", of_connections.COLUMNS, of_connections.as_rows)


def _file(request: HttpRequest, name: str, columns: tuple[str, ...], rows: Rows) -> HttpResponseBase:
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "private, no-cache"}
    found = list(rows(request.GET))  # before the answer has begun: what goes wrong is told as everywhere
    return StreamingHttpResponse(
        csv_lines(chain([columns], found)), content_type="text/csv; charset=utf-8", headers=headers
    )


# -- What an operator does ---------------------------------------------------------------------------------


@access(write=Level.OPERATE)
@require_POST
def retry(request: HttpRequest) -> HttpResponse:
    """What waits for a service is tried now."""
    place = {name: request.POST.get(name, "") for name in ("instance", "database", "service")}
    done = _("What waits for %(service)s is being tried now.") % {"service": place["service"]}
    _do(request, done, partial(services.retry, **place))
    return redirect("monitoring:delayed")


@access(write=Level.OPERATE)
@require_POST
def switch_on(request: HttpRequest) -> HttpResponse:
    """A queue is on again."""
    place = {name: request.POST.get(name, "") for name in ("instance", "database", "queue")}
    done = _("The queue %(queue)s is on: what waits for it is being tried now.") % {"queue": place["queue"]}
    _do(request, done, partial(services.switch_on, **place))
    return redirect("monitoring:delayed")


@access(write=Level.OPERATE)
@require_http_methods(["GET", "HEAD", "POST"])
def end(request: HttpRequest, handle: UUID) -> HttpResponse:
    """Asks whether a conversation is to end, and ends it."""
    row = ConversationEndpoint.objects.select_related("instance").filter(conversation_handle=str(handle)).first()
    if row is None:
        raise Http404(_("There is no such conversation; it may have ended by now."))
    if request.method != "POST":
        return render(request, "monitoring/end.html", {"row": row, "state": state_words(row.state)})
    act = partial(services.end, instance=row.instance.name, handle=row.conversation_handle)
    _do(request, _("The conversation is ended."), act)
    return redirect("monitoring:delayed")


def _do(request: HttpRequest, done: str, act: Callable[..., None]) -> None:
    """What was done, or why it was not, stands above the next page."""
    try:
        act(author=request.user.get_username())
    except (MessagingError, Refused) as error:
        messages.error(request, error.problem.render(_))
    except EstateStaleError:
        messages.error(request, _("Somebody changed the estate at this moment. Nothing was done; try again."))
    else:
        messages.success(request, done)
