"""The verbs about a queue, and receipts."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from brokerui.analysis.acts.services import switch_off, switch_on
from brokerui.api import openapi
from brokerui.api.bodies import uncounted_page_of
from brokerui.api.cursors import page_body, read_cursor
from brokerui.api.etags import etag_of_json, is_known
from brokerui.api.messaging.base import MessagingView, done_once
from brokerui.api.messaging.dialogs import TAG, verb
from brokerui.api.messaging.queue_bodies import (
    ROLLBACK,
    ConversationGroupSerializer,
    LockedGroupSerializer,
    QueueStatusSerializer,
    QueueViewRowSerializer,
    ReceiptSerializer,
    ReceivedSerializer,
    ReceiveSerializer,
    SettledSerializer,
)
from brokerui.api.messaging.waiting import wait_for
from brokerui.api.queries import NoQuery, PageQuery
from brokerui.api.serializers import read_body, read_query
from brokerui.estate.selectors import estate_current
from brokerui.messaging.broker_cache import broker_of, check_queue
from brokerui.messaging.leases.models import LeaseState
from brokerui.messaging.leases.selectors import has_messages
from brokerui.messaging.leases.services import Leased, lease_commit, lease_make, lease_receive, lease_roll_back
from brokerui.messaging.models import HostedInstance
from brokerui.messaging.queue_address import QueueAddress
from brokerui.messaging.queue_names import queue_named
from brokerui.messaging.queue_rows import queue_rows, queue_view_rows
from brokerui.messaging.queue_view import queue_view
from routing.common.errors import Invalid
from routing.common.identifier import parse_identifier
from routing.common.moment import from_milliseconds
from routing.dialog.batch import ReceiveRequest

PLACE = [
    OpenApiParameter(name, {"type": "string"}, OpenApiParameter.PATH) for name in ("instance", "database", "queue")
]
RECEIPT = openapi.guid_in_path("receipt", _("Of a receive."))


class QueueMessages(MessagingView):
    """The rows of a queue."""

    @extend_schema(
        operation_id="queue_messages",
        tags=openapi.tags(_("Catalog views")),
        summary=_("The rows of a queue"),
        description=_(
            "As SELECT from the queue shows them: nothing is locked or received. First what RECEIVE will return, then "
            "what RETENTION keeps, then messages that are not complete or out of order; while the queue is off, those "
            "are in `sys/transmission_queue/`. The rows are not counted; go on as long as there is a `next`."
        ),
        **openapi.conditional_get(uncounted_page_of(QueueViewRowSerializer), query=PageQuery, parameters=PLACE),
    )
    def get(self, request: Request, instance: str, database: str, queue: str) -> Response:
        """Return a page of its rows."""
        query = read_query(request, PageQuery)
        after = read_cursor(query.get("cursor"), (int, str, int, int))
        page = queue_view(queue_named(instance, database, queue), after, query["limit"])
        rows = queue_view_rows(estate_current().estate, instance, page.rows)
        body = page_body(request, rows, page.after)
        etag = etag_of_json(body)
        if is_known(request, etag):
            return Response(status=304, headers={"ETag": etag})
        return Response(body, headers={"ETag": etag})


class QueueReceive(MessagingView):
    """Messages of a queue, with a lease."""

    @extend_schema(
        operation_id="queue_receive",
        tags=TAG,
        summary=_("Receive messages of one conversation group"),
        description=_(
            "They stay in the queue until the receipt is committed (`receipts/{receipt}/`), and nobody else receives "
            "from their conversation group until then. A lease that is not committed in time expires: then others can "
            "receive the messages, and the queue counts a rollback.\n\n"
            "With a `receipt` they are the first messages of the group that it has locked, and it stands for them "
            "from then on.\n\n"
            "With `wait_ms` the answer comes as soon as there is something. 503 says that too many wait already."
        ),
        parameters=PLACE,
        request=ReceiveSerializer,
        examples=[OpenApiExample("wait", value={"top": 10, "wait_ms": 5000, "lease_s": 60}, request_only=True)],
        responses={200: ReceivedSerializer, **openapi.problems((*openapi.WRITE_STATUSES, 404, 410))},
    )
    def post(self, request: Request, instance: str, database: str, queue: str) -> Response:
        """RECEIVE, with a lease."""
        read_query(request, NoQuery)
        body = read_body(request.data, ReceiveSerializer)
        place = queue_named(instance, database, queue)
        if body.get("receipt"):
            return Response(_as_json(instance, _of_receipt(request, place, body)))
        of = (body.get("conversation_handle"), body.get("conversation_group_id"))
        receive = ReceiveRequest((database, place.queue), body["top"], *of)
        return Response(_as_json(instance, _waited_for(request, place, body, receive)))


class QueueConversationGroup(MessagingView):
    """The next conversation group of a queue, locked."""

    @extend_schema(
        operation_id="queue_conversation_group",
        tags=TAG,
        summary=_("Lock the next conversation group that has messages"),
        description=_(
            "GET CONVERSATION GROUP: nobody else receives from the group as long as the receipt lives. Receive its "
            "messages with `receive/` and `{receipt}`, then commit the receipt."
        ),
        parameters=PLACE,
        request=ConversationGroupSerializer,
        examples=[OpenApiExample("wait", value={"wait_ms": 5000, "lease_s": 60}, request_only=True)],
        responses={200: LockedGroupSerializer, **openapi.problems((*openapi.WRITE_STATUSES, 404))},
    )
    def post(self, request: Request, instance: str, database: str, queue: str) -> Response:
        """GET CONVERSATION GROUP, with a lease."""
        read_query(request, NoQuery)
        body = read_body(request.data, ConversationGroupSerializer)
        place = queue_named(instance, database, queue)
        receive = ReceiveRequest((database, place.queue), top=0)
        return Response(_group_as_json(_waited_for(request, place, body, receive)))


def _waited_for(request: Request, place: QueueAddress, body: Any, receive: ReceiveRequest) -> Leased | None:
    """A lease of the next group; None: nothing has come in time."""
    owner, lease_ms = request.user.get_username(), body["lease_s"] * 1000
    check_queue(broker_of(place.instance), receive.queue)
    number = HostedInstance.objects.values_list("id", flat=True).get(name=place.instance)
    return wait_for(
        lambda: lease_make(instance=place.instance, request=receive, owner=owner, lease_ms=lease_ms),
        lambda: has_messages(number, receive.queue),
        place,
        body["wait_ms"] / 1000,
        gettext("Too many requests wait for messages already. Try again later, or without waiting."),
    )


def _of_receipt(request: Request, place: QueueAddress, body: Any) -> Leased:
    """The messages of the group that a receipt has locked."""
    owner = request.user.get_username()
    lease_ms = body["lease_s"] * 1000
    return lease_receive(receipt=body["receipt"], place=place, owner=owner, top=body["top"], lease_ms=lease_ms)


def _group_as_json(leased: Leased | None) -> dict[str, Any]:
    if leased is None:
        return {"receipt": None, "conversation_group_id": None, "until": None}
    return {
        "receipt": leased.receipt,
        "conversation_group_id": leased.conversation_group_id,
        "until": from_milliseconds(leased.until).isoformat(),
    }


def _as_json(instance: str, leased: Leased | None) -> dict[str, Any]:
    messages = queue_rows(estate_current().estate, instance, leased.messages) if leased else []
    return {**_group_as_json(leased), "messages": messages}


class QueueStatus(MessagingView):
    """Whether a queue receives and accepts messages."""

    @verb(
        "queue_status",
        _("Switch a queue on or off"),
        QueueStatusSerializer,
        QueueStatusSerializer,
        parameters=PLACE,
        description=_("Of an instance that is hosted here. It is a change of the estate, with an entry of the audit."),
        examples=[OpenApiExample("on", value={"enabled": True}, request_only=True)],
    )
    def post(self, request: Request, instance: str, database: str, queue: str) -> Response:
        """ALTER QUEUE … WITH STATUS."""

        def switch() -> tuple[str, int, Any]:
            is_on = read_body(request.data, QueueStatusSerializer)["enabled"]
            author = request.user.get_username()
            name = queue_named(instance, database, queue).queue
            act = switch_on if is_on else switch_off
            act(instance=instance, database=database, queue=name, author=author)
            return instance, 0, {"enabled": is_on}

        return Response(done_once(request, "queue", switch))


class ReceiptSettle(MessagingView):
    """Commit or rollback of a receive."""

    @extend_schema(
        operation_id="receipt_settle",
        tags=TAG,
        summary=_("Commit a receive, or roll it back"),
        description=_(
            "Committed, the messages are received: exactly those that were handed out. Sent again it is answered the "
            "same, for a day. 410: the lease has expired, and nothing was done. Only the user who "
            "received them may do it."
        ),
        parameters=[RECEIPT],
        request=ReceiptSerializer,
        examples=[
            OpenApiExample("commit", value={"action": "commit"}, request_only=True),
            OpenApiExample("rollback", value={"action": "rollback"}, request_only=True),
        ],
        responses={200: SettledSerializer, **openapi.problems((*openapi.WRITE_STATUSES, 404, 410))},
    )
    def post(self, request: Request, receipt: str) -> Response:
        """`commit` or `rollback`."""
        read_query(request, NoQuery)
        action = read_body(request.data, ReceiptSerializer)["action"]
        lease = {"receipt": _receipt(receipt), "owner": request.user.get_username()}
        if action == ROLLBACK:
            lease_roll_back(**lease)
            return Response({"receipt": lease["receipt"], "state": LeaseState.ROLLED_BACK, "messages": 0})
        count = lease_commit(**lease)
        return Response({"receipt": lease["receipt"], "state": LeaseState.COMMITTED, "messages": count})


def _receipt(text: str) -> str:
    """Return the key of a receipt; a text that is no receipt finds none."""
    try:
        return parse_identifier(text)
    except Invalid:
        return text[:36]
