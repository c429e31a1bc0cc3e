"""Notices for the workers, kept until Redis takes them; the oldest are dropped where Redis is away too long."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable
from typing import TypeVar

from redis import RedisError

from brokerui.core.async_redis import AsyncRedis
from brokerui.messaging.exchange.lists import (
    MOST_EVENTS,
    MOST_NOTICES,
    Command,
    put_events,
    put_notices,
    run_async,
)
from brokerui.messaging.exchange.messages import EndpointEvent, EndpointMessage, Notice

T = TypeVar("T")
logger = logging.getLogger(__name__)
AT_ONCE = 500
PAUSE = 0.5
"""Seconds until Redis is tried again."""


class Notifier:
    """Notices and events of all instances."""

    def __init__(self, client: AsyncRedis) -> None:
        self._client = client
        self._notices: deque[Notice] = deque(maxlen=MOST_NOTICES)
        self._events: deque[EndpointMessage] = deque(maxlen=MOST_EVENTS)
        self._something = asyncio.Event()

    def notice(self, notice: Notice) -> None:
        self._notices.append(notice)
        self._something.set()

    def event(self, instance: str, event: EndpointEvent) -> None:
        self._events.append(EndpointMessage(instance, time.time_ns() // 1_000_000, event))
        self._something.set()

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            await self._something.wait()
            self._something.clear()
            try:
                await self.flush()
            except (RedisError, OSError) as error:
                logger.info("events wait for Redis: %s", error)
                await asyncio.sleep(PAUSE)
                self._something.set()

    async def flush(self) -> None:
        """Write notices and events to Redis. Raises `RedisError`, and then keeps what could not be written."""
        await self._hand_over(self._notices, put_notices)
        await self._hand_over(self._events, put_events)

    async def _hand_over(self, waiting: deque[T], put: Callable[[list[T]], Command[int]]) -> None:
        while waiting:
            some = [waiting.popleft() for _ in range(min(AT_ONCE, len(waiting)))]
            try:
                await run_async(self._client, put(some))
            except (RedisError, OSError):
                room = (waiting.maxlen or 0) - len(waiting)
                waiting.extendleft(reversed(some[-room:] if room else []))
                raise
