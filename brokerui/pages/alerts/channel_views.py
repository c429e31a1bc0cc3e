"""Channels of alerts: adding one, switching, testing, deleting."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.views import View
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from brokerui.accounts.access import access
from brokerui.accounts.levels import Level
from brokerui.analysis.alerts.channel_models import AlertChannel, ChannelKind
from brokerui.analysis.alerts.channels import channel_change, channel_create, channel_delete
from brokerui.analysis.alerts.deliveries import channel_test
from brokerui.analysis.alerts.errors import AlertStaleError
from brokerui.analysis.alerts.selectors import channel_get
from routing.common.errors import Invalid
from routing.common.finding import SEVERITIES, WARNING
from routing.common.sentence import Sentence

TARGET = "target"


@method_decorator([never_cache, access(write=Level.ADMINISTER)], name="dispatch")
class NewChannel(View):
    """The form of a new channel."""

    def get(self, request: HttpRequest) -> HttpResponse:
        """Show it."""
        return _form(request, {"kind": ChannelKind.WEBHOOK, "severity": WARNING}, {})

    def post(self, request: HttpRequest) -> HttpResponse:
        """Add the channel; the page has its secret, once."""
        texts = request.POST.dict()
        named = {name: texts.get(name, "").strip() for name in ("kind", "name", TARGET, "severity")}
        if named["kind"] not in ChannelKind.values:
            raise Http404
        try:
            row, secret = channel_create(**named, author=request.user.get_username(), at=timezone.now())
        except Invalid as fault:
            path = TARGET if fault.path == "url" else fault.path or "name"
            return _form(request, texts, {path: fault.problem}, status=422)
        if secret:
            return render(request, "alerts/secret.html", {"channel": row, "secret": secret}, status=201)
        messages.success(request, _("The channel was added. Send a test."))
        return redirect("alerts:alerts")


def _form(request: HttpRequest, texts: dict[str, str], faults: dict[str, Sentence], status: int = 200) -> HttpResponse:
    context = {"texts": texts, "faults": faults, "severities": SEVERITIES}
    return render(request, "alerts/channel.html", context, status=status)


@access(write=Level.ADMINISTER)
@require_POST
def switch(request: HttpRequest, number: int) -> HttpResponse:
    """Switch a channel on or off."""
    row, is_on = _channel(number), request.POST.get("is_on") == "1"
    author, at = request.user.get_username(), timezone.now()
    try:
        channel_change(pk=number, severity=row.severity, is_on=is_on, author=author, at=at, seen_at=row.changed_at)
    except AlertStaleError:
        messages.warning(request, _("Somebody changed it meanwhile. Look at it again, then repeat the change."))
    return redirect("alerts:alerts")


@access(write=Level.ADMINISTER)
@require_POST
def test(request: HttpRequest, number: int) -> HttpResponse:
    """Have a worker send a test."""
    channel_test(channel=_channel(number), author=request.user.get_username(), at=timezone.now())
    messages.success(request, _("A worker sends the test; its result appears beside the channel."))
    return redirect("alerts:alerts")


@access(write=Level.ADMINISTER)
@require_POST
def delete(request: HttpRequest, number: int) -> HttpResponse:
    """Delete a channel with its messages."""
    row = _channel(number)
    try:
        channel_delete(pk=number, author=request.user.get_username(), seen_at=row.changed_at)
    except AlertStaleError:
        messages.warning(request, _("Somebody changed it meanwhile. Look at it again, then repeat the change."))
    else:
        messages.success(request, _("The channel was deleted."))
    return redirect("alerts:alerts")


def _channel(number: int) -> AlertChannel:
    row = channel_get(number)
    if row is None:
        raise Http404
    return row
