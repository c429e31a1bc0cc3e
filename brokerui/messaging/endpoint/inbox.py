"""Frames that came for one instance, on their way into Redis: each peer has a share of the memory, and a pace."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

from brokerui.core.async_redis import AsyncRedis
from brokerui.messaging.endpoint.peer_inbox import MemoryBudget, PausableReader, PeerInbox


class InboxPeer(PausableReader, Protocol):
    """A reader that says from whom it brings frames."""

    @property
    def peer(self) -> str:
        """The name of the instance at the other side; all that has it is one peer."""


class Inbox:
    """Holds at most about `most` bytes, and never twice as many."""

    def __init__(self, client: AsyncRedis, instance: str, most: int, wake: Callable[[], None]) -> None:
        self._client = client
        self._instance = instance
        self._wake = wake
        self._room = MemoryBudget(most)
        self._peers: dict[str, PeerInbox] = {}
        """The inboxes of peers from which something is held."""

    @property
    def held(self) -> int:
        return self._room.held

    @property
    def lost(self) -> int:
        """Frames that came from readers while there was room for none."""
        return self._room.lost

    def put(self, reader: InboxPeer, frames: Iterable[bytes]) -> None:
        """Takes the frames; the reader waits where its peer has as much as it may."""
        coming = self._peers.get(reader.peer)
        if coming is None:
            coming = PeerInbox(self._client, self._instance, reader.peer, self._room, self._wake)
            self._peers[reader.peer] = coming
            coming.start(lambda: self._peers.pop(reader.peer))
        coming.put(reader, frames)

    def forget(self, reader: InboxPeer) -> None:
        if reader.peer in self._peers:
            self._peers[reader.peer].forget(reader)

    async def stop(self) -> None:
        """Hand over what Redis takes at once; the rest is lost."""
        for coming in list(self._peers.values()):
            await coming.stop()
