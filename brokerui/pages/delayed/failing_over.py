"""Failover of a mirrored database: its effect first, then the act."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.contrib import messages as shown
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from brokerui.accounts.access import access
from brokerui.accounts.levels import Level
from brokerui.analysis.acts import failing_over
from brokerui.analysis.acts.failing_over import FailoverPlan, failover_plan
from brokerui.analysis.monitoring.wording import conversations, messages
from brokerui.analysis.remedies.wording import ends_in_words
from brokerui.messaging.errors import MessagingError
from brokerui.pages.delayed.actions import act_on, problem_of
from brokerui.pages.delayed.bulk import CONFIRMED
from routing.common.sentence import translator
from routing.dialog.problems import VerbError
from routing.diff.result import WORSE
from routing.remedies.effects import ClassEffect

MOST = 50
"""Classes of conversations that are listed."""
translate = translator(_, ngettext)


@access(write=Level.EDIT)
@require_POST
def fail_over(request: HttpRequest) -> HttpResponse:
    """Show what the failover does; with the button of that page, do it."""
    place = {name: request.POST.get(name, "") for name in ("instance", "database")}
    if CONFIRMED in request.POST:
        done = _("%(database)s has failed over: messages for it are being retried now.") % place
        act_on(request, done, partial(failing_over.fail_over, **place))
        return redirect("delayed:delayed")
    try:
        plan = failover_plan(**place)
    except (VerbError, MessagingError) as error:
        shown.error(request, problem_of(error))
        return redirect("delayed:delayed")
    return render(request, "delayed/failover.html", _context(plan, place))


def _context(plan: FailoverPlan, place: dict[str, str]) -> dict[str, Any]:
    pair = plan.pair
    names = {"database": pair.database, "principal": pair.principal, "mirror": pair.mirror}
    changed = list({_key(effect): effect for effect in (*plan.worse, *plan.better)}.values())
    heading = ngettext(
        "Routing changes for %(n)s class of conversations",
        "Routing changes for %(n)s classes of conversations",
        len(changed),
    )
    lead = _(
        "Nothing has been done yet. %(mirror)s becomes the principal of %(database)s, and %(principal)s its mirror;"
        " %(conversations)s of the database move, with %(messages)s that wait to be sent."
    )
    volume = {"conversations": conversations(plan.conversations), "messages": messages(plan.messages)}
    return {
        "title": _("Fail %(database)s over to %(mirror)s?") % names,
        "lead": lead % {**names, **volume},
        "heading": heading % {"n": f"{len(changed):,}"},
        "rows": [_row(effect) for effect in changed[:MOST]],
        "button": _("Fail over to %(mirror)s") % names,
        "place": place,
    }


def _key(effect: ClassEffect) -> tuple[object, ...]:
    """Classes that differ only in their identifier have one row."""
    return effect.node, effect.traffic.shown_service, effect.before, effect.after


def _row(effect: ClassEffect) -> dict[str, Any]:
    instance, database = effect.node
    before, after = (ends_in_words(ends, database).render(translate) for ends in (effect.before, effect.after))
    return {
        "service": effect.traffic.shown_service,
        "place": instance if database is None else f"{instance}/{database}",
        "before": before,
        "after": after,
        "is_worse": effect.verdict == WORSE,
    }
