"""Bodies of requests, read strictly: each raises `Invalid` with the path of what is wrong.

What the product has a number for (a lifetime out of range, an error without a description) is left to the verbs.
"""

from __future__ import annotations

import binascii
from base64 import b64decode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from brokerui.messaging.services import Message
from routing.common.errors import Invalid, must_be
from routing.common.identifier import parse_identifier
from routing.common.names import SERVICE_NAME_CHARS, SYSNAME_CHARS, check_name
from routing.common.sentence import say
from routing.dialog.batch import ReceiveRequest
from routing.dialog.endpoint import QueueKey
from routing.dialog.system_names import DEFAULT
from routing.documents.json_decoders import Decoder, array_of, boolean, fields, integer, or_null, string

MOST_MESSAGES: Final = 10_000
"""Of one request."""
TOP: Final = 100
MOST_TOP: Final = 1_000
LONGEST_WAIT_MS: Final = 30_000
LEASE_S: Final = 30
LONGEST_LEASE_S: Final = 3_600
COMMIT, ROLLBACK = "commit", "rollback"


def name(limit: int) -> Callable[[Any], str]:
    def read(value: Any) -> str:
        check_name(string(value), "", limit)
        return string(value)

    return read


def number(low: int, high: int) -> Callable[[Any], int]:
    def read(value: Any) -> int:
        if not low <= integer(value) <= high:
            raise Invalid("", must_be(say("a whole number from {low} to {high}", low=low, high=high), value))
        return integer(value)

    return read


def guid(value: Any) -> str:
    return parse_identifier(string(value))


def body(value: Any) -> bytes | None:
    """Of a message, from base64; null: it has none."""
    if value is None:
        return None
    try:
        return b64decode(string(value), validate=True)
    except (binascii.Error, ValueError):
        raise Invalid("", say("must be base64, or null")) from None


# ---------------------------------------------------------------- dialogs

_BEGIN: Mapping[str, Decoder] = {
    "instance": name(SERVICE_NAME_CHARS),
    "database": name(SYSNAME_CHARS),
    "from_service": name(SERVICE_NAME_CHARS),
    "to_service": name(SERVICE_NAME_CHARS),
    "to_broker_instance": or_null(name(SYSNAME_CHARS)),
    "contract": name(SERVICE_NAME_CHARS),
    "related_conversation": or_null(guid),
    "related_conversation_group": or_null(guid),
    "lifetime_s": integer,
    "encryption": or_null(boolean),
}


def begin_from(value: Any) -> dict[str, Any]:
    """What `conversation_begin` takes; `encryption` null or missing: where there is a key for the service."""
    found = fields(value, _BEGIN, ("instance", "database", "from_service", "to_service"))
    return {key: one for key, one in found.items() if one is not None}


_MESSAGE: Mapping[str, Decoder] = {"message_type": name(SERVICE_NAME_CHARS), "message_body": body}


def _message_from(value: Any) -> Message:
    found = fields(value, _MESSAGE, ())
    return Message(found.get("message_body", b""), found.get("message_type", DEFAULT))


def messages_from(value: Any) -> tuple[Message, ...]:
    """One message, or `messages`, an array of them."""
    if type(value) is not dict or "messages" not in value:
        return (_message_from(value),)
    found: tuple[Message, ...] = fields(value, {"messages": array_of(_message_from)}, ())["messages"]
    if not 1 <= len(found) <= MOST_MESSAGES:
        raise Invalid("messages", say("must have 1 to {limit} messages", limit=MOST_MESSAGES))
    return found


@dataclass(frozen=True, slots=True)
class End:
    """How a conversation is ended."""

    code: int | None = None
    description: str = ""
    cleanup: bool = False


def end_from(value: Any) -> End:
    """Nothing in it: END CONVERSATION."""
    readers: Mapping[str, Decoder] = {"code": integer, "description": string}
    found = fields(value, {"error": or_null(lambda one: fields(one, readers, tuple(readers))), "cleanup": boolean}, ())
    error = found.get("error")
    if error and found.get("cleanup"):
        raise Invalid("", say("must have either an error or cleanup"))
    return End(**error) if error else End(cleanup=found.get("cleanup", False))


def group_from(value: Any) -> str:
    """Of MOVE CONVERSATION."""
    return str(fields(value, {"conversation_group_id": guid}, ("conversation_group_id",))["conversation_group_id"])


def timeout_from(value: Any) -> int:
    """Of BEGIN CONVERSATION TIMER, in seconds."""
    return int(fields(value, {"timeout_s": number(1, 2**31 - 1)}, ("timeout_s",))["timeout_s"])


# ---------------------------------------------------------------- queues and receipts


@dataclass(frozen=True, slots=True)
class Asked:
    """What is to be received, and how."""

    receive: ReceiveRequest
    wait_s: float
    lease_ms: int


def receive_from(value: Any, queue: QueueKey) -> Asked:
    """Everything may be left out."""
    readers: Mapping[str, Decoder] = {
        "top": number(1, MOST_TOP),
        "wait_ms": number(0, LONGEST_WAIT_MS),
        "lease_s": number(1, LONGEST_LEASE_S),
        "conversation_handle": or_null(guid),
        "conversation_group_id": or_null(guid),
    }
    found = fields({} if value is None else value, readers, ())
    of = (found.get("conversation_handle"), found.get("conversation_group_id"))
    return Asked(
        ReceiveRequest(queue, found.get("top", TOP), *of),
        found.get("wait_ms", 0) / 1000,
        found.get("lease_s", LEASE_S) * 1000,
    )


def enabled_from(value: Any) -> bool:
    """Of ALTER QUEUE … WITH STATUS."""
    return bool(fields(value, {"enabled": boolean}, ("enabled",))["enabled"])


def action_from(value: Any) -> str:
    """`{"action": "commit"}` or `{"action": "rollback"}`; the word alone is taken too."""

    def read(word: Any) -> str:
        if word not in (COMMIT, ROLLBACK):
            raise Invalid("", must_be(say("one of {known}", known=(COMMIT, ROLLBACK)), word))
        return str(word)

    if isinstance(value, str):
        return read(value)
    return str(fields(value, {"action": read}, ("action",))["action"])
