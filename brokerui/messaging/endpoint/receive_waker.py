"""Waking the workers that take what arrived."""

from __future__ import annotations

import asyncio
import logging

from brokerui.core.async_redis import AsyncRedis
from brokerui.core.celery_wake import wake
from brokerui.messaging.exchange.wake_debounce import wake_request
from brokerui.messaging.tasks import receive

logger = logging.getLogger(__name__)


class ReceiveWaker:
    """Calling it is quick; one wake-up at a time is on its way, and stands for all calls before it."""

    def __init__(self, client: AsyncRedis) -> None:
        self._client = client
        self._requested = asyncio.Event()

    def __call__(self) -> None:
        self._requested.set()

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            await self._requested.wait()
            self._requested.clear()
            try:
                if await self._client.call("EVAL", *wake_request(receive)):
                    await asyncio.to_thread(wake, receive)
            except Exception:
                logger.exception("workers were not woken")  # beat wakes them
