"""Conversations as JSON objects: the input of `outcomes`, the REST interface and the pipeline."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from routing.common.errors import Invalid, must_be
from routing.common.names import SERVICE_NAME_CHARS, check_name
from routing.common.sentence import say
from routing.documents.json_decoders import Decoder, boolean, fields, identifier_or_null, or_null, string
from routing.model.conversation import Conversation


def _identity(value: Any) -> str | int | None:
    if value is None or type(value) in (str, int):
        return cast("str | int | None", value)
    raise Invalid("", must_be(say("a string or a whole number"), value))


def _service(value: Any) -> str:
    check_name(string(value), "", SERVICE_NAME_CHARS)
    return string(value)


_BEGUN: Mapping[str, Decoder] = {"instance": string, "database": string}
_OUTSIDE: Mapping[str, Decoder] = {"outside": string}


def _entry(value: Any) -> tuple[str, str | None]:
    if type(value) is dict and "outside" in value:
        return fields(value, _OUTSIDE, ())["outside"], None
    begun = fields(value, _BEGUN, ("instance", "database"))
    return begun["instance"], begun["database"]


_CONVERSATION: Mapping[str, Decoder] = {
    "id": _identity,
    "from": _entry,
    "to_service": _service,
    "to_broker_instance": identifier_or_null,
    "is_reply": boolean,
    "from_service": or_null(_service),
}


def conversation_from(value: Any) -> Conversation:
    """Read a conversation from a JSON object; raise `Invalid` with the key that is wrong."""
    given = fields(value, _CONVERSATION, ("from", "to_service"))
    instance, database = given.pop("from")
    return Conversation(instance, database, **given)


def conversation_as_json(conversation: Conversation) -> dict[str, Any]:
    """The object that `conversation_from` reads."""
    entry = entry_as_json(conversation.instance, conversation.database)
    return {
        "id": conversation.id,
        "from": entry,
        "to_service": conversation.to_service,
        "to_broker_instance": conversation.to_broker_instance,
        "is_reply": conversation.is_reply,
        "from_service": conversation.from_service,
    }


def entry_as_json(instance: str, database: str | None) -> dict[str, str]:
    """Where a conversation enters the estate."""
    return {"outside": instance} if database is None else {"instance": instance, "database": database}
