"""Several retries, and several queues switched on or off: a result for each."""

from __future__ import annotations

from typing import Any, Final

from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import OpenApiExample
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from brokerui.analysis.acts.several import (
    ActPlan,
    QueuePlace,
    RetriedPlace,
    retry_each,
    retry_plans,
    switch_each,
    switch_plans,
)
from brokerui.api.fields import ArrayField, NameField, StrictBooleanField
from brokerui.api.messaging.base import MessagingView, done_once
from brokerui.api.messaging.dialogs import verb
from brokerui.api.serializers import StrictSerializer, read_body
from brokerui.messaging.queue_names import queue_named
from routing.common.errors import Invalid
from routing.common.names import SYSNAME_CHARS
from routing.common.sentence import say
from routing.model.catalog_objects import QUEUE_NAME_CHARS

MAX_PLACES: Final = 200
"""Places of one request."""


class PlacesField(ArrayField):
    """The places of one request."""

    def check_length(self, data: list[Any]) -> None:
        if not 1 <= len(data) <= MAX_PLACES:
            raise Invalid("", say("must have 1 to {limit} places", limit=MAX_PLACES))


class RetriedPlaceSerializer(StrictSerializer):
    """A database and the service that its messages wait for."""

    instance = NameField()
    database = NameField(max_length=SYSNAME_CHARS)
    service = NameField()

    def validate(self, attrs: Any) -> Any:
        return RetriedPlace(**attrs)


class RetrySerializer(StrictSerializer):
    """Retries."""

    places = PlacesField(child=RetriedPlaceSerializer(), min_length=1, max_length=MAX_PLACES)
    dry_run = StrictBooleanField(required=False, help_text=_("Change nothing; answer what each retry would do."))


class QueuePlaceSerializer(StrictSerializer):
    """A queue."""

    instance = NameField()
    database = NameField(max_length=SYSNAME_CHARS)
    queue = NameField(max_length=QUEUE_NAME_CHARS)

    def validate(self, attrs: Any) -> Any:
        return QueuePlace(*queue_named(attrs["instance"], attrs["database"], attrs["queue"]))


class SwitchSerializer(StrictSerializer):
    """Queues to be switched."""

    queues = PlacesField(child=QueuePlaceSerializer(), min_length=1, max_length=MAX_PLACES)
    enabled = StrictBooleanField()
    dry_run = StrictBooleanField(required=False, help_text=_("Change nothing; answer what each switch would do."))


class ActResultSerializer(serializers.Serializer):
    """The result of one place."""

    result = serializers.ChoiceField(["done", "refused", "would_be_done", "would_be_refused"])
    instance = serializers.CharField()
    database = serializers.CharField()
    conversations = serializers.IntegerField(min_value=0, help_text=_("With messages that wait there."))
    number = serializers.IntegerField(allow_null=True, help_text=_("The product's number of the refusal."))
    detail = serializers.CharField(allow_null=True, help_text=_("Why it is refused."))


class RetryResultSerializer(ActResultSerializer):
    """The result of one retry."""

    service = serializers.CharField()
    messages = serializers.IntegerField(min_value=0, help_text=_("That wait for the service."))


class SwitchResultSerializer(ActResultSerializer):
    """The result of one queue."""

    queue = serializers.CharField()
    messages = serializers.IntegerField(min_value=0, help_text=_("That are in the queue."))


class RetryResultsSerializer(serializers.Serializer):
    """The result of each place, in the order of the request."""

    results = RetryResultSerializer(many=True)


class SwitchResultsSerializer(serializers.Serializer):
    """The result of each queue, in the order of the request."""

    results = SwitchResultSerializer(many=True)


class DialogsRetry(MessagingView):
    """Retries of the messages that wait for several services."""

    @verb(
        "dialogs_retry",
        _("Retry several"),
        RetrySerializer,
        RetryResultsSerializer,
        description=_(
            "Messages of a database that wait for a service are due at once, and `drains/` shows their progress. Each"
            " place for itself: a refusal of one changes nothing of the others, and the status is 200."
        ),
        examples=[
            OpenApiExample(
                "dry run",
                value={
                    "places": [{"instance": "host1", "database": "Orders", "service": "OrderParts"}],
                    "dry_run": True,
                },
                request_only=True,
            )
        ],
    )
    def post(self, request: Request) -> Response:
        """Make the messages due."""

        def retry() -> tuple[str, int, Any]:
            body = read_body(request.data, RetrySerializer)
            plans, is_done = retry_plans(body["places"]), not body.get("dry_run", False)
            plans = retry_each(plans, request.user.get_username()) if is_done else plans
            return _answer(plans, is_done=is_done)

        return Response(done_once(request, "retry", retry))


class QueuesStatus(MessagingView):
    """The status of several queues."""

    @verb(
        "queues_status",
        _("Switch several queues on or off"),
        SwitchSerializer,
        SwitchResultsSerializer,
        description=_(
            "Of instances that are hosted here. Each queue for itself: a refusal of one changes nothing of the others,"
            " and the status is 200. Each is a change of the estate, with an entry of the audit; `drains/` shows the"
            " progress of messages that waited."
        ),
        examples=[
            OpenApiExample(
                "dry run",
                value={
                    "queues": [{"instance": "host1", "database": "Orders", "queue": "dbo.ShipQueue"}],
                    "enabled": True,
                    "dry_run": True,
                },
                request_only=True,
            )
        ],
    )
    def post(self, request: Request) -> Response:
        """ALTER QUEUE … WITH STATUS, for each."""

        def switch() -> tuple[str, int, Any]:
            body = read_body(request.data, SwitchSerializer)
            plans, is_done = switch_plans(body["queues"]), not body.get("dry_run", False)
            author = request.user.get_username()
            plans = switch_each(plans, is_on=body["enabled"], author=author) if is_done else plans
            return _answer(plans, is_done=is_done)

        return Response(done_once(request, "queue", switch))


def _answer(plans: list[ActPlan[Any]], *, is_done: bool) -> tuple[str, int, Any]:
    done, refused = ("done", "refused") if is_done else ("would_be_done", "would_be_refused")
    results = [
        {
            "result": refused if plan.refusal.words else done,
            **plan.place._asdict(),
            "messages": plan.messages,
            "conversations": plan.conversations,
            "number": plan.refusal.number or None,
            "detail": plan.refusal.words or None,
        }
        for plan in plans
    ]
    hosted = next((plan.place.instance for plan in plans if not plan.refusal.words), "")
    return hosted, 0, {"results": results}
