"""Messages."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from xml.sax.saxutils import unescape


@dataclass(frozen=True, slots=True)
class Message:
    """A message to send."""

    body: bytes | None = None
    message_type: str = "DEFAULT"

    def as_json(self) -> dict[str, Any]:
        body = {} if self.body is None else {"message_body": base64.b64encode(self.body).decode()}
        return {"message_type": self.message_type, **body}


def messages_as_json(messages: Iterable[Message | bytes | None]) -> list[dict[str, Any]]:
    """Messages to send; bytes are bodies of the type DEFAULT."""
    return [(one if isinstance(one, Message) else Message(one)).as_json() for one in messages]


@dataclass(frozen=True, slots=True)
class Received:
    """A received message: a row of a queue, with the names of its columns."""

    body: bytes | None
    message_type_name: str
    conversation_handle: str
    conversation_group_id: str
    message_sequence_number: int
    service_name: str
    service_contract_name: str
    validation: str
    status: int
    priority: int
    queuing_order: int
    message_enqueue_time: datetime

    @classmethod
    def from_json(cls, row: dict[str, Any]) -> Received:
        body = row["message_body"]
        return cls(
            body=None if body is None else base64.b64decode(body),
            message_enqueue_time=datetime.fromisoformat(row["message_enqueue_time"]),
            **{name: row[name] for name in _SAME},
        )

    @property
    def is_end(self) -> bool:
        """Whether the other side has ended the conversation."""
        return self.message_type_name == _SYSTEM + "EndDialog"

    @property
    def is_error(self) -> bool:
        """Whether it did so with an error, or the broker did."""
        return self.message_type_name == _SYSTEM + "Error"

    @property
    def is_timer(self) -> bool:
        """Whether the conversation timer of this side has elapsed."""
        return self.message_type_name == _SYSTEM + "DialogTimer"

    @property
    def error(self) -> ConversationError:
        """The code and the description of an error. Raises `ValueError` for a message that is none."""
        if not self.is_error:
            raise ValueError(f"{self.message_type_name} is no error")
        found = _ERROR.search((self.body or b"").decode())
        if found is None:
            raise ValueError("the body of the error has no code")
        return ConversationError(int(found[1]), unescape(found[2], {"&#13;": "\r"}))


class ConversationError(NamedTuple):
    """Why the other side, or the broker, ended the conversation."""

    code: int
    """Of the other side where it is positive, else of the broker."""
    description: str


_ERROR = re.compile("<Code>(-?[0-9]+)</Code><Description>(.*)</Description>", re.DOTALL)
_SYSTEM = "http://schemas.microsoft.com/SQL/ServiceBroker/"
_SAME = tuple(name for name in Received.__dataclass_fields__ if name not in ("body", "message_enqueue_time"))
