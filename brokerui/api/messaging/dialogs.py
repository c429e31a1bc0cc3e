"""The verbs about one conversation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from brokerui.analysis.acts.ending import EndHow
from brokerui.analysis.acts.services import conversation_state
from brokerui.analysis.monitoring.held import diagnosis_by_handle
from brokerui.api import openapi
from brokerui.api.etags import etag_of_json, is_known
from brokerui.api.idempotency import key_header
from brokerui.api.messaging.base import MessagingView, done_once
from brokerui.api.messaging.dialog_bodies import (
    BeginSerializer,
    BegunSerializer,
    EndSerializer,
    HandleSerializer,
    MoveSerializer,
    SendOnSerializer,
    SendSerializer,
    SentOnSerializer,
    SentSerializer,
    TimerSerializer,
)
from brokerui.api.messaging.sys_columns import DialogSerializer
from brokerui.api.messaging.sys_rows import endpoints_as_json
from brokerui.api.problems import in_body
from brokerui.api.queries import NoQuery
from brokerui.api.serializers import read_body, read_query
from brokerui.estate.audit import audit
from brokerui.estate.audit_changes import changes_of
from brokerui.messaging import services
from brokerui.messaging.broker_cache import has_binding
from brokerui.messaging.selectors import endpoint_of
from routing.common.errors import Invalid
from routing.common.sentence import say

TAG = openapi.tags(_("Messaging"))
HANDLE = openapi.guid_in_path("handle", _("Of the conversation."))
KEY = key_header(
    _(
        "A value of your own for each request, up to 64 characters. A request that is sent again with the same value "
        "is done only once and gets the same answer."
    ),
)
SEND_ON = {
    "conversation_handles": ["6f3f0d5e-0000-4000-8000-000000000001", "6f3f0d5e-0000-4000-8000-000000000002"],
    "message_body": "aGVsbG8=",
}
STATUSES = (*openapi.WRITE_STATUSES, 404)


def verb(operation_id: str, summary: Any, request: Any, response: Any, *, status: int = 200, **more: Any) -> Any:
    """Return the decorator that describes a verb in the schema."""
    parameters = [*more.pop("parameters", ()), KEY]
    return extend_schema(
        operation_id=operation_id,
        tags=TAG,
        summary=summary,
        parameters=parameters,
        request=request,
        responses={status: response, **openapi.problems(STATUSES)},
        **more,
    )


def instance_of(handle: str) -> tuple[str, str]:
    """Return the instance that has a conversation, and its handle as it stands there. Raises `VerbError`."""
    row = endpoint_of(handle)
    return row.instance, row.conversation_handle


def of_one_database(handles: Sequence[str]) -> tuple[str, list[str]]:
    """Return the instance of several conversations, and their handles as they stand there. Raises `VerbError`, and a
    problem where they belong to different databases."""
    rows = [endpoint_of(handle) for handle in handles]
    if len({(row.instance, row.database) for row in rows}) > 1:
        raise in_body(Invalid("conversation_handles", say("must be conversations of one database")))
    return rows[0].instance, [row.conversation_handle for row in rows]


class DialogBegin(MessagingView):
    """A new conversation."""

    @verb(
        "dialog_begin",
        _("Begin a dialog"),
        BeginSerializer,
        BegunSerializer,
        status=201,
        description=_("From a service of a database of an instance that is hosted here. Nothing is sent yet."),
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
        arguments = read_body(request.data, BeginSerializer)
        encryption = arguments.pop("encryption", None)
        if encryption is None:  # before the transaction: what a rollback undoes must not stay in a cache
            encryption = has_binding(arguments["instance"], arguments["database"], arguments["to_service"])

        def begin() -> tuple[str, int, Any]:
            begun = services.conversation_begin(**arguments, encryption=encryption)
            fields = ("conversation_handle", "conversation_id", "conversation_group_id")
            return arguments["instance"], 0, {name: getattr(begun, name) for name in fields}

        answer = done_once(request, "begin", begin)
        where = reverse("api:dialog", args=[answer["conversation_handle"]])
        return Response(answer, status=201, headers={"Location": where})


class DialogDetail(MessagingView):
    """One side of a conversation."""

    @extend_schema(
        operation_id="dialog_read",
        tags=TAG,
        summary=_("Read one"),
        description=_(
            "The row of `sys.conversation_endpoints`, why its first message waits, and what routing does then."
        ),
        **openapi.conditional_get(DialogSerializer, parameters=[HANDLE]),
    )
    def get(self, request: Request, handle: str) -> Response:
        """Return its row, with its transmission status."""
        read_query(request, NoQuery)
        row = endpoint_of(handle)
        status = services.transmission_status(instance=row.instance, handle=row.conversation_handle)
        held = diagnosis_by_handle(row.conversation_handle, status)
        body = {
            **endpoints_as_json([row])[0],
            "transmission_status": status,
            "held": held.sentence,
            "looks": held.as_json(),
        }
        etag = etag_of_json({**body, "looks": None})  # their seconds pass without a change
        if is_known(request, etag):
            return Response(status=304, headers={"ETag": etag})
        return Response(body, headers={"ETag": etag})


class DialogMessages(MessagingView):
    """Messages that are sent."""

    @verb(
        "dialog_send",
        _("Send one message, or many"),
        SendSerializer,
        SentSerializer,
        status=201,
        parameters=[HANDLE],
        description=_("All of them or none, in this order. A request may have up to 32 MB."),
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
            messages = read_body(request.data, SendSerializer)
            instance, found = instance_of(handle)
            services.conversation_send(instance=instance, handles=[found], messages=messages)
            return instance, len(messages), {"conversation_handle": found, "messages": len(messages)}

        return Response(done_once(request, "send", send), status=201)


class DialogsMessages(MessagingView):
    """Messages that are sent on several conversations."""

    @verb(
        "dialogs_send",
        _("Send on several conversations"),
        SendOnSerializer,
        SentOnSerializer,
        status=201,
        description=_(
            "SEND ON CONVERSATION (HANDLE, …): each message on each of the conversations, in this order; all or "
            "nothing. They are conversations of one database. A request may have up to 32 MB."
        ),
        examples=[OpenApiExample("two", value=SEND_ON, request_only=True)],
    )
    def post(self, request: Request) -> Response:
        """SEND ON CONVERSATION (…)."""

        def send() -> tuple[str, int, Any]:
            handles, messages = read_body(request.data, SendOnSerializer)
            instance, found = of_one_database(handles)
            services.conversation_send(instance=instance, handles=found, messages=messages)
            return instance, len(found) * len(messages), {"conversation_handles": found, "messages": len(messages)}

        return Response(done_once(request, "send", send), status=201)


class DialogEnd(MessagingView):
    """The end of a conversation, for this side."""

    @verb(
        "dialog_end",
        _("End it"),
        EndSerializer,
        HandleSerializer,
        parameters=[HANDLE],
        description=_(
            "With `error` the other side receives the error. With `cleanup` it is not notified, and messages that were "
            "not sent or received are lost: an entry of the audit says who did it."
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
            how: EndHow = read_body(request.data, EndSerializer)
            instance, found = instance_of(handle)
            if how.code is not None:
                services.conversation_end_with_error(
                    instance=instance, handle=found, code=how.code, description=how.description
                )
            elif how.cleanup:
                gone = changes_of(conversation_state(instance, found), None)
                services.conversation_end_with_cleanup(instance=instance, handle=found)
                note = f"{instance}: {found}"
                audit(author=request.user.get_username(), action="dialog.cleanup", note=note, changes=gone)
            else:
                services.conversation_end(instance=instance, handle=found)
            return instance, 0, {"conversation_handle": found}

        return Response(done_once(request, "end", end))


class DialogMove(MessagingView):
    """The conversation group."""

    @verb(
        "dialog_move",
        _("Move it to another conversation group"),
        MoveSerializer,
        HandleSerializer,
        parameters=[HANDLE],
        description=_("Of the same queue. Not while messages of its group are leased: the answer is then 409."),
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
            group = read_body(request.data, MoveSerializer)["conversation_group_id"]
            instance, found = instance_of(handle)
            services.conversation_move(instance=instance, handle=found, conversation_group_id=group)
            return instance, 0, {"conversation_handle": found}

        return Response(done_once(request, "move", move))


class DialogTimer(MessagingView):
    """The conversation timer."""

    @verb(
        "dialog_timer",
        _("Start its timer"),
        TimerSerializer,
        HandleSerializer,
        parameters=[HANDLE],
        description=_(
            "When it runs out, a message of type DialogTimer is in the queue. Started again, it begins anew."
        ),
        examples=[OpenApiExample("a minute", value={"timeout_s": 60}, request_only=True)],
    )
    def post(self, request: Request, handle: str) -> Response:
        """BEGIN CONVERSATION TIMER."""

        def start() -> tuple[str, int, Any]:
            timeout_s = read_body(request.data, TimerSerializer)["timeout_s"]
            instance, found = instance_of(handle)
            services.conversation_timer_start(instance=instance, handle=found, timeout_s=timeout_s)
            return instance, 0, {"conversation_handle": found}

        return Response(done_once(request, "timer", start))
