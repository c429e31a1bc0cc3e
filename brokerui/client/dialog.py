"""One side of a conversation."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from .message import Message, messages_as_json
from .requests import Requests


class Dialog:
    """By its handle. Every method is one request, which is done once."""

    def __init__(self, requests: Requests, handle: str, conversation_id: str = "", group: str = "") -> None:
        self._requests = requests
        self.conversation_handle = handle
        self.conversation_id = conversation_id
        """The identifier that both sides know; empty where it was not requested."""
        self.conversation_group_id = group

    def send(self, *messages: Message | bytes | None) -> None:
        """SEND, in this order; all of them or none."""
        self._post("messages", {"messages": messages_as_json(messages)})

    def end(self) -> None:
        """END CONVERSATION."""
        self._post("end", {})

    def end_with_error(self, code: int, description: str) -> None:
        """END CONVERSATION WITH ERROR."""
        self._post("end", {"error": {"code": code, "description": description}})

    def end_with_cleanup(self) -> None:
        """END CONVERSATION WITH CLEANUP: the other side is not told."""
        self._post("end", {"cleanup": True})

    def move(self, conversation_group_id: str) -> None:
        """MOVE CONVERSATION."""
        self._post("move", {"conversation_group_id": conversation_group_id})

    def start_timer(self, timeout_s: int) -> None:
        """BEGIN CONVERSATION TIMER."""
        self._post("timer", {"timeout_s": timeout_s})

    def status(self) -> dict[str, Any]:
        """Its row of sys.conversation_endpoints, with `transmission_status`: why the first message that waits does."""
        return self._requests.send("GET", f"dialogs/{self.conversation_handle}/")

    def _post(self, verb: str, body: dict[str, Any]) -> None:
        self._requests.send("POST", f"dialogs/{self.conversation_handle}/{verb}/", body, key=uuid4().hex)
