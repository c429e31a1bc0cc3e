"""The verbs about one conversation."""

from __future__ import annotations

from typing import Any

from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from brokerui.api import telling
from brokerui.api.messaging import reading, shapes
from brokerui.api.messaging.base import MessagingView, done_once
from brokerui.api.messaging.sys_shapes import DialogSerializer
from brokerui.api.messaging.sys_views import endpoint_as_json
from brokerui.api.parameters import given
from brokerui.api.tags import is_known, tag_of_json
from brokerui.estate.audit import audit
from brokerui.messaging import services
from brokerui.messaging.broker_cache import has_binding
from brokerui.messaging.selectors import EndpointRow, conversation_endpoints
from routing.common.errors import Invalid
from routing.common.identifier import parse_identifier
from routing.dialog.problems import VerbError

TAG = telling.tagged(_("Messaging"))
HANDLE = OpenApiParameter("handle", {"type": "string"}, OpenApiParameter.PATH, description=_("Of the conversation."))
KEY = telling.header(
    "Idempotency-Key",
    _(
        "Of your own, for each request: up to 64 characters. Sent again with it, the "
        "request is done once, and answered as it was."
    ),
)
DONE = (*telling.WRITES, 404)


def told(name: str, summary: Any, request: Any, answer: Any, *, status: int = 200, says: Any = "", **more: Any) -> Any:
    """The schema of a verb."""
    parameters = [*more.pop("parameters", ()), KEY]
    return extend_schema(
        operation_id=name,
        tags=TAG,
        summary=summary,
        description=says,
        parameters=parameters,
        request=request,
        responses={status: answer, **telling.problems(DONE)},
        **more,
    )


def endpoint_of(handle: str) -> EndpointRow:
    """The side of a conversation that has this handle. Raises `Refused`."""
    try:
        found = conversation_endpoints({"conversation_handle": parse_identifier(handle)}).rows
    except Invalid:
        found = ()
    if not found:
        raise VerbError(8426, handle=handle)
    return found[0]


def instance_of(handle: str) -> tuple[str, str]:
    """The instance that has a conversation, and its handle as it stands there. Raises `Refused`."""
    row = endpoint_of(handle)
    return row.instance, row.conversation_handle


class Dialogs(MessagingView):
    """Dialogs."""

    @told(
        "dialog_begin",
        _("Begin a dialog"),
        shapes.BeginSerializer,
        shapes.BegunSerializer,
        status=201,
        says=_("From a service of a database of an instance that is hosted here. Nothing is sent yet."),
        examples=[
            OpenApiExample(
                "order",
                value={"instance": "host1", "database": "Orders", "from_service": "Orders", "to_service": "OrderParts"},
                request_only=True,
            )
        ],
    )
    def post(self, request: Request) -> Response:
        """BEGIN DIALOG."""
        asked = reading.begin_from(request.data)
        encryption = asked.pop("encryption", None)
        if encryption is None:  # before the transaction: nothing that is kept may be of one that is rolled back
            encryption = has_binding(asked["instance"], asked["database"], asked["to_service"])

        def begin() -> tuple[str, int, Any]:
            begun = services.conversation_begin(**asked, encryption=encryption)
            fields = ("conversation_handle", "conversation_id", "conversation_group_id")
            return asked["instance"], 0, {name: getattr(begun, name) for name in fields}

        answer = done_once(request, "begin", begin)
        where = reverse("api:dialog", args=[answer["conversation_handle"]])
        return Response(answer, status=201, headers={"Location": where})


class Dialog(MessagingView):
    """One side of a conversation."""

    @extend_schema(
        operation_id="dialog_read",
        tags=TAG,
        summary=_("Read one"),
        description=_("The row of `sys.conversation_endpoints`, and why the first message that waits does."),
        parameters=[HANDLE, telling.IF_NONE_MATCH, telling.tag_header([200])],
        responses={200: DialogSerializer, 304: telling.UNCHANGED, **telling.problems(telling.READS)},
    )
    def get(self, request: Request, handle: str) -> Response:
        """With its transmission status."""
        given(request, ())
        row = endpoint_of(handle)
        status = services.transmission_status(instance=row.instance, handle=row.conversation_handle)
        body = {**endpoint_as_json([row])[0], "transmission_status": status}
        tag = tag_of_json(body)
        if is_known(request, tag):
            return Response(status=304, headers={"ETag": tag})
        return Response(body, headers={"ETag": tag})


class DialogMessages(MessagingView):
    """Messages that are sent."""

    @told(
        "dialog_send",
        _("Send one message, or many"),
        shapes.SendSerializer,
        shapes.SentSerializer,
        status=201,
        parameters=[HANDLE],
        says=_("All of them or none, in this order. A request may have up to 32 MB."),
        examples=[
            OpenApiExample("one", value={"message_body": "aGVsbG8="}, request_only=True),
            OpenApiExample(
                "many",
                value={"messages": [{"message_body": "MQ=="}, {"message_type": "//m/order", "message_body": "Mg=="}]},
                request_only=True,
            ),
        ],
    )
    def post(self, request: Request, handle: str) -> Response:
        """SEND."""

        def send() -> tuple[str, int, Any]:
            messages = reading.messages_from(request.data)
            instance, found = instance_of(handle)
            services.conversation_send(instance=instance, handles=[found], messages=messages)
            return instance, len(messages), {"conversation_handle": found, "messages": len(messages)}

        return Response(done_once(request, "send", send), status=201)


class DialogEnd(MessagingView):
    """The end of a conversation, for this side."""

    @told(
        "dialog_end",
        _("End it"),
        shapes.EndSerializer,
        shapes.HandleSerializer,
        parameters=[HANDLE],
        says=_(
            "With `error` the other side is told why. With `cleanup` it is not told at all, and what was not sent or "
            "received is lost: an entry of the audit says who did it."
        ),
        examples=[
            OpenApiExample("end", value={}, request_only=True),
            OpenApiExample(
                "with an error", value={"error": {"code": 1, "description": "out of stock"}}, request_only=True
            ),
        ],
    )
    def post(self, request: Request, handle: str) -> Response:
        """END CONVERSATION."""

        def end() -> tuple[str, int, Any]:
            how = reading.end_from(request.data)
            instance, found = instance_of(handle)
            if how.code is not None:
                services.conversation_end_with_error(
                    instance=instance, handle=found, code=how.code, description=how.description
                )
            elif how.cleanup:
                services.conversation_end_with_cleanup(instance=instance, handle=found)
                audit(author=request.user.get_username(), action="dialog.cleanup", note=f"{instance}: {found}")
            else:
                services.conversation_end(instance=instance, handle=found)
            return instance, 0, {"conversation_handle": found}

        return Response(done_once(request, "end", end))


class DialogMove(MessagingView):
    """The conversation group."""

    @told(
        "dialog_move",
        _("Move it to another conversation group"),
        shapes.MoveSerializer,
        shapes.HandleSerializer,
        parameters=[HANDLE],
        says=_("Of the same queue. Not while messages of its group are leased: the answer is then 409."),
        examples=[
            OpenApiExample(
                "move",
                value={"conversation_group_id": "6f3f0d5e-0000-4000-8000-000000000001"},
                request_only=True,
            )
        ],
    )
    def post(self, request: Request, handle: str) -> Response:
        """MOVE CONVERSATION."""

        def move() -> tuple[str, int, Any]:
            group = reading.group_from(request.data)
            instance, found = instance_of(handle)
            services.conversation_move(instance=instance, handle=found, conversation_group_id=group)
            return instance, 0, {"conversation_handle": found}

        return Response(done_once(request, "move", move))


class DialogTimer(MessagingView):
    """The conversation timer."""

    @told(
        "dialog_timer",
        _("Start its timer"),
        shapes.TimerSerializer,
        shapes.HandleSerializer,
        parameters=[HANDLE],
        says=_("When it runs out, a message of type DialogTimer is in the queue. Started again, it begins anew."),
        examples=[OpenApiExample("a minute", value={"timeout_s": 60}, request_only=True)],
    )
    def post(self, request: Request, handle: str) -> Response:
        """BEGIN CONVERSATION TIMER."""

        def start() -> tuple[str, int, Any]:
            timeout_s = reading.timeout_from(request.data)
            instance, found = instance_of(handle)
            services.conversation_timer_start(instance=instance, handle=found, timeout_s=timeout_s)
            return instance, 0, {"conversation_handle": found}

        return Response(done_once(request, "timer", start))
