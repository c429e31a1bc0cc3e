"""Taking the demo away."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from brokerui.accounts.access import access
from brokerui.accounts.levels import Level
from brokerui.demo.services import demo_remove
from brokerui.estate.errors import EstateStaleError
from brokerui.estate.selectors import live_version


@access(write=Level.EDIT)
@require_POST
def demo_take_away(request: HttpRequest) -> HttpResponse:
    """The instances of the demo go; the version before keeps them."""
    before = live_version()
    try:
        gone = demo_remove(author=request.user.get_username())
    except EstateStaleError:
        messages.error(request, _("Somebody changed the estate at the same time. Nothing was removed; try again."))
        return redirect("start")
    if not gone:
        messages.info(request, _("There is no demo any more."))
        return redirect("start")
    text = ngettext("The demo is removed: %(count)s instance.", "The demo is removed: %(count)s instances.", len(gone))
    kept = _("Version %(version)s still shows it.") % {"version": before}
    messages.success(request, f"{text % {'count': len(gone)}} {kept}")
    return redirect("start")
