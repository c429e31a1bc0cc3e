"""`dialogs/HANDLE/body/`: the body of a message, for users with the right to read bodies. It is a POST, for it is
recorded; no answer is kept for a request that is sent again."""

from __future__ import annotations

from base64 import b64encode
from typing import Any, ClassVar, Final

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.debug import sensitive_variables
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from brokerui.accounts.levels import Permission, Right
from brokerui.analysis.conversations.bodies import BodyAbsentError, BodyPart, MessageKey, body_part
from brokerui.analysis.conversations.body_text import Encoding
from brokerui.analysis.conversations.body_views import BodyView
from brokerui.analysis.conversations.services import REASON_CHARACTERS, BodyAct, body_download, body_show
from brokerui.analysis.conversations.sides import Kept
from brokerui.api import openapi
from brokerui.api.fields import Base64Field, StrictChoiceField, StrictIntegerField, TextField
from brokerui.api.messaging.base import MAX_JSON_BYTES, MessagingView
from brokerui.api.messaging.dialogs import HANDLE, STATUSES, TAG, instance_of
from brokerui.api.problems import ApiProblem
from brokerui.api.queries import NoQuery
from brokerui.api.serializers import StrictSerializer, read_body, read_query
from routing.common.errors import Invalid
from routing.common.sentence import say

ACTS: Final = {act.partition(".")[2]: act for act in BodyAct}
MAX_BYTES: Final = MAX_JSON_BYTES // 4 * 3
"""Bytes of a body that is sent as base64."""
COVERED: Final = "\N{BULLET}" * 6
"""In the text, in place of a covered part."""
EXAMPLE = {"kept": "to_send", "message_sequence_number": 0, "reason": "ticket 4711"}


class BodyReasonSerializer(StrictSerializer):
    """The message, and why its body is read."""

    kept = StrictChoiceField([kept.value for kept in Kept], help_text=_("The table that has the message."))
    message_sequence_number = StrictIntegerField(min_value=0, max_value=2**53 - 1)
    reason = TextField(allow_blank=False, max_length=REASON_CHARACTERS, help_text=_("For the audit."))
    act = StrictChoiceField(
        list(ACTS),
        default="show",
        help_text=_("`show` covers what looks like a secret, `unmask` does not, `download` gives all bytes."),
    )

    def validate(self, attrs: Any) -> Any:
        """Refuse a reason of nothing but blanks."""
        if not attrs["reason"].strip():
            raise Invalid("reason", say("must not be empty"))
        return attrs


class BodySerializer(serializers.Serializer):
    """A body, as text or as bytes."""

    conversation_handle = serializers.CharField()
    message_type_name = serializers.CharField()
    size = serializers.IntegerField(help_text=_("In bytes."))
    encoding = serializers.ChoiceField([one.value for one in Encoding], allow_null=True)
    text = serializers.CharField(
        allow_null=True, help_text=_("Its first 64 KB; null where it is no text, and with `download`.")
    )
    is_whole = serializers.BooleanField(help_text=_("Whether all of the body is here."))
    covered = serializers.DictField(
        child=serializers.IntegerField(),
        help_text=_("Number of covered parts by rule: cards, emails, tokens, own."),
    )
    message_body = Base64Field(allow_null=True, help_text=_("With `download`: all bytes."))


class DialogBody(MessagingView):
    """The body of one message."""

    write: ClassVar[Permission] = Right.READ_BODIES

    @extend_schema(
        operation_id="dialog_body",
        tags=TAG,
        summary=_("Show the body of a message"),
        description=_(
            "Takes the right to read bodies, which no role includes. Each request that is answered with a body is an"
            " entry of the audit: user, moment, conversation, message and reason, never the body."
        ),
        parameters=[HANDLE],
        request=BodyReasonSerializer,
        responses={200: BodySerializer, **openapi.problems(STATUSES)},
        examples=[OpenApiExample("show", value=EXAMPLE, request_only=True)],
    )
    @sensitive_variables()
    def post(self, request: Request, handle: str) -> Response:
        """Record the act, and return the body."""
        read_query(request, NoQuery)
        wanted = read_body(request.data, BodyReasonSerializer)
        key = MessageKey(instance_of(handle)[1], Kept(wanted["kept"]), wanted["message_sequence_number"])
        recorded = {"key": key, "reason": wanted["reason"], "author": request.user.get_username()}
        try:
            body = _body(ACTS[wanted["act"]], recorded)
        except BodyAbsentError as error:
            raise ApiProblem(404 if error.is_gone else 409, error.problem.render(gettext)) from None
        return Response(body, headers={"Cache-Control": "no-store"})


@sensitive_variables()
def _body(act: BodyAct, recorded: Any) -> dict[str, Any]:
    key: MessageKey = recorded["key"]
    if act is not BodyAct.DOWNLOAD:
        return _as_text(key, body_show(act=act, **recorded))
    if body_part(key, 0, 1).all_bytes > MAX_BYTES:
        raise ApiProblem(422, gettext("The body is larger than 24 MB: its page has it as a file."))
    part = body_download(**recorded)
    return _about(key, part) | {"message_body": b64encode(part.data).decode()}


def _as_text(key: MessageKey, view: BodyView) -> dict[str, Any]:
    text = "".join(COVERED if piece.secret else piece.text for piece in view.text)
    return _about(key, view.part) | {
        "encoding": view.encoding,
        "text": text if view.encoding else None,
        "covered": {str(secret): number for secret, number in view.covered} if view.encoding else {},
    }


def _about(key: MessageKey, part: BodyPart) -> dict[str, Any]:
    return {
        "conversation_handle": key.handle,
        "message_type_name": part.message_type,
        "size": part.all_bytes,
        "encoding": None,
        "text": None,
        "is_whole": part.is_last,
        "covered": {},
        "message_body": None,
    }
