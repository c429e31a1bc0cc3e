"""`collected/`: what real servers showed of messages that wait and of conversations, when they were asked.

Read only: the rows come with imports, and are of the version that they came with.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from django.urls import URLPattern
from django.utils import timezone
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from brokerui.analysis.monitoring.collected import CollectedWaiting
from brokerui.api.fields import NameField
from brokerui.api.listing import RowListing, same
from brokerui.api.read_only_rows import read_only_address
from brokerui.api.rows import EstateRow, Keeps, Where, databases_of
from routing.common.finding import INFO, WARNING
from routing.common.moment import format_moment
from routing.common.names import SERVICE_NAME_CHARS
from routing.common.sentence import translator
from routing.dialog.states import STATES
from routing.lint.left_over import MEANS
from routing.lint.linted_objects import HostedDatabase
from routing.model.collected import CollectedEndpoints, EndpointSum
from routing.model.estate import Estate

KEYS: Final = ("instance", "database", "place")


class _Message(NamedTuple):
    estate: Estate
    waiting: CollectedWaiting


class _Endpoint(NamedTuple):
    endpoints: CollectedEndpoints
    row: EndpointSum


class CollectedMessageSerializer(serializers.Serializer):
    """Messages of a transmission queue with the same services and status."""

    instance = serializers.CharField()
    database = serializers.CharField()
    collected_at = serializers.DateTimeField(allow_null=True, help_text=_("When its server was asked."))
    from_service_name = serializers.CharField(allow_null=True)
    to_service_name = serializers.CharField(allow_null=True)
    to_broker_instance = serializers.CharField(allow_null=True)
    transmission_status = serializers.CharField(allow_blank=True, help_text=_("As the server gave it."))
    messages = serializers.IntegerField(min_value=0)
    oldest = serializers.DateTimeField(allow_null=True, help_text=_("The first enqueue_time of them."))
    age_s = serializers.IntegerField(allow_null=True, min_value=0, help_text=_("How long it had waited then."))
    number = serializers.IntegerField(
        allow_null=True, help_text=_("In sys.messages; null: a blank status, or a text that is not in the catalogue.")
    )
    code = serializers.CharField(help_text=_("The code of the finding about them."))
    severity = serializers.ChoiceField([WARNING, INFO])
    cause = serializers.CharField()
    next_step = serializers.CharField(help_text=_("Of a blank status: what the engine says of the way back."))


class CollectedEndpointSerializer(serializers.Serializer):
    """Conversation endpoints of a service with the same far service and state."""

    instance = serializers.CharField()
    database = serializers.CharField()
    collected_at = serializers.DateTimeField(allow_null=True, help_text=_("When its server was asked."))
    service_name = serializers.CharField(allow_null=True)
    far_service = serializers.CharField(allow_null=True)
    state = serializers.CharField()
    state_desc = serializers.CharField(allow_null=True)
    endpoints = serializers.IntegerField(min_value=0)
    meaning = serializers.CharField(allow_null=True)


def _message_rows(estate: Estate, where: Where, keeps: Keeps) -> Iterator[EstateRow]:
    for instance, database in databases_of(estate, where):
        queue = database.transmission_queue
        for place, row in enumerate(queue.rows if queue is not None else ()):
            if queue is not None and keeps(row.to_service):
                waiting = CollectedWaiting(HostedDatabase(instance, database), queue, row)
                yield EstateRow((instance.name, database.name, f"{place:04}"), _Message(estate, waiting))


def _message_as_json(row: EstateRow) -> dict[str, Any]:
    estate, waiting = row.value
    status, translate = waiting.meaning(estate, timezone.now()), translator(gettext, ngettext)
    moment, oldest = waiting.queue.collected_at, waiting.row.oldest
    return {
        "instance": waiting.instance,
        "database": waiting.database,
        "collected_at": format_moment(moment) if moment else None,
        "from_service_name": waiting.row.from_service,
        "to_service_name": waiting.row.to_service,
        "to_broker_instance": waiting.row.to_broker_instance,
        "transmission_status": waiting.row.status,
        "messages": waiting.row.messages,
        "oldest": format_moment(oldest) if oldest else None,
        "age_s": waiting.age_s(),
        "number": status.number,
        "code": status.code,
        "severity": status.severity,
        "cause": status.cause.render(translate),
        "next_step": status.next_step.render(translate),
    }


def _endpoint_rows(estate: Estate, where: Where, keeps: Keeps) -> Iterator[EstateRow]:
    for instance, database in databases_of(estate, where):
        endpoints = database.conversation_endpoints
        for place, row in enumerate(endpoints.rows if endpoints is not None else ()):
            if endpoints is not None and keeps(row.service):
                yield EstateRow((instance.name, database.name, f"{place:04}"), _Endpoint(endpoints, row))


def _endpoint_as_json(row: EstateRow) -> dict[str, Any]:
    endpoints, one = row.value
    instance, database, _place = row.key
    meaning = MEANS.get(one.state)
    return {
        "instance": instance,
        "database": database,
        "collected_at": format_moment(endpoints.collected_at) if endpoints.collected_at else None,
        "service_name": one.service,
        "far_service": one.far_service,
        "state": one.state,
        "state_desc": STATES.get(one.state),
        "endpoints": one.endpoints,
        "meaning": meaning.render(translator(gettext, ngettext)) if meaning else None,
    }


def _filter(name: str, help_text: Any) -> Any:
    return same(name, NameField(max_length=SERVICE_NAME_CHARS, help_text=help_text), lambda service: service)


COLLECTED: Final = (
    (
        RowListing(
            name="transmission_queue",
            title=_("Messages that waited on real servers"),
            keys=KEYS,
            rows=_message_rows,
            as_json=_message_as_json,
            filters=(_filter("to_service_name", _("For this service.")),),
        ),
        CollectedMessageSerializer,
    ),
    (
        RowListing(
            name="conversation_endpoints",
            title=_("Conversations of real servers, by service and state"),
            keys=KEYS,
            rows=_endpoint_rows,
            as_json=_endpoint_as_json,
            filters=(_filter("service_name", _("Of this service.")),),
        ),
        CollectedEndpointSerializer,
    ),
)

DESCRIPTION: Final = _(
    "Sums by service and status or state, as `collect-sql` or a pasted grid gave them. They are of the"
    " moment at which their server was asked, and of the version that the import made."
)


def addresses() -> list[URLPattern]:
    """Return the addresses of the collected rows."""
    return [read_only_address("collected", listing, row, DESCRIPTION) for listing, row in COLLECTED]
