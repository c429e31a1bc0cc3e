"""`overview/`: causes that need a person, faults that will, and checks, as the page *Overview* has them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from brokerui.analysis.overview.cause_estimates import cause_estimates
from brokerui.analysis.overview.causes import OUTCOMES, CauseKind
from brokerui.analysis.overview.checks import OverviewCheck
from brokerui.analysis.overview.entries import CauseInWords
from brokerui.analysis.overview.forthcoming import Forthcoming, ForthcomingKind
from brokerui.analysis.overview.overview import Overview, overview_now
from brokerui.analysis.overview.real_servers import RealServer
from brokerui.api import openapi
from brokerui.api.base import ApiView
from brokerui.api.bodies import LookSerializer
from brokerui.api.etags import etag_of_json, is_known
from brokerui.api.queries import NoQuery
from brokerui.api.serializers import read_query
from routing.common.moment import format_moment
from routing.common.sentence import translator
from routing.rules.decision import DELAYED, DROPPED

translate = translator(gettext, ngettext)


class CauseSerializer(serializers.Serializer):
    """A cause that drops messages or holds them back."""

    outcome = serializers.ChoiceField(list(OUTCOMES))
    kind = serializers.ChoiceField([kind.value for kind in CauseKind])
    cause = serializers.CharField(help_text=_("The fault, with the names of both ends."))
    sentence = serializers.CharField(help_text=_("The effect, and what routing does."))
    instance = serializers.CharField()
    database = serializers.CharField(allow_null=True)
    subject = serializers.CharField(allow_null=True, help_text=_("The service, or the queue that is off."))
    number = serializers.IntegerField(allow_null=True, help_text=_("The product's number of the status or error."))
    conversations = serializers.IntegerField(allow_null=True, min_value=0)
    messages = serializers.IntegerField(min_value=0)
    oldest_s = serializers.IntegerField(
        allow_null=True, min_value=0, help_text=_("How long the oldest message has waited; null: not known.")
    )
    log_lines = serializers.IntegerField(
        allow_null=True, min_value=1, help_text=_("Lines about it in the log of its server; null: none are known.")
    )
    logged_last = serializers.CharField(
        allow_null=True, help_text=_("The newest of these lines, by the clock of that server.")
    )
    collected_at = serializers.DateTimeField(
        allow_null=True, help_text=_("When its server was asked; null: a hosted instance, looked at now.")
    )
    looks = LookSerializer(many=True, help_text=_("The looks at one of its conversations, in order."))
    drain_estimate_s = serializers.IntegerField(
        allow_null=True, min_value=0, help_text=_("Seconds that its messages need once nothing holds them.")
    )
    remedy = serializers.CharField(allow_null=True, help_text=_("What the remedy does."))
    remedy_sql = serializers.CharField(allow_null=True, help_text=_("The statement or the command."))


class ForthcomingSerializer(serializers.Serializer):
    """Something that holds nothing back yet."""

    kind = serializers.ChoiceField([kind.value for kind in ForthcomingKind])
    title = serializers.CharField()
    sentence = serializers.CharField(allow_blank=True)
    code = serializers.CharField(allow_null=True, help_text=_("Of the findings."))
    instance = serializers.CharField(allow_null=True)
    collected_at = serializers.DateTimeField(allow_null=True)


class CheckSerializer(serializers.Serializer):
    """A check with its own moment."""

    name = serializers.CharField(help_text=_("The same in every language."))
    sentence = serializers.CharField(help_text=_("As it is where the check has not failed."))
    has_failed = serializers.BooleanField(allow_null=True, help_text=_("Null: it could not be made now."))
    at = serializers.DateTimeField(allow_null=True)


class RealServerSerializer(serializers.Serializer):
    """A real server."""

    name = serializers.CharField()
    databases = serializers.IntegerField(min_value=0)
    read_at = serializers.DateTimeField(allow_null=True)
    is_stale = serializers.BooleanField()
    messages = serializers.IntegerField(min_value=0, help_text=_("That waited there when it was asked."))
    leaks = serializers.IntegerField(min_value=0, help_text=_("Kinds of conversations that no program ends."))


class OverviewSerializer(serializers.Serializer):
    """Everything of one moment."""

    at = serializers.DateTimeField()
    dropped = serializers.IntegerField(min_value=0, help_text=_("Causes that drop messages."))
    delayed = serializers.IntegerField(min_value=0, help_text=_("Causes that hold messages back."))
    messages = serializers.IntegerField(min_value=0)
    oldest_s = serializers.IntegerField(allow_null=True, min_value=0)
    causes = CauseSerializer(many=True, help_text=_("The worst first: dropped before delayed, then age times volume."))
    more = serializers.IntegerField(min_value=0, help_text=_("Causes that weigh less and are not listed."))
    forthcoming = ForthcomingSerializer(many=True)
    checks = CheckSerializer(many=True)
    servers = RealServerSerializer(many=True)


class OverviewResource(ApiView):
    """The overview, read only."""

    http_method_names = ["get", "head"]

    @extend_schema(
        operation_id="overview",
        tags=openapi.tags(_("Messages")),
        summary=_("Causes that need a person, and checks"),
        description=_(
            "Causes that drop messages or hold them back, the worst first, each with its remedy; what holds nothing"
            " back yet; every check with its own moment; and the real servers."
        ),
        **openapi.conditional_get(OverviewSerializer),
    )
    def get(self, request: Request) -> Response:
        """Return the overview as of now."""
        read_query(request, NoQuery)
        body = overview_as_json(overview_now())
        headers = {"ETag": etag_of_json(_lasting(body))}
        return (
            Response(status=304, headers=headers)
            if is_known(request, headers["ETag"])
            else Response(body, headers=headers)
        )


def _lasting(body: dict[str, Any]) -> dict[str, Any]:
    """Return the body without the moment at which it was made: with the same facts, it is the same."""
    checks = [{**check, "at": None} for check in body["checks"]]
    causes = [{**cause, "looks": None} for cause in body["causes"]]
    return {**body, "at": None, "checks": checks, "causes": causes}


def overview_as_json(found: Overview) -> dict[str, Any]:
    """Return the body of the response."""
    totals = found.totals
    return {
        "at": found.at.isoformat(),
        "dropped": totals.outcomes.get(DROPPED, 0),
        "delayed": totals.outcomes.get(DELAYED, 0),
        "messages": totals.messages,
        "oldest_s": totals.oldest.oldest_s if totals.oldest is not None else None,
        "causes": [
            cause_as_json(entry, seconds)
            for entry, seconds in zip(found.entries, cause_estimates(found.live, found.entries), strict=True)
        ],
        "more": len(found.ranked) - len(found.entries),
        "forthcoming": [_forthcoming(line) for line in found.forthcoming],
        "checks": [_check(check) for check in found.checks],
        "servers": [_server(server) for server in found.servers],
    }


def cause_as_json(entry: CauseInWords, drain_estimate_s: int | None = None) -> dict[str, Any]:
    """A cause with its words and its remedy."""
    cause = entry.cause
    return {
        "outcome": cause.outcome,
        "kind": cause.kind.value,
        "cause": entry.title,
        "sentence": entry.effect,
        "instance": cause.instance,
        "database": cause.database or None,
        "subject": cause.subject or None,
        "number": cause.number or None,
        "conversations": cause.conversations,
        "messages": cause.messages,
        "oldest_s": cause.oldest_s,
        "log_lines": cause.lines or None,
        "logged_last": cause.last or None,
        "collected_at": _moment(cause.collected_at),
        "looks": entry.diagnosis.as_json(),
        "drain_estimate_s": drain_estimate_s,
        "remedy": entry.remedy_words or None,
        "remedy_sql": entry.remedy.sql if entry.remedy is not None else None,
    }


def _forthcoming(line: Forthcoming) -> dict[str, Any]:
    return {
        "kind": line.kind.value,
        "title": line.title.render(translate),
        "sentence": line.effect.render(translate),
        "code": line.code or None,
        "instance": line.instance or None,
        "collected_at": _moment(line.collected_at),
    }


def _check(check: OverviewCheck) -> dict[str, Any]:
    sentence = check.sentence.render(translate)
    return {"name": check.name, "sentence": sentence, "has_failed": check.has_failed, "at": _moment(check.at)}


def _server(server: RealServer) -> dict[str, Any]:
    return {
        "name": server.name,
        "databases": server.databases,
        "read_at": _moment(server.at),
        "is_stale": server.is_stale,
        "messages": server.held,
        "leaks": server.leaks,
    }


def _moment(at: datetime | None) -> str | None:
    return None if at is None else format_moment(at)
