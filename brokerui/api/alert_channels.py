"""`alerts/channels/`: ways to people and programs, and a test of each."""

from __future__ import annotations

from typing import Final

from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from brokerui.accounts.levels import Level
from brokerui.analysis.alerts.channel_models import AlertChannel
from brokerui.analysis.alerts.channels import channel_change, channel_create, channel_delete
from brokerui.analysis.alerts.deliveries import channel_test
from brokerui.analysis.alerts.errors import AlertStaleError
from brokerui.analysis.alerts.selectors import channel_get, channels_all, deliveries_of
from brokerui.api import openapi
from brokerui.api.alert_channel_bodies import (
    AddedAlertChannelSerializer,
    AlertChannelChangeSerializer,
    AlertChannelDetailSerializer,
    AlertChannelSerializer,
    AlertDeliverySerializer,
    NewAlertChannelSerializer,
    alert_channel_as_json,
    deliveries_as_json,
    etag_of_channel,
)
from brokerui.api.base import ApiView
from brokerui.api.bodies import page_of
from brokerui.api.etags import etag_of_json, is_known, require_match
from brokerui.api.fields import NUMBER_DIGITS
from brokerui.api.import_runs import author_of
from brokerui.api.problems import ApiProblem
from brokerui.api.queries import NoQuery
from brokerui.api.serializers import read_body, read_query
from routing.common.finding import WARNING

_TAG: Final = _("Alerts")
EXAMPLE: Final = OpenApiExample(
    "webhook",
    value={"kind": "webhook", "name": "Duty", "target": "https://hooks.example/duty", "severity": "error"},
    request_only=True,
)
CHANGE: Final = OpenApiExample("off", value={"is_on": False}, request_only=True)


class AlertChannelList(ApiView):
    """All channels."""

    write = Level.ADMINISTER

    @extend_schema(
        operation_id="alert_channels_list",
        tags=openapi.tags(_TAG),
        summary=_("List the channels"),
        description=_("Ways to people and programs, without their secrets."),
        **openapi.conditional_get(page_of(AlertChannelSerializer)),
    )
    def get(self, request: Request) -> Response:
        """Return all of them."""
        read_query(request, NoQuery)
        rows = [alert_channel_as_json(row) for row in channels_all()]
        body = {"count": len(rows), "next": None, "results": rows}
        etag = etag_of_json(body)
        if is_known(request, etag):
            return Response(status=304, headers={"ETag": etag})
        return Response(body, headers={"ETag": etag})

    @extend_schema(
        operation_id="alert_channels_add",
        tags=openapi.tags(_TAG),
        summary=_("Add a channel"),
        description=_(
            "E-mail needs `EMAIL_HOST`, webhooks and messengers need addresses that `ALERT_HOSTS` covers. The answer"
            " has the secret with which a webhook's requests are signed; it is not shown again."
        ),
        request=NewAlertChannelSerializer,
        examples=[EXAMPLE],
        parameters=[openapi.etag_header([201])],
        responses={201: AddedAlertChannelSerializer, **openapi.problems(openapi.WRITE_STATUSES)},
    )
    def post(self, request: Request) -> Response:
        """Add one."""
        read_query(request, NoQuery)
        body = {"severity": WARNING, **read_body(request.data, NewAlertChannelSerializer)}
        row, secret = channel_create(**body, author=author_of(request), at=timezone.now())
        location = reverse("api:alert_channel", args=[row.pk])
        headers = {"ETag": etag_of_channel(row), "Location": location, "Cache-Control": "no-store"}
        return Response(alert_channel_as_json(row) | {"secret": secret or None}, status=201, headers=headers)


class AlertChannelDetail(ApiView):
    """One channel."""

    write = Level.ADMINISTER

    @extend_schema(
        operation_id="alert_channel_read",
        tags=openapi.tags(_TAG),
        summary=_("Read a channel"),
        description=_("A channel with its last messages: delivered, to be tried again, or given up."),
        parameters=[openapi.NUMBER, openapi.etag_header([200])],
        responses={200: AlertChannelDetailSerializer, **openapi.problems(openapi.READ_STATUSES)},
    )
    def get(self, request: Request, number: str) -> Response:
        """Return it. The ETag is that of the channel: messages do not change it."""
        read_query(request, NoQuery)
        row = _found(number)
        body = alert_channel_as_json(row) | {"deliveries": deliveries_as_json(deliveries_of(row.pk))}
        return Response(body, headers={"ETag": etag_of_channel(row)})

    @extend_schema(
        operation_id="alert_channel_change",
        tags=openapi.tags(_TAG),
        summary=_("Change a channel"),
        description=_("Changes the members that are given. For another target, add another channel."),
        request=AlertChannelChangeSerializer,
        examples=[CHANGE],
        **openapi.write(AlertChannelSerializer),
    )
    def patch(self, request: Request, number: str) -> Response:
        """Change it."""
        body = read_body(request.data, AlertChannelChangeSerializer)
        row = _matched(request, number)
        kept = {"severity": row.severity, "is_on": row.is_on}
        try:
            changed = channel_change(
                **{**kept, **body}, pk=row.pk, author=author_of(request), at=timezone.now(), seen_at=row.changed_at
            )
        except AlertStaleError:
            raise _changed_meanwhile() from None
        return Response(alert_channel_as_json(changed), headers={"ETag": etag_of_channel(changed)})

    @extend_schema(
        operation_id="alert_channel_delete",
        tags=openapi.tags(_TAG),
        summary=_("Delete a channel"),
        description=_("Its messages go with it; alerts stay."),
        parameters=[openapi.NUMBER, openapi.IF_MATCH],
        responses={204: None, **openapi.problems(openapi.CHANGE_STATUSES)},
    )
    def delete(self, request: Request, number: str) -> Response:
        """Delete it."""
        row = _matched(request, number)
        try:
            channel_delete(pk=row.pk, author=author_of(request), seen_at=row.changed_at)
        except AlertStaleError:
            raise _changed_meanwhile() from None
        return Response(status=204)


class AlertChannelTest(ApiView):
    """A test of a channel."""

    write = Level.ADMINISTER
    http_method_names = ["post"]

    @extend_schema(
        operation_id="alert_channel_test",
        tags=openapi.tags(_TAG),
        summary=_("Send a test"),
        description=_("A worker sends it, once; the channel lists the result."),
        parameters=[openapi.NUMBER],
        request=None,
        responses={201: AlertDeliverySerializer, **openapi.problems(openapi.CHANGE_STATUSES)},
    )
    def post(self, request: Request, number: str) -> Response:
        """Have it sent."""
        read_query(request, NoQuery)
        row = channel_test(channel=_found(number), author=author_of(request), at=timezone.now())
        return Response(deliveries_as_json([row])[0], status=201)


def addresses() -> list[URLPattern]:
    """Return the addresses of channels."""
    return [
        path("alerts/channels/", AlertChannelList.as_view(), name="alert_channels"),
        path("alerts/channels/<str:number>/", AlertChannelDetail.as_view(), name="alert_channel"),
        path("alerts/channels/<str:number>/test/", AlertChannelTest.as_view(), name="alert_channel_test"),
    ]


def _found(number: str) -> AlertChannel:
    is_number = number.isascii() and number.isdecimal() and len(number) < NUMBER_DIGITS
    row = channel_get(int(number)) if is_number else None
    if row is None:
        raise ApiProblem(404, gettext("There is no such channel."))
    return row


def _matched(request: Request, number: str) -> AlertChannel:
    read_query(request, NoQuery)
    row = _found(number)
    require_match(request, etag_of_channel(row))
    return row


def _changed_meanwhile() -> ApiProblem:
    return ApiProblem(412, gettext("It has changed since you read it. Read it again, then repeat the change."))
