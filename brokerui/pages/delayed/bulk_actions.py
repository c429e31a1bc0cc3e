"""Several groups retried, or several queues switched on: shown first, and then the result of each row."""

from __future__ import annotations

import json
from functools import partial

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from brokerui.accounts.access import access
from brokerui.accounts.levels import Level
from brokerui.analysis.acts import services
from brokerui.analysis.acts.several import QueuePlace, refusal_of
from brokerui.analysis.monitoring.off_queues import OffQueue, queues_off
from brokerui.estate.selectors import estate_current
from brokerui.pages.delayed.bulk import CONFIRMED, BulkPage, BulkRow, bulk_page, left_out_words, results_title
from brokerui.pages.delayed.choosing import ChosenGroup, chosen, chosen_queues

# -- Retry -------------------------------------------------------------------------------------------------


@access(write=Level.OPERATE)
@require_POST
def retry_all(request: HttpRequest) -> HttpResponse:
    """Retry the groups that were chosen: show first which they are, then the result of each."""
    groups, left_out = chosen(request.POST)
    is_done = CONFIRMED in request.POST
    author = request.user.get_username()
    rows = [_group_row(group, _retried(group, author) if is_done else None) for group in groups]
    number = sum(group.messages for group in groups)
    button = ngettext("Retry %(n)s message", "Retry %(n)s messages", number) % {"n": f"{number:,}"}
    lead = (
        _("A retry that is accepted is not a delivery yet: the page Delayed shows what still waits.")
        if is_done
        else _(
            "Nothing has been done yet. A retry makes the messages due at once; it changes nothing else, and messages"
            " whose cause remains wait again."
        )
    )
    heading = ngettext("%(n)s database with its service", "%(n)s databases, each with its service", len(groups)) % {
        "n": len(groups)
    }
    page = BulkPage(
        title=_retried_title(rows) if is_done else _("Retry these messages?"),
        lead=lead,
        heading=heading,
        heads=[_("To service"), _("From"), _("Conversations"), _("Messages")],
        rows=rows,
        field_name="group",
        button="" if is_done or not groups else button,
        is_done=is_done,
        left_out=left_out_words(left_out),
        nothing=_("Nothing is delayed there any more"),
    )
    return bulk_page(request, page)


def _group_row(group: ChosenGroup, refusal: str | None) -> BulkRow:
    place = group.place
    cells = (f"{place.instance}/{place.database}", group.conversations, group.messages)
    done = _("accepted") if refusal == "" else ""
    return BulkRow(place.service, cells, group.value, refusal or "", done)


def _retried_title(rows: list[BulkRow]) -> str:
    accepted = sum(bool(row.done) for row in rows)
    text = ngettext("%(n)s retry was accepted", "%(n)s retries were accepted", accepted) % {"n": f"{accepted:,}"}
    return results_title(text, len(rows) - accepted)


def _retried(group: ChosenGroup, author: str) -> str:
    """Retry one group, in a transaction of its own; the reason for a refusal, empty where it was accepted."""
    return refusal_of(partial(services.retry, **group.place._asdict(), author=author)).words


# -- Switch on ---------------------------------------------------------------------------------------------


@access(write=Level.OPERATE)
@require_POST
def switch_on_all(request: HttpRequest) -> HttpResponse:
    """Switch the chosen queues on: show first which they are, then the result of each."""
    places = chosen_queues(request.POST)
    is_done = CONFIRMED in request.POST
    found = {QueuePlace(one.instance, one.database, one.name): one for one in queues_off(estate_current().estate, ())}
    author = request.user.get_username()
    rows = [_queue_row(place, found.get(place), _switched(place, author) if is_done else None) for place in places]
    page = BulkPage(
        title=_switched_title(rows) if is_done else _("Switch these queues on?"),
        lead=_(
            "Messages that wait for them are tried at once. A reader that rolls back five times in a row switches its"
            " queue off again."
        ),
        heading=ngettext("%(n)s queue", "%(n)s queues", len(places)) % {"n": len(places)},
        heads=[_("Queue"), _("Database"), _("Messages in it")],
        rows=rows,
        field_name="queue",
        button="" if is_done or not places else _switch_button(len(places)),
        is_done=is_done,
        nothing=_("No queue was chosen"),
    )
    return bulk_page(request, page)


def _queue_row(place: QueuePlace, queue: OffQueue | None, refusal: str | None) -> BulkRow:
    cells = (f"{place.instance}/{place.database}", queue.messages if queue is not None else _("is on, or not known"))
    done = _("on") if refusal == "" else ""
    return BulkRow(place.queue, cells, json.dumps(place), refusal or "", done)


def _switched(place: QueuePlace, author: str) -> str:
    return refusal_of(partial(services.switch_on, **place._asdict(), author=author)).words


def _switch_button(number: int) -> str:
    return ngettext("Switch %(n)s queue on", "Switch %(n)s queues on", number) % {"n": f"{number:,}"}


def _switched_title(rows: list[BulkRow]) -> str:
    on = sum(bool(row.done) for row in rows)
    text = ngettext("%(n)s queue is on", "%(n)s queues are on", on) % {"n": f"{on:,}"}
    return results_title(text, len(rows) - on)
