"""The verbs."""

from __future__ import annotations

import ssl
import time
from collections.abc import Iterable
from types import TracebackType
from typing import Any
from urllib.parse import quote
from uuid import uuid4

from .batch import Batch
from .dialog import Dialog
from .message import Message, messages_as_json
from .requests import Requests

LONGEST_WAIT_S = 20.0
"""Longest wait of one request in seconds; a longer wait is several requests."""


class Client:
    """The client of one BrokerUI with one token. A client serves one thread; others create their own."""

    def __init__(
        self,
        site: str,
        *,
        token: str,
        timeout_s: float = 10.0,
        patience_s: float = 60.0,
        context: ssl.SSLContext | None = None,
    ) -> None:
        """`timeout_s`: for which one answer is waited for; `patience_s`: for which a request is sent again."""
        self._requests = Requests(site, token, timeout_s=timeout_s, patience_s=patience_s, context=context)

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """The connection."""
        self._requests.close()

    def begin(
        self,
        *,
        instance: str,
        database: str,
        from_service: str,
        to_service: str,
        to_broker_instance: str | None = None,
        contract: str = "DEFAULT",
        related_conversation: str | None = None,
        related_conversation_group: str | None = None,
        lifetime_s: int | None = None,
        encryption: bool | None = None,
    ) -> Dialog:
        """BEGIN DIALOG. `encryption` None: where there is a key for the service."""
        body: dict[str, Any] = {
            "instance": instance,
            "database": database,
            "from_service": from_service,
            "to_service": to_service,
            "to_broker_instance": to_broker_instance,
            "contract": contract,
            "related_conversation": related_conversation,
            "related_conversation_group": related_conversation_group,
            "encryption": encryption,
        }
        if lifetime_s is not None:
            body["lifetime_s"] = lifetime_s
        begun = self._requests.send("POST", "dialogs/", body, key=uuid4().hex)
        return Dialog(
            self._requests, begun["conversation_handle"], begun["conversation_id"], begun["conversation_group_id"]
        )

    def dialog(self, conversation_handle: str) -> Dialog:
        """One that is there already, as that of a message which was received."""
        return Dialog(self._requests, conversation_handle)

    def send(self, dialogs: Iterable[Dialog | str], *messages: Message | bytes | None) -> None:
        """SEND ON CONVERSATION (…): each message on each of these, by themselves or their handles; all or nothing."""
        handles = [one.conversation_handle if isinstance(one, Dialog) else one for one in dialogs]
        body = {"conversation_handles": handles, "messages": messages_as_json(messages)}
        self._requests.send("POST", "dialogs/messages/", body, key=uuid4().hex)

    def receive(
        self,
        *,
        instance: str,
        database: str,
        queue: str,
        top: int = 100,
        wait_s: float = 0.0,
        lease_s: int = 30,
        conversation_handle: str | None = None,
        conversation_group_id: str | None = None,
    ) -> Batch:
        """RECEIVE messages of one conversation group, for a `with` block. Empty where none arrive in time."""
        body = {
            "top": top,
            "lease_s": lease_s,
            "conversation_handle": conversation_handle,
            "conversation_group_id": conversation_group_id,
        }
        return self._waited_for(_queue_path(instance, database, queue), "receive", body, wait_s)

    def get_conversation_group(
        self, *, instance: str, database: str, queue: str, wait_s: float = 0.0, lease_s: int = 30
    ) -> Batch:
        """GET CONVERSATION GROUP, for a `with` block: `conversation_group_id` is None where no group has messages, else
        nobody else receives from it, and `receive` gives its messages."""
        return self._waited_for(
            _queue_path(instance, database, queue), "conversation_group", {"lease_s": lease_s}, wait_s
        )

    def _waited_for(self, queue: str, verb: str, body: dict[str, Any], wait_s: float) -> Batch:
        end = time.monotonic() + wait_s
        while True:
            left = min(max(end - time.monotonic(), 0.0), LONGEST_WAIT_S)
            request = {**body, "wait_ms": int(left * 1000)}
            found = self._requests.send("POST", f"{queue}{verb}/", request, longer_s=left)
            if found["receipt"] is not None or time.monotonic() >= end:
                return Batch(self._requests, queue, found)

    def set_queue_status(self, *, instance: str, database: str, queue: str, enabled: bool) -> None:
        """ALTER QUEUE … WITH STATUS."""
        path = f"{_queue_path(instance, database, queue)}status/"
        self._requests.send("POST", path, {"enabled": enabled}, key=uuid4().hex)


def _queue_path(instance: str, database: str, queue: str) -> str:
    return "queues/{}/{}/{}/".format(*(quote(name, safe="") for name in (instance, database, queue)))
