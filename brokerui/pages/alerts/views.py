"""Alerts, rules and silences."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.views import View
from django.views.decorators.http import require_POST, require_safe
from django.views.decorators.vary import vary_on_headers

from brokerui.accounts.access import access
from brokerui.accounts.levels import Level
from brokerui.analysis.alerts.errors import AlertStaleError
from brokerui.analysis.alerts.models import AlertRule
from brokerui.analysis.alerts.rule_writing import rule_change, rule_create, rule_delete, silence_begin, silence_end
from brokerui.analysis.alerts.selectors import alert_get, rule_get
from brokerui.core.htmx import wants_piece
from brokerui.core.sentence_json import sentence_from_json
from brokerui.pages.alerts.forms import HOURS, RuleForm, end_of
from brokerui.pages.alerts.page import page_context
from routing.common.errors import Invalid
from routing.common.sentence import Sentence


@require_safe
@vary_on_headers("HX-Request")
def alert_list(request: HttpRequest) -> HttpResponse:
    """Everything about alerts; htmx asks for the piece that changes."""
    template = "alerts/_lists.html" if wants_piece(request) else "alerts/alerts.html"
    return render(request, template, page_context(request.GET.dict()))


@method_decorator(access(write=Level.EDIT), name="dispatch")
class NewRule(View):
    """The form of a new rule."""

    def get(self, request: HttpRequest) -> HttpResponse:
        """Show it."""
        return render(request, "alerts/rule.html", {"form": RuleForm.new()})

    def post(self, request: HttpRequest) -> HttpResponse:
        """Add the rule."""
        form = RuleForm(request.POST.dict())
        rule = form.read()
        if rule is not None:
            try:
                rule_create(rule=rule, author=request.user.get_username(), at=timezone.now())
            except Invalid as fault:
                form.fault(fault)
            else:
                messages.success(request, _("The rule was added. It is evaluated within a minute."))
                return redirect("alerts:alerts")
        return render(request, "alerts/rule.html", {"form": form}, status=422)


@method_decorator(access(write=Level.EDIT), name="dispatch")
class ChangeRule(View):
    """The form of a rule."""

    def get(self, request: HttpRequest, number: int) -> HttpResponse:
        """Show it."""
        row = _rule(number)
        return render(request, "alerts/rule.html", {"form": RuleForm.of(row), "row": row})

    def post(self, request: HttpRequest, number: int) -> HttpResponse:
        """Change the rule."""
        row = _rule(number)
        form = RuleForm({**request.POST.dict(), "kind": row.kind})
        rule = form.read()
        if rule is None:
            return render(request, "alerts/rule.html", {"form": form, "row": row}, status=422)
        seen_at = parse_datetime(request.POST.get("seen_at", "")) if request.POST.get("seen_at") else None
        author = request.user.get_username()
        try:
            rule_change(pk=number, rule=rule, author=author, at=timezone.now(), seen_at=seen_at)
        except AlertStaleError:
            return _changed_meanwhile(request)
        messages.success(request, _("The rule was changed."))
        return redirect("alerts:alerts")


@access(write=Level.EDIT)
@require_POST
def delete_rule(request: HttpRequest, number: int) -> HttpResponse:
    """Delete a rule; its history stays."""
    row = _rule(number)
    try:
        rule_delete(pk=number, author=request.user.get_username(), at=timezone.now(), seen_at=row.changed_at)
    except AlertStaleError:
        return _changed_meanwhile(request)
    messages.success(request, _("The rule was deleted."))
    return redirect("alerts:alerts")


@method_decorator(access(write=Level.OPERATE), name="dispatch")
class NewSilence(View):
    """The form of a silence: of an alert's object, of a rule, or of everything."""

    def get(self, request: HttpRequest) -> HttpResponse:
        """Show it."""
        texts = {"owner": request.user.get_username(), "alert": request.GET.get("alert", "")}
        return _silence_form(request, texts, {})

    def post(self, request: HttpRequest) -> HttpResponse:
        """Begin the silence."""
        texts, at = request.POST.dict(), timezone.now()
        alert = alert_get(texts.get("alert", ""))
        try:
            silence_begin(
                rule=alert.rule if alert is not None else None,
                instance=alert.instance if alert is not None else texts.get("instance", "").strip()[:256],
                key=alert.key if alert is not None else "",
                owner=texts.get("owner", ""),
                reason=texts.get("reason", ""),
                ends=end_of(texts, at),
                author=request.user.get_username(),
                at=at,
            )
        except Invalid as fault:
            return _silence_form(request, texts, {fault.path or "reason": fault.problem}, status=422)
        messages.success(request, _("The silence has begun. Alerts are shown as ever, and are not announced."))
        return redirect("alerts:alerts")


def _silence_form(
    request: HttpRequest, texts: dict[str, str], faults: dict[str, Sentence], status: int = 200
) -> HttpResponse:
    alert = alert_get(texts.get("alert", ""))
    context: dict[str, Any] = {"texts": texts, "faults": faults, "hours": HOURS, "alert": alert}
    context["heading"] = sentence_from_json(alert.heading) if alert is not None else None
    return render(request, "alerts/silence.html", context, status=status)


@access(write=Level.OPERATE)
@require_POST
def end_silence(request: HttpRequest, number: int) -> HttpResponse:
    """End a silence now."""
    try:
        silence_end(pk=number, author=request.user.get_username(), at=timezone.now())
    except AlertStaleError:
        messages.warning(request, _("The silence was over already."))
    else:
        messages.success(request, _("The silence has ended."))
    return redirect("alerts:alerts")


def _rule(number: int) -> AlertRule:
    row = rule_get(number)
    if row is None:
        raise Http404
    return row


def _changed_meanwhile(request: HttpRequest) -> HttpResponse:
    messages.warning(request, _("Somebody changed it meanwhile. Look at it again, then repeat the change."))
    return redirect("alerts:alerts")
