"""The process of `brokerui endpoint`, from its settings to its end."""

from __future__ import annotations

import asyncio
import resource
from collections.abc import Mapping

from asgiref.sync import sync_to_async
from django.conf import settings
from django.db import close_old_connections

from brokerui.core.async_redis import AsyncRedis
from brokerui.messaging.endpoint.endpoint_settings import options_from_settings, tls_from_settings
from brokerui.messaging.endpoint.hosted_instances import hosted
from brokerui.messaging.endpoint.options import EndpointOptions
from brokerui.messaging.endpoint.process import EndpointProcess
from brokerui.messaging.endpoint.receive_waker import ReceiveWaker
from brokerui.messaging.endpoint.stopping import stop_on_signals
from brokerui.messaging.endpoint.task_cancellation import cancel_all
from brokerui.messaging.endpoint.tls import Tls

ANSWER_S = 2.0
"""How long Redis may take to answer, beyond the time that a call asks it to wait."""
MOST_FILES = 65_536


def serve() -> None:
    """Until SIGTERM or Ctrl-C. Raises `Invalid` for settings that cannot be used."""
    tls = tls_from_settings()
    _allow_sockets()
    asyncio.run(_serve(options_from_settings(), tls))


def _allow_sockets() -> None:
    """As many open files as the system lets us have: many start programs with fewer than there may be connections."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, most), hard))


async def _serve(options: EndpointOptions, tls: Tls | None) -> None:
    stop = asyncio.Event()
    stop_on_signals(stop)
    client = AsyncRedis(settings.REDIS_URL, connect_s=ANSWER_S, answer_s=ANSWER_S)
    waker = ReceiveWaker(client)
    waking = asyncio.create_task(waker.run())
    try:
        await EndpointProcess(client, _hosted, waker, options, tls).run(stop)
    finally:
        await cancel_all({waking})
        await client.aclose()


async def _hosted() -> Mapping[str, tuple[str, ...]]:
    return await sync_to_async(_read_hosted, thread_sensitive=True)()


def _read_hosted() -> Mapping[str, tuple[str, ...]]:
    close_old_connections()
    return hosted()
