"""`rounds/`: rounds of the pipeline, why one waits, their start and cancellation, as the page *Traffic* has them."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from brokerui.accounts.levels import Level
from brokerui.analysis.traffic.generated import can_generate
from brokerui.analysis.traffic.models import Round, RoundState
from brokerui.analysis.traffic.rounds import (
    NothingToTakeInError,
    round_ask,
    round_ask_generated,
    round_cancel,
    round_open,
)
from brokerui.analysis.traffic.selectors import round_get, rounds_before
from brokerui.analysis.traffic.waiting_rounds import RoundWait, WaitCause, is_lost, round_wait
from brokerui.api import openapi
from brokerui.api.base import ApiView
from brokerui.api.bodies import uncounted_page_of
from brokerui.api.cursors import page_body, read_cursor
from brokerui.api.etags import etag_of_json, is_known, require_match
from brokerui.api.fields import NUMBER_DIGITS, StrictBooleanField
from brokerui.api.import_runs import author_of
from brokerui.api.problems import ApiProblem
from brokerui.api.queries import NoQuery, PageQuery
from brokerui.api.serializers import StrictSerializer, read_body, read_query
from routing.common.moment import format_moment
from routing.common.sentence import translator

_TAG: Final = _("Traffic")
GENERATED: Final = OpenApiExample("generated", value={"is_generated": True}, request_only=True)
translate = translator(gettext, ngettext)


class RoundWaitSerializer(serializers.Serializer):
    """Why a round waits, and the remedy."""

    cause = serializers.ChoiceField(
        [cause.value for cause in WaitCause],
        help_text=_(
            "`redis`: Redis does not answer; `workers`: no worker is at work, or beat is not; `pipeline`: no worker"
            " serves the queue of the pipeline; `not_started`: a worker is there, and has not started the round."
        ),
    )
    sentence = serializers.CharField()
    remedy = serializers.CharField()
    commands = serializers.ListField(child=serializers.CharField(), help_text=_("In the order in which they are run."))


class RoundSerializer(serializers.Serializer):
    """A round of the pipeline."""

    id = serializers.IntegerField(min_value=1)
    state = serializers.ChoiceField(
        list(RoundState.values), help_text=_("`interrupted`: its worker ended before the round did.")
    )
    is_generated = serializers.BooleanField(help_text=_("Whether it generates its traffic."))
    requested_at = serializers.DateTimeField()
    requested_by = serializers.CharField()
    began_at = serializers.DateTimeField(allow_null=True)
    ended_at = serializers.DateTimeField(allow_null=True)
    cancelled_by = serializers.CharField(allow_null=True)
    error = serializers.CharField(allow_null=True, help_text=_("Why it failed, in one line."))
    waits_for = RoundWaitSerializer(
        allow_null=True, help_text=_("Why no worker starts it; null: it does not wait, or one is about to start it.")
    )


class NewRoundSerializer(StrictSerializer):
    """A round that somebody wants."""

    is_generated = StrictBooleanField(required=False, help_text=_("Whether it generates its traffic."))


class RoundList(ApiView):
    """The rounds, and the start of another one."""

    write = Level.OPERATE

    @extend_schema(
        operation_id="rounds_list",
        tags=openapi.tags(_TAG),
        summary=_("List the rounds of the pipeline"),
        description=_(
            "The newest first. One at most waits or runs. Where no worker can start it, `waits_for` has the missing"
            " process and the commands that start it."
        ),
        **openapi.conditional_get(uncounted_page_of(RoundSerializer), query=PageQuery),
    )
    def get(self, request: Request) -> Response:
        """Return a page of them."""
        query = read_query(request, PageQuery)
        (before,) = read_cursor(query.get("cursor"), (int,)) or (None,)
        rows = rounds_before(before, query["limit"] + 1)
        found = rows[: query["limit"]]
        body = page_body(request, [_as_json(one) for one in found], (found[-1].pk,) if len(rows) > len(found) else None)
        return _conditional(request, body)

    @extend_schema(
        operation_id="round_start",
        tags=openapi.tags(_TAG),
        summary=_("Start a round"),
        description=_(
            "A worker takes in what is new, or with `is_generated` a day of generated traffic on the live estate. 409"
            " where another round waits or runs, or where there is nothing that it could begin with."
        ),
        request=NewRoundSerializer,
        examples=[GENERATED],
        parameters=[openapi.etag_header([201])],
        responses={201: RoundSerializer, **openapi.problems(openapi.WRITE_STATUSES)},
    )
    def post(self, request: Request) -> Response:
        """Have a round done now."""
        read_query(request, NoQuery)
        is_generated = bool(read_body(request.data, NewRoundSerializer).get("is_generated"))
        if (known := round_open()) is not None:
            words = gettext("Round %(number)s of the pipeline waits or runs already, and no other one was started.")
            raise ApiProblem(409, words % {"number": known.pk})
        body = _as_json(_started(is_generated, author_of(request)))
        headers = {"ETag": etag_of_json(body), "Location": reverse("api:round", args=[body["id"]])}
        return Response(body, status=201, headers=headers)


class RoundDetail(ApiView):
    """One round."""

    write = Level.OPERATE

    @extend_schema(
        operation_id="round_read",
        tags=openapi.tags(_TAG),
        summary=_("Read a round"),
        description=_("A round with the ETag that its cancellation takes."),
        **openapi.conditional_get(RoundSerializer, parameters=[openapi.NUMBER]),
    )
    def get(self, request: Request, number: str) -> Response:
        """Return it."""
        read_query(request, NoQuery)
        return _conditional(request, _as_json(_found(number)))

    @extend_schema(
        operation_id="round_cancel",
        tags=openapi.tags(_TAG),
        summary=_("Cancel a round"),
        description=_(
            "One that waits is cancelled at once, one that runs by its worker. Nothing is left half written, and"
            " finished results stay. 409 where it is over."
        ),
        parameters=[openapi.NUMBER, openapi.IF_MATCH],
        responses={204: None, **openapi.problems(openapi.CHANGE_STATUSES)},
    )
    def delete(self, request: Request, number: str) -> Response:
        """Cancel it."""
        read_query(request, NoQuery)
        found = _found(number)
        require_match(request, etag_of_json(_as_json(found)))
        if not round_cancel(number=found.pk, author=author_of(request)):
            raise ApiProblem(409, gettext("The round is over."))
        return Response(status=204)


def addresses() -> list[URLPattern]:
    """Return the addresses of rounds."""
    return [
        path("rounds/", RoundList.as_view(), name="rounds"),
        path("rounds/<str:number>/", RoundDetail.as_view(), name="round"),
    ]


def _started(is_generated: bool, author: str) -> Round:
    if is_generated and not can_generate():
        raise ApiProblem(
            409, gettext("The live estate has no instance yet: there is nowhere that traffic could begin.")
        )
    try:
        return round_ask_generated(author=author) if is_generated else round_ask(author=author)
    except NothingToTakeInError:
        detail = gettext("There is nothing for the pipeline to take in. No round was started.")
        raise ApiProblem(409, detail) from None


def _found(number: str) -> Round:
    is_number = number.isascii() and number.isdecimal() and len(number) < NUMBER_DIGITS
    found = round_get(int(number)) if is_number else None
    if found is None:
        raise ApiProblem(404, gettext("There is no such round."))
    return found


def _as_json(found: Round) -> dict[str, Any]:
    wait = round_wait(found)
    return {
        "id": found.pk,
        "state": RoundState.INTERRUPTED.value if is_lost(found) else found.state,
        "is_generated": found.is_generated,
        "requested_at": format_moment(found.asked_at),
        "requested_by": found.asked_by,
        "began_at": _moment(found.began_at),
        "ended_at": _moment(found.ended_at),
        "cancelled_by": found.cancelled_by or (found.job.cancelled_by if found.job is not None else "") or None,
        "error": found.error or None,
        "waits_for": _wait_as_json(wait) if wait is not None else None,
    }


def _moment(at: datetime | None) -> str | None:
    return None if at is None else format_moment(at)


def _wait_as_json(wait: RoundWait) -> dict[str, Any]:
    return {
        "cause": wait.cause.value,
        "sentence": wait.sentence.render(translate),
        "remedy": wait.remedy.render(translate),
        "commands": list(wait.commands),
    }


def _conditional(request: Request, body: dict[str, Any]) -> Response:
    etag = etag_of_json(body)
    if is_known(request, etag):
        return Response(status=304, headers={"ETag": etag})
    return Response(body, headers={"ETag": etag})
