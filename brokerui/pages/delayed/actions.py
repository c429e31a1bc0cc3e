"""Acts of an operator on delayed conversations: retry, switch a queue on, end a conversation."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from brokerui.accounts.access import access
from brokerui.accounts.levels import Level
from brokerui.analysis.acts import services
from brokerui.analysis.monitoring.wording import state_words
from brokerui.core.errors import ObjectNotFoundError
from brokerui.estate.errors import EstateStaleError
from brokerui.messaging.errors import MessagingError
from brokerui.messaging.models import ConversationEndpoint
from brokerui.pages.tables.row_page import next_page
from routing.common.sentence import say
from routing.dialog.problems import VerbError


@access(write=Level.OPERATE)
@require_POST
def retry(request: HttpRequest) -> HttpResponse:
    """Retry the conversations that wait for a service now."""
    place = {name: request.POST.get(name, "") for name in ("instance", "database", "service")}
    done = _("Messages for %(service)s are being retried now.") % {"service": place["service"]}
    act_on(request, done, partial(services.retry, **place))
    return redirect(next_page(request) or "delayed:delayed")


@access(write=Level.OPERATE)
@require_POST
def switch_on(request: HttpRequest) -> HttpResponse:
    """Set a queue on again. It asks nothing: routing does not depend on queues, so no conversation gets worse."""
    place = {name: request.POST.get(name, "") for name in ("instance", "database", "queue")}
    done = _("The queue %(queue)s is on: messages that wait for it are being retried now.") % {"queue": place["queue"]}
    act_on(request, done, partial(services.switch_on, **place))
    return redirect(next_page(request) or "delayed:delayed")


@access(write=Level.OPERATE)
@require_http_methods(["GET", "HEAD", "POST"])
def end(request: HttpRequest, handle: UUID) -> HttpResponse:
    """Asks whether a conversation is to end, and ends it."""
    row = ConversationEndpoint.objects.select_related("instance").filter(conversation_handle=str(handle)).first()
    if row is None:
        raise ObjectNotFoundError(say("There is no such conversation; it may have ended by now"))
    if request.method != "POST":
        return render(request, "delayed/end.html", {"row": row, "state": state_words(row.state)})
    act = partial(services.end, instance=row.instance.name, handle=row.conversation_handle, error=None, cleanup=True)
    act_on(request, _("The conversation is ended."), act)
    return redirect("delayed:delayed")


def act_on(request: HttpRequest, done: str, act: Callable[..., object]) -> None:
    """Show the result, or the reason for a refusal, above the next page."""
    try:
        act(author=request.user.get_username())
    except (MessagingError, VerbError) as error:
        messages.error(request, problem_of(error))
    except EstateStaleError:
        messages.error(request, _("Somebody changed the estate at the same time. Nothing was done; try again."))
    else:
        messages.success(request, done)


def problem_of(error: MessagingError | VerbError) -> str:
    """The reason of a refusal in words."""
    return str(error.problem.render(_))
