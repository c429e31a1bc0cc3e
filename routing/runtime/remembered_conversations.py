"""The conversations in which a process has sent messages last, as it saw them."""

from __future__ import annotations

from typing import Final

from routing.dialog.appended_messages import AppendedMessages, AppendOutcome, remembered_batch
from routing.dialog.batch import ChangeSet, ClaimedBatch
from routing.dialog.endpoint import Endpoint

MOST: Final = 1_000
"""Endpoints that are remembered; the one that was used longest ago is forgotten first."""


class RememberedConversations:
    """Endpoints by handle. They may be out of date: a store compares the columns that a decision read."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._endpoints: dict[str, Endpoint] = {}
        self.instance: ClaimedBatch | None = None
        """The state of the instance in the latest claim, without conversations: their bodies would stay in memory."""

    def saw(self, batch: ClaimedBatch) -> None:
        """Take the state of the instance from a claim: route requests, queues, mirrored routes."""
        if self.instance is None or not batch.has_instance_of(self.instance):
            self.instance = batch.without_conversations()

    def learn(self, changes: ChangeSet) -> None:
        """Remember the endpoints that have sent messages which wait for the network."""
        for handle in dict.fromkeys(message.conversation_handle for message in changes.outgoing):
            self._endpoints.pop(handle, None)
            if handle in changes.endpoints:
                self._endpoints[handle] = changes.endpoints[handle]
        while len(self._endpoints) > self._most:
            del self._endpoints[next(iter(self._endpoints))]

    def appended(self, appended: AppendedMessages, outcome: AppendOutcome) -> None:
        """Remember the endpoint with the messages that were added to it, as the one that was used last."""
        handle = appended.before.conversation_handle
        self._endpoints.pop(handle, None)
        self._endpoints[handle] = appended.remembered(outcome)

    def forget(self, handle: str) -> None:
        self._endpoints.pop(handle, None)

    def batch(self, handle: str) -> ClaimedBatch | None:
        """Return a batch without a claim; None: the conversation is not remembered."""
        endpoint = self._endpoints.get(handle)
        if endpoint is None or self.instance is None:
            return None
        return remembered_batch(endpoint, self.instance)
