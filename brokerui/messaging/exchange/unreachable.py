"""Addresses that cannot be reached now, as the endpoint reports: kept in Redis, since only attempts make it true."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from redis import Redis, RedisError

from brokerui.core.redis_keys import UNREACHABLE
from brokerui.core.redis_values import fields_readable
from brokerui.messaging.broker_cache import broker_of
from brokerui.messaging.clock import now
from brokerui.messaging.errors import NotHostedError
from brokerui.messaging.exchange.lists import run, take_notices
from brokerui.messaging.exchange.messages import Failed, Notice
from brokerui.messaging.exchange.outbox import redis

logger = logging.getLogger(__name__)

AT_ONCE: Final = 1_000


class UnreachableAddress(NamedTuple):
    """Why an address cannot be reached."""

    number: int
    """The product's: 9754 where the system refused, 9783 where the name was not found, …"""
    text: str
    """The system's reason."""


def unreachable_address(instance: str, address: str) -> UnreachableAddress | None:
    """The failure of an address; None where it can be reached, was never tried, or Redis does not answer."""
    try:
        found = redis().hget(_key(instance), address)
        return _read(instance, {address.encode(): found}).get(address) if found else None
    except (RedisError, OSError):
        return None


def unreachable_from(instance: str) -> dict[str, UnreachableAddress]:
    """Return the unreachable addresses of an instance, by address."""
    try:
        return _read(instance, redis().hgetall(_key(instance)))
    except (RedisError, OSError):
        return {}


def unreachable_from_all(instances: Sequence[str]) -> dict[str, dict[str, UnreachableAddress]]:
    """Return the unreachable addresses of each instance, on one way to Redis; empty where it does not answer."""
    try:
        pipeline = redis().pipeline(transaction=False)
        for instance in instances:
            pipeline.hgetall(_key(instance))
        answers = pipeline.execute()
    except (RedisError, OSError):
        return {}
    return {instance: _read(instance, found) for instance, found in zip(instances, answers, strict=True)}


def _read(instance: str, found: Mapping[Any, Any]) -> dict[str, UnreachableAddress]:
    return dict(fields_readable(_key(instance), found, _entry))


def _entry(pair: tuple[bytes, bytes]) -> tuple[str, UnreachableAddress]:
    number, text = json.loads(pair[1])
    if not isinstance(number, int) or not isinstance(text, str):
        raise TypeError("no number and text")
    return pair[0].decode(), UnreachableAddress(number, text)


def take_endpoint_notices() -> None:
    """Take the endpoint's notices: an address that is online again makes conversations that wait for it due at once."""
    try:
        notices = run(redis(), take_notices(AT_ONCE))
    except (RedisError, OSError) as error:
        logger.info("no notices: %s", error)
        return
    for notice in notices:
        try:
            _hear(notice)
        except NotHostedError:
            continue  # not any more


def _hear(notice: Notice) -> None:
    broker = broker_of(notice.instance)
    if isinstance(notice, Failed):
        redis().hset(_key(notice.instance), notice.address, json.dumps([notice.error, notice.text]))
        broker.cannot_reach(notice.address, now())
    elif redis().hdel(_key(notice.instance), notice.address):
        broker.retry_all(now())


def unreachable_count(client: Redis, instances: Iterable[str]) -> int:
    """Count the unreachable addresses of these instances, on one way to Redis. Raises `RedisError`."""
    pipeline = client.pipeline(transaction=False)
    for instance in instances:
        pipeline.hlen(_key(instance))
    return sum(pipeline.execute())


def _key(instance: str) -> str:
    return f"{UNREACHABLE}{instance}"
