"""The conversations in which a process has sent messages last, as it saw them."""

from __future__ import annotations

from operator import attrgetter
from typing import Final, NamedTuple

from routing.dialog.appended_messages import CHECKED, AppendedMessages, AppendOutcome, remembered_batch
from routing.dialog.batch import ChangeSet, ClaimedBatch
from routing.dialog.endpoint import Endpoint
from routing.dialog.repeated_send import RepeatedSend

MOST: Final = 1_000
"""Endpoints that are remembered; the one that was used longest ago is forgotten first."""
TYPES: Final = 4
"""Message types of a conversation whose answers are remembered."""
_GUARD: Final = ("integrity", "key_id", "fragment_bytes")
_guard = attrgetter(*_GUARD)
_decided_from = attrgetter(*(column for column in (*CHECKED, *_GUARD) if column != "send_sequence"))


class RememberedAnswer(NamedTuple):
    """The answer of the engine to a SEND, which holds for the next one while nothing changes that it was made from."""

    repeated: RepeatedSend
    basis: tuple[object, ...]
    """Estate, keys and state of the instance."""
    since: int
    until: int
    """Moments between which no route expires, in milliseconds; the latter is not one of them."""


class _Remembered:
    """An endpoint that nobody else changes, and by message type the answers to its last SENDs."""

    __slots__ = ("answers", "endpoint")

    def __init__(self, endpoint: Endpoint, answers: dict[str, RememberedAnswer]) -> None:
        self.endpoint = endpoint
        self.answers = answers


class RememberedConversations:
    """Endpoints by handle. They may be out of date: a store compares the columns that a decision read."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._found: dict[str, _Remembered] = {}
        self.instance: ClaimedBatch | None = None
        """The state of the instance in the latest claim, without conversations: their bodies would stay in memory."""

    def saw(self, batch: ClaimedBatch) -> None:
        """Take the state of the instance from a claim: route requests, queues, mirrored routes."""
        if self.instance is None or not batch.has_instance_of(self.instance):
            self.instance = batch.without_conversations()

    def learn(self, changes: ChangeSet) -> None:
        """Remember the endpoints that have sent messages which wait for the network."""
        for handle in dict.fromkeys(message.conversation_handle for message in changes.outgoing):
            if handle in changes.endpoints:
                self._remember(changes.endpoints[handle].copied())
            else:
                self.forget(handle)
        while len(self._found) > self._most:
            del self._found[next(iter(self._found))]

    def appended(self, appended: AppendedMessages, outcome: AppendOutcome, answer: RememberedAnswer | None) -> None:
        """Remember the endpoint with the messages that were added to it, as the one that was used last; and the
        answer to the SEND, where it holds for the next one too."""
        remembered = self._remember(appended.remembered(outcome))
        if answer is not None:
            if len(remembered.answers) >= TYPES:
                remembered.answers.clear()
            remembered.answers[answer.repeated.message_type] = answer

    def sent_again(self, appended: AppendedMessages, outcome: AppendOutcome) -> None:
        """Note messages that were added to the remembered endpoint itself, as the one that was used last: it is not
        copied, once per message."""
        handle = appended.before.conversation_handle
        found = self._found[handle] = self._found.pop(handle)
        guard = _guard(found.endpoint)
        appended.note(found.endpoint, outcome)
        if guard != _guard(found.endpoint):
            found.answers.clear()

    def _remember(self, endpoint: Endpoint) -> _Remembered:
        """The answers of before hold if the endpoint has changed in nothing that they were made from."""
        known = self._found.pop(endpoint.conversation_handle, None)
        is_same = known is not None and _decided_from(known.endpoint) == _decided_from(endpoint)
        found = _Remembered(endpoint, known.answers if known is not None and is_same else {})
        self._found[endpoint.conversation_handle] = found
        return found

    def forget(self, handle: str) -> None:
        self._found.pop(handle, None)

    def batch(self, handle: str) -> ClaimedBatch | None:
        """Return a batch without a claim; None: the conversation is not remembered."""
        found = self._found.get(handle)
        if found is None or self.instance is None:
            return None
        return remembered_batch(found.endpoint, self.instance)

    def answered(
        self, handle: str, message_type: str, basis: tuple[object, ...], now_ms: int
    ) -> tuple[Endpoint, RepeatedSend] | None:
        """Return a conversation as it was seen last, and the answer to a SEND of this type; None: there is none that
        holds on this basis at this moment."""
        found = self._found.get(handle)
        answer = found.answers.get(message_type) if found is not None else None
        if found is None or answer is None or answer.basis != basis or not answer.since <= now_ms < answer.until:
            return None
        return found.endpoint, answer.repeated
