"""Answering for findings: the form, the list, and taking it back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.utils.translation import gettext, ngettext
from django.views import View
from django.views.decorators.http import require_POST, require_safe

from brokerui.accounts.access import access
from brokerui.accounts.levels import Level
from brokerui.analysis.lint.models import Suppression
from brokerui.analysis.lint.selectors import as_rules, findings_for, suppressions
from brokerui.analysis.lint.services import suppression_add, suppression_remove
from brokerui.changes.estate_view import EstateView, estate_view_from
from brokerui.pages.findings.finding_ids import named
from brokerui.pages.findings.forms import SuppressForm, usual
from brokerui.pages.findings.listing import TITLES
from routing.common.moment import format_moment
from routing.common.sentence import Sentence
from routing.lint.suppression import FORMAT


@method_decorator(access(read=Level.EDIT, write=Level.EDIT), name="dispatch")
class Suppress(View):
    """The marked findings, and the form that says who answers for them."""

    def get(self, request: HttpRequest) -> HttpResponse:
        """Show them."""
        return self._page(request, request.GET.getlist("finding"), SuppressForm(initial=usual(_name(request))))

    def post(self, request: HttpRequest) -> HttpResponse:
        """Write the suppression, or show the errors of the form."""
        form, tokens = SuppressForm(request.POST), request.POST.getlist("finding")
        found = named(tokens, findings_for(_live()).findings)
        if not form.is_valid() or not found:
            return self._page(request, tokens, form, status=422)
        values = {"owner": form.cleaned_data["owner"], "reason": form.cleaned_data["reason"], "expires": form.moment}
        rows = suppression_add(findings=found, author=_name(request), **values)
        text = ngettext("%(n)s finding is suppressed.", "%(n)s findings are suppressed.", len(rows))
        messages.success(request, text % {"n": len(rows)})
        return HttpResponseRedirect(reverse("findings:list"))

    def _page(self, request: HttpRequest, tokens: list[str], form: SuppressForm, *, status: int = 200) -> HttpResponse:
        found = named(tokens, findings_for(_live()).findings)
        context = {"findings": found, "form": form, "gone": len(set(tokens)) - len(found)}
        return render(request, "findings/suppress.html", context, status=status)


@dataclass(frozen=True, slots=True)
class SuppressionRow:
    """A suppression and its present effect."""

    row: Suppression
    title: Sentence | None
    state: str
    """`active`, `expired`, `unused`, or empty: not known before the estate was looked over."""


@require_safe
def suppression_list(request: HttpRequest) -> HttpResponse:
    """The suppressions, with the responsible user and the end of each."""
    rows = suppressions()
    report = findings_for(_live())
    context: dict[str, Any] = {
        "rows": [],
        "at": timezone.now(),
        "count": report.suppressed.count if report.suppressed else 0,
    }
    result = report.suppressed
    for row, rule in zip(rows, as_rules(rows), strict=True):
        state = ""
        if result is not None:
            state = "expired" if rule in result.expired else "unused" if rule in result.unused else "active"
        context["rows"].append(SuppressionRow(row, TITLES.get(row.code), state))
    return render(request, "findings/suppressions.html", context)


@require_safe
def suppressions_json(_request: HttpRequest) -> JsonResponse:
    """As `brokerui lint --suppress` reads them."""
    rules = [
        {
            "code": rule.code,
            "instance": rule.instance,
            "database": rule.database,
            "object": rule.object,
            "owner": rule.owner,
            "reason": rule.reason,
            "expires": format_moment(rule.expires),
        }
        for rule in as_rules(suppressions())
    ]
    headers = {"Content-Disposition": 'attachment; filename="suppressions.json"', "Cache-Control": "private, no-cache"}
    return JsonResponse({"format": FORMAT, "suppressions": rules}, headers=headers, json_dumps_params={"indent": 2})


@access(write=Level.EDIT)
@require_POST
def suppression_take_back(request: HttpRequest, row_id: int) -> HttpResponse:
    """Remove the suppression: the finding is reported again."""
    row = Suppression.objects.filter(id=row_id).first()
    if row is None:
        raise Http404
    suppression_remove(suppression=row, author=_name(request))
    messages.success(request, gettext("The finding is reported again."))
    return redirect("findings:suppressions")


def _live() -> EstateView:
    """Suppressions are for the live estate as it is."""
    return estate_view_from({})


def _name(request: HttpRequest) -> str:
    return request.user.get_username()
