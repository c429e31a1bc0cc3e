"""Queues: the list, one of them, their files, and the act that switches one on."""

from __future__ import annotations

from functools import partial

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from brokerui.accounts.access import access
from brokerui.accounts.levels import Level
from brokerui.analysis.acts import services
from brokerui.api.ids import id_of
from brokerui.pages.delayed.actions import act_on
from brokerui.pages.service_queues import listing, one_queue
from brokerui.pages.shell.live import live, live_csv, varies_by_htmx


@require_safe
@varies_by_htmx
def service_queues(request: HttpRequest) -> HttpResponse:
    """All queues, those that need a person first; htmx asks for the piece of it that changes."""
    return live(request, "service_queues", partial(listing.page_context, request.GET))


@require_safe
def service_queues_csv(request: HttpRequest) -> HttpResponseBase:
    """The rows of the list as a file."""
    return live_csv(request, "queues.csv", listing.COLUMNS, listing.as_rows, listing.TABLE)


@require_safe
@varies_by_htmx
def queue(request: HttpRequest, queue_id: str) -> HttpResponse:
    """One queue."""
    return live(request, "service_queues", partial(one_queue.page_context, queue_id, request.GET), page="queue")


@require_safe
def queue_csv(request: HttpRequest, queue_id: str) -> HttpResponseBase:
    """The chart of one queue as a file."""
    return live_csv(request, "queue.csv", one_queue.COLUMNS, partial(one_queue.as_rows, queue_id))


@access(write=Level.OPERATE)
@require_POST
def switch_on(request: HttpRequest) -> HttpResponse:
    """Set a queue on again, and show it."""
    place = {name: request.POST.get(name, "") for name in ("instance", "database", "queue")}
    words = gettext("The queue %(queue)s is on: messages that wait for it are being retried now.")
    act_on(request, words % {"queue": place["queue"]}, partial(services.switch_on, **place))
    return redirect("service_queues:queue", id_of(tuple(place.values())))
