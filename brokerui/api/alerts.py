"""`alerts/`: alerts that opened, their rules, and silences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from brokerui.accounts.levels import Level
from brokerui.analysis.alerts.errors import AlertStaleError
from brokerui.analysis.alerts.models import AlertRule, AlertSilence
from brokerui.analysis.alerts.rule_writing import rule_change, rule_create, rule_delete, silence_begin, silence_end
from brokerui.analysis.alerts.rules import Rule, RuleKind
from brokerui.analysis.alerts.selectors import alerts_after, rule_get, rules_all, silence_get, silences_now
from brokerui.analysis.alerts.services import rule_of
from brokerui.api import openapi
from brokerui.api.alert_bodies import (
    AlertQuery,
    AlertRuleChangeSerializer,
    AlertRuleSerializer,
    AlertSerializer,
    AlertSilenceSerializer,
    NewAlertRuleSerializer,
    NewAlertSilenceSerializer,
    alert_as_json,
    alert_rule_as_json,
    alert_silence_as_json,
    etag_of_rule,
    etag_of_silence,
)
from brokerui.api.base import ApiView
from brokerui.api.bodies import page_of, uncounted_page_of
from brokerui.api.cursors import page_body, read_cursor
from brokerui.api.etags import etag_of_json, is_known, require_match
from brokerui.api.fields import NUMBER_DIGITS
from brokerui.api.import_runs import author_of
from brokerui.api.problems import ApiProblem, in_body
from brokerui.api.queries import NoQuery
from brokerui.api.serializers import read_body, read_query
from routing.common.errors import Invalid
from routing.common.sentence import say

_TAG: Final = _("Alerts")
NEW_RULE: Final = OpenApiExample(
    "depth", value={"kind": "depth", "threshold": 1000, "clear": 500, "instances": ["host1"]}, request_only=True
)
CHANGE: Final = OpenApiExample("threshold", value={"threshold": 2000, "clear": 1000}, request_only=True)
NEW_SILENCE: Final = OpenApiExample(
    "maintenance",
    value={"instance": "host1", "owner": "Ana", "reason": "Maintenance", "ends": "2026-12-01T06:00:00Z"},
    request_only=True,
)


class AlertList(ApiView):
    """Alerts, read only."""

    http_method_names = ["get", "head"]

    @extend_schema(
        operation_id="alerts_list",
        tags=openapi.tags(_TAG),
        summary=_("List"),
        description=_("Alerts that opened, the newest first; those that are over are kept for some weeks."),
        **openapi.conditional_get(uncounted_page_of(AlertSerializer), query=AlertQuery),
    )
    def get(self, request: Request) -> Response:
        """Return a page of them."""
        query = read_query(request, AlertQuery)
        after, limit = read_cursor(query.get("cursor"), (int,)), query["limit"]
        found = alerts_after(after[0] if after else None, limit + 1, is_open=query.get("is_open"))
        rows = [alert_as_json(one) for one in found[:limit]]
        return _conditional(request, page_body(request, rows, (found[limit - 1].pk,) if len(found) > limit else None))


class AlertRuleList(ApiView):
    """All rules."""

    @extend_schema(
        operation_id="alert_rules_list",
        tags=openapi.tags(_TAG),
        summary=_("List the rules"),
        description=_("Every rule with its condition in words, and when it was evaluated last."),
        **openapi.conditional_get(page_of(AlertRuleSerializer)),
    )
    def get(self, request: Request) -> Response:
        """Return all of them."""
        read_query(request, NoQuery)
        rows = [alert_rule_as_json(row) for row in rules_all()]
        return _conditional(request, {"count": len(rows), "next": None, "results": rows})

    @extend_schema(
        operation_id="alert_rules_add",
        tags=openapi.tags(_TAG),
        summary=_("Add a rule"),
        description=_("The rule is evaluated within a minute."),
        request=NewAlertRuleSerializer,
        examples=[NEW_RULE],
        parameters=[openapi.etag_header([201])],
        responses={201: AlertRuleSerializer, **openapi.problems(openapi.WRITE_STATUSES)},
    )
    def post(self, request: Request) -> Response:
        """Add one."""
        read_query(request, NoQuery)
        rule = _rule(read_body(request.data, NewAlertRuleSerializer))
        row = rule_create(rule=rule, author=author_of(request), at=timezone.now())
        return _rule_response(row, status=201, Location=reverse("api:alert_rule", args=[row.pk]))


class AlertRuleDetail(ApiView):
    """One rule."""

    @extend_schema(
        operation_id="alert_rule_read",
        tags=openapi.tags(_TAG),
        summary=_("Read a rule"),
        description=_("A rule with the ETag that each write of it takes."),
        **openapi.conditional_get(AlertRuleSerializer, parameters=[openapi.NUMBER]),
    )
    def get(self, request: Request, number: str) -> Response:
        """Return it."""
        read_query(request, NoQuery)
        row = _found_rule(number)
        etag = etag_of_rule(row)
        return Response(status=304, headers={"ETag": etag}) if is_known(request, etag) else _rule_response(row)

    @extend_schema(
        operation_id="alert_rule_change",
        tags=openapi.tags(_TAG),
        summary=_("Change a rule"),
        description=_("Changes the members that are given. Switching it off closes its open alerts."),
        request=AlertRuleChangeSerializer,
        examples=[CHANGE],
        **openapi.write(AlertRuleSerializer),
    )
    def patch(self, request: Request, number: str) -> Response:
        """Change it."""
        body = read_body(request.data, AlertRuleChangeSerializer)
        row = _matched_rule(request, number)
        rule = _rule(body, rule_of(row))
        try:
            changed = rule_change(
                pk=row.pk, rule=rule, author=author_of(request), at=timezone.now(), seen_at=row.changed_at
            )
        except AlertStaleError:
            raise _changed_meanwhile() from None
        return _rule_response(changed)

    @extend_schema(
        operation_id="alert_rule_delete",
        tags=openapi.tags(_TAG),
        summary=_("Delete a rule"),
        description=_("Its open alerts are closed, its silences go with it, and its history stays."),
        parameters=[openapi.NUMBER, openapi.IF_MATCH],
        responses={204: None, **openapi.problems(openapi.CHANGE_STATUSES)},
    )
    def delete(self, request: Request, number: str) -> Response:
        """Delete it."""
        row = _matched_rule(request, number)
        try:
            rule_delete(pk=row.pk, author=author_of(request), at=timezone.now(), seen_at=row.changed_at)
        except AlertStaleError:
            raise _changed_meanwhile() from None
        return Response(status=204)


class AlertSilenceList(ApiView):
    """Silences that are not over."""

    write = Level.OPERATE

    @extend_schema(
        operation_id="alert_silences_list",
        tags=openapi.tags(_TAG),
        summary=_("List the silences"),
        description=_("Silences that are not over. While one lasts, alerts are kept and shown, and not announced."),
        **openapi.conditional_get(page_of(AlertSilenceSerializer)),
    )
    def get(self, request: Request) -> Response:
        """Return all of them."""
        read_query(request, NoQuery)
        rows = [alert_silence_as_json(row) for row in silences_now(timezone.now())]
        return _conditional(request, {"count": len(rows), "next": None, "results": rows})

    @extend_schema(
        operation_id="alert_silences_add",
        tags=openapi.tags(_TAG),
        summary=_("Begin a silence"),
        description=_(
            "It begins now. An alert that opens meanwhile is announced when the silence ends, if it is still open."
        ),
        request=NewAlertSilenceSerializer,
        examples=[NEW_SILENCE],
        parameters=[openapi.etag_header([201])],
        responses={201: AlertSilenceSerializer, **openapi.problems(openapi.WRITE_STATUSES)},
    )
    def post(self, request: Request) -> Response:
        """Begin one."""
        read_query(request, NoQuery)
        body = read_body(request.data, NewAlertSilenceSerializer)
        row = silence_begin(
            rule=_rule_of_silence(body),
            instance=body.get("instance", ""),
            key=body.get("key", ""),
            owner=body["owner"],
            reason=body["reason"],
            ends=body["ends"],
            author=author_of(request),
            at=timezone.now(),
        )
        location = reverse("api:alert_silence", args=[row.pk])
        headers = {"ETag": etag_of_silence(row), "Location": location}
        return Response(alert_silence_as_json(row), status=201, headers=headers)


class AlertSilenceDetail(ApiView):
    """One silence."""

    write = Level.OPERATE

    @extend_schema(
        operation_id="alert_silence_read",
        tags=openapi.tags(_TAG),
        summary=_("Read a silence"),
        description=_("A silence with the ETag that its end takes."),
        **openapi.conditional_get(AlertSilenceSerializer, parameters=[openapi.NUMBER]),
    )
    def get(self, request: Request, number: str) -> Response:
        """Return it."""
        read_query(request, NoQuery)
        row = _found_silence(number)
        headers = {"ETag": etag_of_silence(row)}
        if is_known(request, headers["ETag"]):
            return Response(status=304, headers=headers)
        return Response(alert_silence_as_json(row), headers=headers)

    @extend_schema(
        operation_id="alert_silence_end",
        tags=openapi.tags(_TAG),
        summary=_("End a silence"),
        description=_("Alerts that opened meanwhile and are still open are announced."),
        parameters=[openapi.NUMBER, openapi.IF_MATCH],
        responses={204: None, **openapi.problems(openapi.CHANGE_STATUSES)},
    )
    def delete(self, request: Request, number: str) -> Response:
        """End it now."""
        read_query(request, NoQuery)
        row = _found_silence(number)
        require_match(request, etag_of_silence(row))
        try:
            silence_end(pk=row.pk, author=author_of(request), at=timezone.now())
        except AlertStaleError:
            raise _changed_meanwhile() from None
        return Response(status=204)


def addresses() -> list[URLPattern]:
    """Return the addresses of alerts."""
    return [
        path("alerts/", AlertList.as_view(), name="alerts"),
        path("alerts/rules/", AlertRuleList.as_view(), name="alert_rules"),
        path("alerts/rules/<str:number>/", AlertRuleDetail.as_view(), name="alert_rule"),
        path("alerts/silences/", AlertSilenceList.as_view(), name="alert_silences"),
        path("alerts/silences/<str:number>/", AlertSilenceDetail.as_view(), name="alert_silence"),
    ]


def _rule(body: Mapping[str, Any], known: Rule | None = None) -> Rule:
    """The rule of a body; members that are left out are those of the known rule. Raises a problem."""
    kept: dict[str, Any] = {}
    if known is not None:
        kept = {name: getattr(known, name) for name in Rule.__slots__}
    clear = {"clear": body["threshold"]} if "threshold" in body else {}
    given = {**kept, **clear, **body}
    lists = {name: tuple(given.get(name, ())) for name in ("instances", "numbers")}
    try:
        return Rule(**{**given, **lists, "kind": RuleKind(given["kind"])})
    except Invalid as fault:
        raise in_body(fault) from None


def _rule_of_silence(body: Mapping[str, Any]) -> AlertRule | None:
    if "rule" not in body:
        return None
    row = rule_get(body["rule"])
    if row is None:
        raise in_body(Invalid("rule", say("there is no such rule")))
    return row


def _found_rule(number: str) -> AlertRule:
    row = rule_get(int(number)) if _is_number(number) else None
    if row is None:
        raise ApiProblem(404, gettext("There is no such rule."))
    return row


def _matched_rule(request: Request, number: str) -> AlertRule:
    read_query(request, NoQuery)
    row = _found_rule(number)
    require_match(request, etag_of_rule(row))
    return row


def _found_silence(number: str) -> AlertSilence:
    row = silence_get(int(number)) if _is_number(number) else None
    if row is None:
        raise ApiProblem(404, gettext("There is no such silence."))
    return row


def _is_number(number: str) -> bool:
    return number.isascii() and number.isdecimal() and len(number) < NUMBER_DIGITS


def _rule_response(row: AlertRule, *, status: int = 200, **headers: str) -> Response:
    return Response(alert_rule_as_json(row), status=status, headers={"ETag": etag_of_rule(row), **headers})


def _conditional(request: Request, body: dict[str, Any]) -> Response:
    etag = etag_of_json(body)
    if is_known(request, etag):
        return Response(status=304, headers={"ETag": etag})
    return Response(body, headers={"ETag": etag})


def _changed_meanwhile() -> ApiProblem:
    return ApiProblem(412, gettext("It has changed since you read it. Read it again, then repeat the change."))
