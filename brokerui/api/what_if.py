"""What if: where a conversation goes, with every rule, before and after edits that nobody has made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from brokerui.accounts.levels import Level
from brokerui.analysis.explanations.as_json import explanation_as_json
from brokerui.api import telling
from brokerui.api.base import ApiView
from brokerui.api.parameters import given
from brokerui.api.shapes import AnswerSerializer, WhatIfSerializer
from brokerui.estate.viewed import Viewed, ViewedError, viewed_from
from routing.common.errors import Invalid
from routing.common.moment import parse_moment
from routing.common.names import check_name
from routing.common.sentence import say, translator
from routing.documents.conversation_json import conversation_from
from routing.documents.edits_json import edits_from
from routing.documents.json_decoders import Decoder, fields, or_null, string
from routing.model.conversation import Conversation
from routing.model.estate import Edit, Estate
from routing.rules.explanation import explain, journey
from routing.rules.verdict import verdict

MOST_EDITS = 1_000


@dataclass(frozen=True, slots=True)
class Question:
    """The body of a request."""

    conversation: Conversation
    edits: tuple[Edit, ...] = ()
    viewed: dict[str, str] = field(default_factory=dict)
    """Which estate, as `viewed_from` reads it."""
    at: datetime | None = None


class WhatIf(ApiView):
    """Changes nothing, so that it takes no more than reading does."""

    write = Level.VIEW

    @extend_schema(
        operation_id="whatif",
        tags=telling.tagged(_("Questions")),
        summary=_("Where does it go, and what if?"),
        description=_(
            "Every outcome of a conversation, every hop with every rule that was asked, and the way back. With "
            "`edits` the answer is for the estate as it would be after them, and `before` is for the estate as it is. "
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
        responses={200: AnswerSerializer, **telling.problems([*telling.ALWAYS, 400, 413, 415, 422])},
    )
    def post(self, request: Request) -> Response:
        """The account of one conversation."""
        given(request, ())
        question = question_from(request.data)
        viewed = _viewed(question)
        at = question.at or viewed.at()
        after = _edited(viewed.estate, question.edits)
        question.conversation.check(after)
        translate = translator(gettext, ngettext)
        account = explanation_as_json(explain(after, question.conversation, at), after, translate)
        before = {"before": _before(viewed.estate, question.conversation, at)} if question.edits else {}
        return Response({"version": viewed.version, **account, **before})


def question_from(value: Any) -> Question:
    """The question that a JSON object asks; raises `Invalid` with the path of what is wrong."""
    readers: Mapping[str, Decoder] = {
        "conversation": conversation_from,
        "edits": _edits,
        "scenario": or_null(_name),
        "as_of": or_null(_name),
        "at": or_null(lambda text: parse_moment(string(text))),
    }
    found = fields(value, readers, ("conversation",))
    viewed = {name: found[name] for name in ("scenario", "as_of") if found.get(name)}
    return Question(found["conversation"], found.get("edits", ()), viewed, found.get("at"))


def _edits(value: Any) -> tuple[Edit, ...]:
    if type(value) is list and len(value) > MOST_EDITS:
        raise Invalid(f"[{MOST_EDITS}]", say("is one too many: the limit is {limit}", limit=MOST_EDITS))
    return edits_from(value)


def _name(value: Any) -> str:
    check_name(string(value), "", 200)
    return string(value)


def _viewed(question: Question) -> Viewed:
    try:
        return viewed_from(question.viewed)
    except ViewedError as error:
        raise Invalid(error.parameter, error.problem) from None


def _edited(estate: Estate, edits: tuple[Edit, ...]) -> Estate:
    for index, edit in enumerate(edits):
        try:
            estate = edit.apply(estate)
        except Invalid as fault:
            raise fault.below(f"edits[{index}]") from None
    return estate


def _before(estate: Estate, conversation: Conversation, at: datetime) -> dict[str, Any] | None:
    """None where the conversation begins at what the edits add."""
    try:
        conversation.check(estate)
    except Invalid:
        return None
    outcomes = journey(estate, conversation, at).outcomes
    return {"verdict": verdict(outcomes), "outcomes": [outcome.as_json() for outcome in outcomes]}
