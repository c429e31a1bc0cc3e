"""The verbs about a queue, and receipts."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from brokerui.api import telling
from brokerui.api.messaging import reading, shapes
from brokerui.api.messaging.base import MessagingView, done_once
from brokerui.api.messaging.dialogs import TAG, told
from brokerui.api.messaging.waiting import waited_for
from brokerui.api.parameters import given
from brokerui.estate.selectors import estate_current
from brokerui.messaging.broker_cache import broker_of, check_queue
from brokerui.messaging.leases.models import State
from brokerui.messaging.leases.selectors import has_messages
from brokerui.messaging.leases.services import Leased, lease_commit, lease_make, lease_roll_back
from brokerui.messaging.models import HostedInstance
from brokerui.messaging.queue_address import QueueAddress
from brokerui.messaging.queue_rows import queue_rows
from brokerui.messaging.verbs.administration import queue_set_status
from routing.common.errors import Invalid
from routing.common.identifier import parse_identifier
from routing.common.moment import from_milliseconds

PLACE = [
    OpenApiParameter(name, {"type": "string"}, OpenApiParameter.PATH) for name in ("instance", "database", "queue")
]
RECEIPT = OpenApiParameter("receipt", {"type": "string"}, OpenApiParameter.PATH, description=_("Of a receive."))


class QueueReceive(MessagingView):
    """Receiving."""

    @extend_schema(
        operation_id="queue_receive",
        tags=TAG,
        summary=_("Receive messages of one conversation group"),
        description=_(
            "They stay in the queue until the receipt is committed (`receipts/{receipt}/`), and nobody else receives "
            "from their conversation group until then. A lease that is not committed in time lapses: then the messages "
            "are for whoever receives them next, and that counts as a rollback of the queue's.\n\n"
            "With `wait_ms` the answer comes as soon as there is something. 503 says that too many wait already."
        ),
        parameters=PLACE,
        request=shapes.ReceiveSerializer,
        examples=[OpenApiExample("wait", value={"top": 10, "wait_ms": 5000, "lease_s": 60}, request_only=True)],
        responses={200: shapes.ReceivedSerializer, **telling.problems((*telling.WRITES, 404))},
    )
    def post(self, request: Request, instance: str, database: str, queue: str) -> Response:
        """RECEIVE, with a lease."""
        given(request, ())
        asked = reading.receive_from(request.data, (database, queue))
        author = request.user.get_username()
        check_queue(broker_of(instance), asked.receive.queue)
        number = HostedInstance.objects.values_list("id", flat=True).get(name=instance)
        leased = waited_for(
            lambda: lease_make(instance=instance, asked=asked.receive, owner=author, lease_ms=asked.lease_ms),
            lambda: has_messages(number, asked.receive.queue),
            QueueAddress(instance, database, queue),
            asked.wait_s,
            gettext("As many as can are waiting for messages already. Ask again, or without waiting."),
        )
        return Response(_as_json(instance, leased))


def _as_json(instance: str, leased: Leased | None) -> dict[str, Any]:
    if leased is None:
        return {"receipt": None, "conversation_group_id": None, "until": None, "messages": []}
    return {
        "receipt": leased.receipt,
        "conversation_group_id": leased.conversation_group_id,
        "until": from_milliseconds(leased.until).isoformat(),
        "messages": queue_rows(estate_current().estate, instance, leased.messages),
    }


class QueueStatus(MessagingView):
    """On and off."""

    @told(
        "queue_status",
        _("Switch a queue on or off"),
        shapes.QueueStatusSerializer,
        shapes.QueueStatusSerializer,
        parameters=PLACE,
        says=_("Of an instance that is hosted here. It is a change of the estate, with an entry of the audit."),
        examples=[OpenApiExample("on", value={"enabled": True}, request_only=True)],
    )
    def post(self, request: Request, instance: str, database: str, queue: str) -> Response:
        """ALTER QUEUE … WITH STATUS."""

        def switch() -> tuple[str, int, Any]:
            is_on = reading.enabled_from(request.data)
            author = request.user.get_username()
            queue_set_status(instance=instance, database=database, queue=queue, is_on=is_on, author=author)
            return instance, 0, {"enabled": is_on}

        return Response(done_once(request, "queue", switch))


class Receipts(MessagingView):
    """What becomes of a receive."""

    @extend_schema(
        operation_id="receipt_settle",
        tags=TAG,
        summary=_("Commit a receive, or roll it back"),
        description=_(
            "Committed, the messages are received: exactly those that were handed out. Sent again it is answered the "
            "same, for a day. 410: the lease is over, and nothing was done. Only who received may do it."
        ),
        parameters=[RECEIPT],
        request=shapes.ReceiptSerializer,
        examples=[
            OpenApiExample("commit", value={"action": "commit"}, request_only=True),
            OpenApiExample("rollback", value={"action": "rollback"}, request_only=True),
        ],
        responses={200: shapes.SettledSerializer, **telling.problems((*telling.WRITES, 404, 410))},
    )
    def post(self, request: Request, receipt: str) -> Response:
        """`commit` or `rollback`."""
        given(request, ())
        action = reading.action_from(request.data)
        who = {"receipt": _receipt(receipt), "owner": request.user.get_username()}
        if action == reading.ROLLBACK:
            lease_roll_back(**who)
            return Response({"receipt": who["receipt"], "state": State.ROLLED_BACK, "messages": 0})
        count = lease_commit(**who)
        return Response({"receipt": who["receipt"], "state": State.COMMITTED, "messages": count})


def _receipt(text: str) -> str:
    """As it is kept; what is no receipt is none of anybody's."""
    try:
        return parse_identifier(text)
    except Invalid:
        return text[:36]
