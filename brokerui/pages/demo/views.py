"""Taking the demo away."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext
from django.views.decorators.http import require_POST

from brokerui.accounts.access import access
from brokerui.accounts.levels import Level
from brokerui.analysis.effect.consent import ConsentMissingError
from brokerui.analysis.effect.saving import edits_save
from brokerui.demo.selectors import demo_instances
from brokerui.estate.errors import EstateStaleError
from brokerui.estate.selectors import LiveEstate, estate_current
from brokerui.pages.shell.confirm_save import SaveQuestion, confirm_save
from routing.model.edits import DropInstance

REMOVED = gettext_noop("the demo is removed")


@access(write=Level.EDIT)
@require_POST
def demo_take_away(request: HttpRequest) -> HttpResponse:
    """Drop the instances of the demo, as one edit of the live estate; the version before keeps them."""
    live, gone = estate_current(), demo_instances()
    if not gone:
        messages.info(request, _("There is no demo any more."))
        return redirect("start")
    try:
        _remove(request, live, gone)
    except ConsentMissingError as error:
        return confirm_save(request, _question(gone), error.preview)
    except EstateStaleError:
        messages.error(request, _("Somebody changed the estate at the same time. Nothing was removed; try again."))
        return redirect("start")
    text = ngettext("The demo is removed: %(count)s instance.", "The demo is removed: %(count)s instances.", len(gone))
    kept = _("Version %(version)s still shows it.") % {"version": live.version}
    messages.success(request, f"{text % {'count': len(gone)}} {kept}")
    return redirect("start")


def _remove(request: HttpRequest, live: LiveEstate, gone: list[str]) -> None:
    edits_save(
        live=live,
        edits=[DropInstance(name) for name in gone],
        note=REMOVED,
        author=request.user.get_username(),
        consent=request.POST.get("consent", ""),
    )


def _question(gone: list[str]) -> SaveQuestion:
    text = ngettext(
        "%(count)s instance goes: %(names)s. Conversations of other instances depend on it.",
        "%(count)s instances go: %(names)s. Conversations of other instances depend on them.",
        len(gone),
    )
    words = text % {"count": len(gone), "names": ", ".join(gone)}
    return SaveQuestion(_("Remove the demo?"), words, _("Remove the demo"), reverse("start"))
