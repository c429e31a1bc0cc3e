"""`queue_states/`: the queues of hosted instances as the page *Queues* has them, in the order of their names."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from brokerui.analysis.monitoring.queue_readers import QueueReaders, readers_of_queues
from brokerui.analysis.monitoring.service_queues import HostedQueue, queue_states
from brokerui.api import openapi
from brokerui.api.base import ApiView
from brokerui.api.bodies import uncounted_page_of
from brokerui.api.cursors import page_body, read_cursor
from brokerui.api.etags import etag_of_json, is_known
from brokerui.api.fields import StrictBooleanField
from brokerui.api.listing import database_filter, instance_filter
from brokerui.api.printed_places import with_printed_place
from brokerui.api.queries import PageQuery
from brokerui.api.serializers import read_query
from brokerui.estate.selectors import estate_current
from brokerui.messaging.clock import now
from routing.common.moment import format_moment, from_milliseconds

MS: int = 1000


class QueueStateQuery(PageQuery):
    """Which queues."""

    instance = instance_filter()
    database = database_filter()
    enabled = StrictBooleanField(required=False, help_text=_("Queues that are on, or off."))


class QueueStateSerializer(serializers.Serializer):
    """A queue as it is now."""

    instance = serializers.CharField()
    database = serializers.CharField()
    name = serializers.CharField()
    messages = serializers.IntegerField(min_value=0)
    oldest_s = serializers.IntegerField(
        allow_null=True, min_value=0, help_text=_("By the last sample; null: none waited then.")
    )
    arrived_a_minute = serializers.FloatField(help_text=_("The mean of the last five whole minutes."))
    received_a_minute = serializers.FloatField(help_text=_("The mean of the last five whole minutes."))
    is_receive_enabled = serializers.BooleanField()
    is_enqueue_enabled = serializers.BooleanField()
    is_poison_message_handling_enabled = serializers.BooleanField()
    rollbacks = serializers.IntegerField(
        min_value=0, help_text=_("Receives in a row that were rolled back; the fifth switches the queue off.")
    )
    waiting_conversations = serializers.IntegerField(
        min_value=0, help_text=_("Conversations whose messages wait until the queue is on.")
    )
    off_since = serializers.DateTimeField(allow_null=True, help_text=_("Null: it is on, or an import switched it off."))
    off_by = serializers.CharField(allow_null=True, help_text=_("Who switched it off."))
    is_poisoned = serializers.BooleanField(help_text=_("Whether five rollbacks in a row switched it off."))
    activation_procedure = serializers.CharField(allow_null=True)
    max_readers = serializers.IntegerField(allow_null=True)
    readers = serializers.IntegerField(min_value=0, help_text=_("That run now."))
    last_failure = serializers.CharField(allow_null=True, help_text=_("Of a reader."))
    last_failure_at = serializers.DateTimeField(allow_null=True)


class QueueStateList(ApiView):
    """The queues, read only."""

    http_method_names = ["get", "head"]

    @extend_schema(
        operation_id="queue_states",
        tags=openapi.tags(_("Messages")),
        summary=_("Queues as they are now"),
        description=_(
            "Queues of hosted instances: messages, the age of the oldest, messages that arrive and are received,"
            " whether the queue is on and why not, and its readers."
        ),
        **openapi.conditional_get(uncounted_page_of(QueueStateSerializer), query=QueueStateQuery),
    )
    def get(self, request: Request) -> Response:
        """Return a page of them."""
        query, estate = read_query(request, QueueStateQuery), estate_current().estate
        query = with_printed_place(query, estate) if "database" in query else query
        after = read_cursor(query.get("cursor"), (str, str, str)) or ("", "", "")
        states = [
            state for state in queue_states(estate, now()) if tuple(state.address) > after and _fits(state, query)
        ]
        shown = states[: query["limit"]]
        readers = readers_of_queues(shown)
        rows = [_as_json(state, readers[state.address]) for state in shown]
        body = page_body(request, rows, tuple(shown[-1].address) if len(states) > len(shown) else None)
        etag = etag_of_json(body)
        if is_known(request, etag):
            return Response(status=304, headers={"ETag": etag})
        return Response(body, headers={"ETag": etag})


def _fits(state: HostedQueue, query: dict[str, Any]) -> bool:
    own = {"instance": state.address.instance, "database": state.address.database, "enabled": state.is_on}
    return all(query.get(name, value) == value for name, value in own.items())


def _as_json(state: HostedQueue, readers: QueueReaders) -> dict[str, Any]:
    off, failure, activation = readers.off, readers.failure, state.activation
    return {
        "instance": state.address.instance,
        "database": state.address.database,
        "name": state.address.queue,
        "messages": state.messages,
        "oldest_s": None if state.oldest_age_ms is None else state.oldest_age_ms // MS,
        "arrived_a_minute": round(state.arrived, 1),
        "received_a_minute": round(state.received, 1),
        "is_receive_enabled": state.is_on,
        "is_enqueue_enabled": state.is_on,
        "is_poison_message_handling_enabled": state.has_poison_handling,
        "rollbacks": state.rollbacks,
        "waiting_conversations": state.waiting,
        "off_since": None if off is None else format_moment(off.at),
        "off_by": None if off is None else off.author,
        "is_poisoned": off is not None and off.is_poisoned,
        "activation_procedure": activation.procedure if activation else None,
        "max_readers": activation.max_readers if activation else None,
        "readers": readers.running,
        "last_failure": failure.text if failure else None,
        "last_failure_at": format_moment(from_milliseconds(failure.at)) if failure else None,
    }
