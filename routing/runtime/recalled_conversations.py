"""The conversations that a store has committed last, as it left them: a peer's next messages are added to them without
reading them again.

A conversation that only receives is changed by one worker alone, batch after batch. The engine decides from the
conversation as it was left, and the store writes under a check that it is still so. One that others change too, such as
one in which both sides send, would fail the check again and again; so a conversation is recalled only once a claim has
found it as the commit before had left it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from itertools import groupby
from operator import attrgetter
from typing import Final, NamedTuple, Protocol

from routing.dialog.batch import ChangeSet, ClaimedBatch
from routing.dialog.endpoint import ConversationGroupState, ConversationKey, Endpoint

MOST: Final = 1_000
"""Conversations that are kept; the one that was committed longest ago is forgotten first."""
_ARRIVED: Final = frozenset({"token", "now_ms", "endpoints", "enqueued", "events", "is_async_commit"})
_other_changes = attrgetter(*(field.name for field in fields(ChangeSet) if field.name not in _ARRIVED))
_id = attrgetter("conversation_id")


class ClaimedEndpoints(Protocol):
    """Endpoints that were claimed, with their groups."""

    @property
    def endpoints(self) -> Mapping[str, Endpoint]: ...

    @property
    def groups(self) -> Mapping[str, ConversationGroupState]: ...


class LeftConversation(NamedTuple):
    """A conversation as a commit has left it."""

    endpoints: tuple[Endpoint, ...]
    groups: tuple[ConversationGroupState, ...]
    versions: dict[str, object]
    """By handle: what a store compares to know whether an endpoint has changed since."""
    was_found_so: bool
    """Whether the claim before this commit had found it as the commit before had left it."""


class RecalledConversations:
    """The conversations that one store has committed last, by identifier."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._left: dict[str, LeftConversation] = {}

    def find(self, conversations: Iterable[ConversationKey], now_ms: int) -> list[LeftConversation] | None:
        """Return these conversations; None where one of them has to be read."""
        found = []
        for conversation_id in dict.fromkeys(key for key, _ in conversations):
            left = self._left.get(conversation_id)
            if left is None or not left.was_found_so or not all(_only_receives(one, now_ms) for one in left.endpoints):
                return None
            found.append(left)
        return found or None

    def learn(
        self, claimed: ClaimedEndpoints, changes: ChangeSet, read: Mapping[str, object], written: Mapping[str, object]
    ) -> None:
        """Note a commit, with the versions by handle that its claim has read and that it has written. A conversation
        is forgotten whose endpoints were not all read with a version."""
        for conversation_id, of_it in groupby(sorted(claimed.endpoints.values(), key=_id), _id):
            known, endpoints = self._left.pop(conversation_id, None), list(of_it)
            before = {one.conversation_handle: read.get(one.conversation_handle) for one in endpoints}
            left = None if None in before.values() else _left(endpoints, claimed.groups, changes)
            if left is not None:
                was_found_so = known is not None and known.versions == before
                versions = {handle: written.get(handle, version) for handle, version in before.items()}
                self._left[conversation_id] = LeftConversation(*left, versions, was_found_so)
        while len(self._left) > self._most:
            del self._left[next(iter(self._left))]

    def forget(self, endpoints: Iterable[Endpoint]) -> None:
        """Forget the conversations of endpoints that were not as they had been left."""
        for endpoint in endpoints:
            self._left.pop(endpoint.conversation_id, None)


def recall(batch: ClaimedBatch, conversations: Iterable[LeftConversation]) -> ClaimedBatch:
    """Add conversations to a batch that has the state of the instance."""
    for left in conversations:
        for endpoint in left.endpoints:
            batch.endpoints[endpoint.conversation_handle] = endpoint
            batch.handles[endpoint.key] = endpoint.conversation_handle
        batch.groups.update((group.conversation_group_id, group) for group in left.groups)
    return batch


def only_adds(changes: ChangeSet) -> bool:
    """Return True if nothing changes but endpoints and the messages that are added to their queues."""
    return not any(_other_changes(changes))


def _only_receives(endpoint: Endpoint, now_ms: int) -> bool:
    """Whether nothing of an endpoint waits, on either way: such messages would have to be read."""
    is_due = endpoint.due is not None and endpoint.due <= now_ms
    return not (endpoint.outgoing or endpoint.held or is_due)


def _left(
    endpoints: list[Endpoint], known: Mapping[str, ConversationGroupState], changes: ChangeSet
) -> tuple[tuple[Endpoint, ...], tuple[ConversationGroupState, ...]] | None:
    """Return the endpoints of a conversation as the commit has left them, and their groups; None where one has gone."""
    if any(endpoint.conversation_handle in changes.removed for endpoint in endpoints):
        return None
    left = tuple(changes.endpoints.get(endpoint.conversation_handle, endpoint) for endpoint in endpoints)
    ids = dict.fromkeys(endpoint.conversation_group_id for endpoint in left)
    groups = tuple(group for one in ids if (group := changes.groups.get(one, known.get(one))) is not None)
    return left, groups
