"""Frames that came for one instance, on their way into Redis. Where that takes them too slowly, readers wait."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Iterable
from typing import Protocol

from django.conf import settings
from redis import RedisError
from redis.asyncio import Redis

from brokerui.messaging.endpoint.bundles import bundled, shard_of
from brokerui.messaging.endpoint.lists import Place, Put, put, run_soon

logger = logging.getLogger(__name__)
OF_A_SHARD = 4
"""Bundles of one shard in one call: a shard that nobody works on keeps no other from its turn."""
FIRST_PAUSE = 0.005
LONGEST_PAUSE = 0.25
"""Seconds until what was refused is tried again."""


class Reader(Protocol):
    """Whoever brings frames."""

    def pause(self) -> None:
        """Bring no more."""

    def resume(self) -> None:
        """Go on."""


class Arrivals:
    """Holds about `most` bytes, and never twice as many."""

    def __init__(self, client: Redis, instance: str, most: int, wake: Callable[[], None]) -> None:
        self.instance = instance
        self.held = 0
        self.lost = 0
        """Frames that came from readers while there was room for none."""
        self._client = client
        self._most = most
        self._wake = wake
        self._came: list[bytes] = []
        self._bundles: dict[int, deque[bytes]] = {}
        self._readers: set[Reader] = set()
        self._something = asyncio.Event()

    def put(self, reader: Reader, frames: Iterable[bytes]) -> None:
        """Takes the frames; the reader waits where there is no room for more."""
        for raw in frames:
            if self.held + len(raw) > 2 * self._most:
                self.lost += 1  # as on any network
                continue
            self._came.append(raw)
            self.held += len(raw)
        self._something.set()
        if self.held >= self._most:
            self._readers.add(reader)
            reader.pause()

    def forget(self, reader: Reader) -> None:
        self._readers.discard(reader)

    async def run(self) -> None:
        """Until cancelled."""
        pause = FIRST_PAUSE
        while True:
            await self._something.wait()
            self._something.clear()
            if await self.flush():
                pause = FIRST_PAUSE
            else:
                await asyncio.sleep(pause)
                pause = min(2 * pause, LONGEST_PAUSE)
            if self.held:
                self._something.set()

    async def flush(self) -> bool:
        """Hand over what Redis takes; False where it took nothing."""
        self._sort()
        some = [(shard, bundle) for shard, own in self._bundles.items() for bundle in list(own)[:OF_A_SHARD]]
        if not some:
            return True
        places = [(Place(self.instance, shard), bundle) for shard, bundle in some]
        try:
            answers = await run_soon(self._client, put(places))
        except (RedisError, OSError) as error:
            logger.info("fragments wait for Redis: %s", error)
            return False
        self._settle(some, answers)
        return any(answer.taken for answer in answers)

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
        if any(answer.first for answer in answers):
            self._wake()
        if self.held <= self._most // 2:
            readers, self._readers = self._readers, set()
            for reader in readers:
                reader.resume()
