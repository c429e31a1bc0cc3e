"""Messages that were received together."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from types import TracebackType
from typing import Any

from .errors import BrokerError
from .message import Received
from .requests import Requests


class Batch:
    """Messages of one conversation group; nobody else receives from it as long as the lease lives.

    A `with` block commits at its end, and rolls back where it raises. Without messages there is nothing to do.
    """

    def __init__(self, requests: Requests, queue: str, answer: dict[str, Any]):
        self._requests = requests
        self._queue = queue
        """Path of the queue in the REST interface."""
        self._take(answer)

    def _take(self, answer: dict[str, Any]) -> None:
        self._receipt: str | None = answer["receipt"]
        self.conversation_group_id: str | None = answer["conversation_group_id"]
        """The group; None where there was nothing."""
        self.until = datetime.fromisoformat(answer["until"]) if answer["until"] else None
        """When the lease lapses, by the clock of the server."""
        self.messages = [Received.from_json(row) for row in answer.get("messages", ())]

    def __iter__(self) -> Iterator[Received]:
        return iter(self.messages)

    def __len__(self) -> int:
        return len(self.messages)

    def __enter__(self) -> Batch:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.commit()
        else:
            # What went wrong in the block is what its caller has to hear; the lease lapses by itself.
            with suppress(BrokerError):
                self.roll_back()

    def receive(self, *, top: int = 100, lease_s: int = 30) -> list[Received]:
        """RECEIVE the first messages of the group, in place of those that the batch had; its lease begins anew.
        Raises `LeaseOver` where that is too late."""
        if self._receipt is not None:
            body = {"receipt": self._receipt, "top": top, "lease_s": lease_s}
            self._take(self._requests.send("POST", f"{self._queue}receive/", body))
        return self.messages

    def commit(self) -> None:
        """The messages are received. Raises `LeaseOver` where that is too late, and then nothing was done."""
        self._settle("commit")

    def roll_back(self) -> None:
        """Roll back: other receivers get the messages."""
        self._settle("rollback")

    def _settle(self, action: str) -> None:
        if self._receipt is not None:
            # Sent again, it is answered the same.
            self._requests.send("POST", f"receipts/{self._receipt}/", {"action": action})
            self._receipt = None
