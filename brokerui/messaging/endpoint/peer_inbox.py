"""Frames that came from one peer, on their way into Redis. Where that takes them too slowly, its readers wait."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Iterable
from typing import Protocol

from django.conf import settings
from redis import RedisError

from brokerui.core.async_redis import AsyncRedis
from brokerui.core.backoff import Backoff
from brokerui.messaging.endpoint.task_cancellation import cancel_all
from brokerui.messaging.exchange.frame_bundles import bundled, shard_of
from brokerui.messaging.exchange.lists import FrameList, Put, frame_list, put, run_async
from brokerui.messaging.exchange.wake_debounce import bell_of
from brokerui.messaging.tasks import receive

logger = logging.getLogger(__name__)
OF_A_SHARD = 4
"""Bundles of one shard in one call: a shard without a worker does not delay the others."""
BELL = bell_of(receive)
REFUSED = Backoff(first_s=0.005, max_s=0.25)
"""Until frames that Redis refused are tried again."""


class PausableReader(Protocol):
    """A connection whose reading can be paused."""

    def pause(self) -> None:
        """Bring no more."""

    def resume(self) -> None:
        """Go on."""


class MemoryBudget:
    """The memory that all peers of an instance share: of many that hold much, each holds as much as is left free."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.held = 0
        self.lost = 0
        """Frames for which there was no room at all."""

    @property
    def free(self) -> int:
        return max(0, self.most - self.held)

    def take(self, raw: bytes) -> bool:
        """Accept frames up to twice the limit, since readers pause late; more are lost, as on a network."""
        if self.held + len(raw) > 2 * self.most:
            self.lost += 1
            return False
        self.held += len(raw)
        return True


class PeerInbox:
    """Holds the frames of one peer until Redis has taken them; its task ends once none is left."""

    def __init__(
        self, client: AsyncRedis, instance: str, peer: str, room: MemoryBudget, wake: Callable[[], None]
    ) -> None:
        self.held = 0
        self._client = client
        self._instance = instance
        self._peer = peer
        self._room = room
        self._wake = wake
        self._came: list[bytes] = []
        self._bundles: dict[int, deque[bytes]] = {}
        self._readers: set[PausableReader] = set()
        self._task: asyncio.Task[None] | None = None

    def start(self, done: Callable[[], object]) -> None:
        """`done` is called once the inbox is empty; frames that arrive later go into a new one."""
        self._task = asyncio.get_running_loop().create_task(self._run(done))

    async def stop(self) -> None:
        if self._task is not None:
            await cancel_all({self._task})
        await self.flush()

    def put(self, reader: PausableReader, frames: Iterable[bytes]) -> None:
        """Takes the frames; the reader waits where more is held of its peer than is left for all others."""
        came = [raw for raw in frames if self._room.take(raw)]
        self._came += came
        self.held += sum(map(len, came))
        if self.held >= self._room.free:
            self._readers.add(reader)
            reader.pause()

    def forget(self, reader: PausableReader) -> None:
        self._readers.discard(reader)

    async def _run(self, done: Callable[[], object]) -> None:
        failures = 0
        while self.held or self._readers:
            if await self.flush():
                failures = 0
            else:
                failures += 1
                await asyncio.sleep(REFUSED.pause_s(failures))
        done()

    async def flush(self) -> bool:
        """Hand over what Redis takes; False where it took nothing."""
        self._sort()
        some = [(shard, bundle) for shard, own in self._bundles.items() for bundle in list(own)[:OF_A_SHARD]]
        try:
            answers = await run_async(self._client, put(self._peer, self._placed(some), BELL)) if some else []
        except (RedisError, OSError) as error:
            logger.info("fragments wait for Redis: %s", error)
            return False
        self._settle(some, answers)
        return any(answer.taken for answer in answers)

    def _placed(self, some: Iterable[tuple[int, bytes]]) -> list[tuple[FrameList, bytes]]:
        return [(frame_list(self._instance, shard), bundle) for shard, bundle in some]

    def _sort(self) -> None:
        shards: dict[int, list[bytes]] = {}
        came, self._came = self._came, []
        for raw in came:
            shards.setdefault(shard_of(raw, settings.ENDPOINT_SHARDS), []).append(raw)
        for shard, own in shards.items():
            self._bundles.setdefault(shard, deque()).extend(bundled(own))

    def _settle(self, some: list[tuple[int, bytes]], answers: list[Put]) -> None:
        for (shard, bundle), answer in zip(some, answers, strict=True):
            if answer.taken:
                self._bundles[shard].remove(bundle)
                self.held -= len(bundle)
                self._room.held -= len(bundle)
        if any(answer.first for answer in answers):
            self._wake()
        if 2 * self.held <= self._room.free:
            readers, self._readers = self._readers, set()
            for reader in readers:
                reader.resume()
