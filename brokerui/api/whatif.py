"""`whatif/`: where a conversation goes, with every rule, before and after edits that are only tried out."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import OpenApiExample, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from brokerui.accounts.levels import Level
from brokerui.analysis.explanations.as_json import explanation_as_json
from brokerui.analysis.remedies.conversation_offers import conversation_offers, findings_of_way
from brokerui.api import openapi
from brokerui.api.base import ApiView
from brokerui.api.fields import (
    EditsField,
    IdentifierField,
    MomentField,
    NameField,
    StrictBooleanField,
    StrictField,
    StringField,
)
from brokerui.api.queries import AS_OF, NoQuery, draft_field, scenario_field
from brokerui.api.serializers import StrictSerializer, read_body, read_query
from brokerui.changes.estate_view import EstateView, EstateViewError, base_view_of, estate_view_from
from brokerui.estate.edit_list import apply_edit_list
from routing.common.errors import Invalid, must_be
from routing.common.sentence import say, translator
from routing.documents.json_decoders import unknown_key
from routing.model.conversation import Conversation
from routing.model.estate import Edit, Estate
from routing.rules.explanation import explain
from routing.rules.journey_account import journey
from routing.rules.verdict import verdict

MAX_EDITS: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class WhatIfRequest:
    """The values of a request."""

    conversation: Conversation
    edits: tuple[Edit, ...] = ()
    estate: dict[str, str] = field(default_factory=dict)
    """Which estate, as `estate_view_from` reads it."""
    at: datetime | None = None


@extend_schema_field({"type": ["string", "integer", "null"]})
class ConversationIdField(StrictField):
    """The name that the client gives a conversation."""

    def to_internal_value(self, data: Any) -> Any:
        if type(data) not in (str, int):
            raise Invalid("", must_be(say("a string or a whole number"), data))
        return data


class EntrySerializer(StrictSerializer):
    """Where a conversation begins: instance and database; or outside, the instance that it reaches."""

    instance = StringField(required=False)
    database = StringField(required=False)
    outside = StringField(required=False)

    def validate(self, attrs: Any) -> Any:
        """Return the instance, and the database or None."""
        known = ("outside",) if "outside" in attrs else ("instance", "database")
        for key in attrs:
            if key not in known:
                raise Invalid("", unknown_key(key, known))
        for key in known:
            if key not in attrs:
                raise Invalid(key, say("is missing"))
        return (attrs["outside"], None) if "outside" in attrs else (attrs["instance"], attrs["database"])


class ConversationSerializer(StrictSerializer):
    """A conversation, as routing sees it."""

    id = ConversationIdField(required=False, allow_null=True)
    vars()["from"] = EntrySerializer()
    to_service = NameField()
    to_broker_instance = IdentifierField(allow_null=True, required=False)
    is_reply = StrictBooleanField(required=False)
    from_service = NameField(allow_null=True, required=False)

    def validate(self, attrs: Any) -> Any:
        instance, database = attrs.pop("from")
        return Conversation(instance, database, **attrs)


class WhatIfSerializer(StrictSerializer):
    """A question."""

    conversation = ConversationSerializer()
    edits = EditsField(max_length=MAX_EDITS, required=False, help_text=_("Edits to try, in order; nothing is written."))
    scenario = scenario_field(allow_null=True)
    as_of = NameField(
        max_length=AS_OF,
        allow_null=True,
        required=False,
        help_text=_("The estate as it was in this version, or at this time."),
    )
    draft = draft_field(allow_null=True)
    at = MomentField(required=False, allow_null=True, help_text=_("When routes count as expired or not; null: now."))

    def validate(self, attrs: Any) -> Any:
        estate = {name: value for name in ("scenario", "as_of", "draft") if (value := attrs.pop(name, None))}
        return WhatIfRequest(estate=estate, **attrs)


class OutcomeSerializer(serializers.Serializer):
    """One way that it may end."""

    outcome = serializers.ChoiceField(["delivered", "delayed", "dropped", "exits"])
    instance = serializers.CharField()
    database = serializers.CharField(required=False)
    reason = serializers.CharField(required=False)
    address = serializers.CharField(required=False)
    says = serializers.CharField(required=False)
    path = serializers.ListField(child=serializers.DictField(), required=False)


class BeforeSerializer(serializers.Serializer):
    """The answer without the edits."""

    verdict = serializers.CharField()
    outcomes = OutcomeSerializer(many=True)


class RemedySerializer(serializers.Serializer):
    """A remedy that was tried on a copy of the estate."""

    instance = serializers.CharField(help_text=_("On which it is to be run."))
    sql = serializers.CharField()
    says = serializers.CharField(help_text=_("Where the conversation ends with it, and what ends worse."))
    code = serializers.CharField(allow_null=True, help_text=_("Of the finding that proposes it."))


class AnswerSerializer(serializers.Serializer):
    """Every outcome, every hop with every rule, and the way back."""

    version = serializers.IntegerField(min_value=0, max_value=2**31 - 1, help_text=_("0: of a scenario."))
    conversation = ConversationSerializer()
    at = serializers.DateTimeField()
    answer = serializers.CharField()
    verdict = serializers.CharField()
    outcomes = OutcomeSerializer(many=True)
    hops = serializers.ListField(child=serializers.DictField())
    vars()["return"] = serializers.ListField(child=serializers.DictField())
    remedies = RemedySerializer(many=True, help_text=_("What mends the conversation, each tried; the best first."))
    collected = serializers.ListField(
        child=serializers.DictField(), help_text=_("Its messages that waited when their server was asked.")
    )
    before = BeforeSerializer(required=False, allow_null=True)


class WhatIf(ApiView):
    """Changes nothing: the level of readers is enough for it."""

    write = Level.VIEW
    stores = False

    @extend_schema(
        operation_id="whatif",
        tags=openapi.tags(_("Questions")),
        summary=_("Where does it go, and what if?"),
        description=_(
            "Every outcome of a conversation, every hop with every rule that was applied, and the way back. With "
            "`edits` the answer is for the estate as it would be after them, and `before` is for the estate as it is. "
            "With `draft` alone, `before` is for the version that the draft was made on. "
            "Nothing is written."
        ),
        request=WhatIfSerializer,
        examples=[
            OpenApiExample(
                "edits",
                value={
                    "conversation": {"from": {"instance": "host1", "database": "Orders"}, "to_service": "OrderParts"},
                    "edits": [
                        {
                            "edit": "put_route",
                            "instance": "host1",
                            "database": "Orders",
                            "route": {"name": "ToParts", "remote_service_name": "OrderParts", "address": "tcp://host2"},
                        }
                    ],
                },
                request_only=True,
            )
        ],
        responses={200: AnswerSerializer, **openapi.problems([*openapi.COMMON_STATUSES, 400, 413, 415, 422])},
    )
    def post(self, request: Request) -> Response:
        """Return the explanation of one conversation."""
        read_query(request, NoQuery)
        question: WhatIfRequest = read_body(request.data, WhatIfSerializer)
        viewed = _viewed(question.estate)
        at = question.at or viewed.at()
        after = apply_edit_list(viewed.estate, question.edits)
        question.conversation.check(after)
        translate = translator(gettext, ngettext)
        explained = explain(after, question.conversation, at)
        offers = conversation_offers(explained, after, findings_of_way(explained, after))
        explanation = explanation_as_json(explained, after, translate, offers)
        base = viewed if question.edits else base_view_of(viewed)
        before = {"before": _before(base.estate, question.conversation, at)} if base is not None else {}
        return Response({"version": viewed.version, **explanation, **before})


def _viewed(query: dict[str, str]) -> EstateView:
    try:
        return estate_view_from(query)
    except EstateViewError as error:
        raise Invalid(error.parameter, error.problem) from None


def _before(estate: Estate, conversation: Conversation, at: datetime) -> dict[str, Any] | None:
    """Return the answer without the edits; None where the conversation begins at what they add."""
    try:
        conversation.check(estate)
    except Invalid:
        return None
    outcomes = journey(estate, conversation, at).outcomes
    return {"verdict": verdict(outcomes), "outcomes": [outcome.as_json() for outcome in outcomes]}
